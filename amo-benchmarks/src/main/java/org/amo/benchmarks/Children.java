package org.amo.benchmarks;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Starts processes that do not outlive this one, however it is told to end. */
public final class Children {
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "bench-children"));
    }

    private Children() {}

    /** Starts it and remembers it until it has ended. */
    public static Process start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        RUNNING.add(process);
        // No caller waits for this; a process that is forgotten late is killed twice at worst.
        CompletableFuture<Void> unused = process.onExit().thenAccept(RUNNING::remove);
        return process;
    }
}
