package org.amo.cli.wrap;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;

/** Becomes another program, as nearly as a virtual machine can. */
public final class Launch {
    private static final long GRACE_SECONDS = 30;

    private Launch() {}

    /** Runs the program with our standard streams; its exit code is the result. */
    public static int run(List<String> words) {
        Process process = start(words);
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

    private static Process start(List<String> words) {
        try {
            return new ProcessBuilder(words).inheritIO().start();
        } catch (IOException e) {
            throw CliException.environment("cannot start " + words.get(0) + " (" + e.getMessage() + ")");
        }
    }

    /** SIGTERM, which the shutdown of this process passes on; then what cannot be ignored. */
    private static void stop(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
