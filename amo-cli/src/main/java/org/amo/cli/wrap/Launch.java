package org.amo.cli.wrap;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;

/** Becomes another program, as nearly as a virtual machine can. */
public final class Launch {
    private static final long GRACE_SECONDS = 30;

    private Launch() {}

    /** Runs the program with our standard streams; its exit code is the result. */
    public static int run(List<String> words) {
        return run(words, Map.of());
    }

    /** The same with more in its environment. */
    static int run(List<String> words, Map<String, String> environment) {
        Process process = start(words, environment);
        Thread stop = new Thread(() -> stop(process), "amo-stop");
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stop(process);
            return ExitCodes.ENVIRONMENT;
        }
    }

    private static Process start(List<String> words, Map<String, String> environment) {
        try {
            ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
            builder.environment().putAll(environment);
            return builder.start();
        } catch (IOException e) {
            throw CliException.environment("cannot start " + words.get(0) + " (" + e.getMessage() + ")");
        }
    }

    /** Passes on the SIGTERM of this process; after a grace period, ends the processes by force. */
    private static void stop(Process process) {
        // A shell that runs a script keeps the signal to itself.
        List<ProcessHandle> started = process.descendants().toList();
        process.destroy();
        started.forEach(ProcessHandle::destroy);
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GRACE_SECONDS);
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            for (ProcessHandle child : started) {
                awaitEnd(child, end);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitEnd(ProcessHandle child, long endNanos) throws InterruptedException {
        try {
            child.onExit().get(Math.max(0, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            child.destroyForcibly();
        }
    }
}
