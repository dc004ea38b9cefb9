package org.amo.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Starts processes that do not outlive this one, however it is told to end. */
public final class Children {
    private static final long END_SECONDS = 10;
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    /** Guarded by {@link #RUNNING}. */
    private static boolean ending;

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "bench-children"));
    }

    private Children() {}

    /** The command of a program on this process's class path, to which its arguments are added. */
    public static List<String> command(Class<?> main, List<String> jvmFlags) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
        command.addAll(jvmFlags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path", ""), main.getName()));
        return command;
    }

    /** Starts it and remembers it until it has ended. Once this process ends, no other one starts, and this does not return. */
    public static Process start(ProcessBuilder builder) throws IOException {
        Process process;
        synchronized (RUNNING) {
            while (ending) {
                LockSupport.park();
            }
            process = builder.start();
            RUNNING.add(process);
        }
        // No caller waits for this; a process that is forgotten late is killed twice at worst.
        CompletableFuture<Void> unused = process.onExit().thenAccept(RUNNING::remove);
        return process;
    }

    /** Ends all of them, and lets no other one start. For the end of this process. */
    public static void endAll() {
        synchronized (RUNNING) {
            ending = true;
        }
        RUNNING.forEach(Children::end);
    }

    /** Ends a process as {@code kill -9} does, and waits for its end. */
    public static void end(Process process) {
        process.destroyForcibly();
        try {
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
