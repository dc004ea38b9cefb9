package org.amo.cli.wrap;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.amo.base.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the just-in-time compilers of a started program yield to its other threads. A call passes some sixty threads of a group; each waits
 * for the compilers where processors are few, for half a minute after a start (docs/decisions/0108-compilers-yield.md).
 *
 * <p>On Linux, where each thread has a priority of its own, and where there is {@code renice}; elsewhere it does nothing.
 */
public final class CompilerPriority {
    /** Added to nice: about a third of the weight of other threads, so that compilers go on when processors are busy. */
    static final int MORE = 5;

    private static final int MOST = 19;

    private static final Logger LOG = LoggerFactory.getLogger(CompilerPriority.class);
    private static final Path PROCESSES = Path.of("/proc");

    /** The beginnings of their names, of which Linux keeps 15 characters. */
    private static final List<String> COMPILERS =
            List.of("C1 CompilerThre", "C2 CompilerThre", "JVMCI CompilerT", "JIT Compilation");

    /** A virtual machine has its compilers some ten milliseconds after it has begun; that of a start script begins later. */
    private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long RENICE_SECONDS = 5;

    private CompilerPriority() {}

    /** For a program and all that it starts in its first seconds. Returns at once. */
    public static void lower(ProcessHandle program) {
        if (Files.isDirectory(threads(program))) {
            DaemonThreads.start("amo-compiler-priority", () -> watch(program));
        }
    }

    private static void watch(ProcessHandle program) {
        Set<Path> done = new HashSet<>();
        long begin = System.nanoTime();
        try {
            while (program.isAlive() && System.nanoTime() - begin < WATCH_NANOS) {
                for (ProcessHandle each :
                        Stream.concat(Stream.of(program), program.descendants()).toList()) {
                    List<Path> found = compilers(each);
                    found.removeIf(thread -> !done.add(thread));
                    if (!found.isEmpty()) {
                        renice(found);
                    }
                }
                LockSupport.parkNanos(LOOK_EVERY_NANOS);
            }
        } catch (IOException e) {
            LOG.debug("compilers keep their priority: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Path> compilers(ProcessHandle process) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(threads(process))) {
            for (Path thread : threads) {
                if (COMPILERS.contains(Files.readString(thread.resolve("comm")).strip())) {
                    found.add(thread);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.trace("process {} has ended, or one of its threads", process.pid());
        }
        return found;
    }

    private static Path threads(ProcessHandle process) {
        return PROCESSES.resolve(Long.toString(process.pid())).resolve("task");
    }

    private static void renice(List<Path> threads) throws IOException, InterruptedException {
        String wanted = Integer.toString(Math.min(MOST, nice(threads.get(0)) + MORE));
        List<String> words = new ArrayList<>(List.of("renice", "-n", wanted, "-p"));
        threads.forEach(thread -> words.add(thread.getFileName().toString()));
        Process renice = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!renice.waitFor(RENICE_SECONDS, TimeUnit.SECONDS)) {
            renice.destroyForcibly();
        }
    }

    /** The 19th field of a thread's line; its name, the second one, may have spaces and parentheses. */
    static int nice(Path thread) throws IOException {
        String line = Files.readString(thread.resolve("stat"));
        return Integer.parseInt(line.substring(line.lastIndexOf(')') + 2).split(" ", -1)[16]);
    }
}
