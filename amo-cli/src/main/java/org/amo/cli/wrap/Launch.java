package org.amo.cli.wrap;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;

/** Becomes another program, as nearly as a virtual machine can. */
final class Launch {
    /** The launcher script sets this, to replace itself by the program instead of waiting for it. */
    static final String PRINT_VARIABLE = "AMO_PRINT_EXEC";

    /** Tells the launcher script that standard output is a command for {@code eval}. */
    static final int PRINTED = 90;

    private static final long GRACE_SECONDS = 30;

    private Launch() {}

    /** Runs the program with our standard streams; its exit code is the result. */
    static int run(List<String> words) {
        if (System.getenv(PRINT_VARIABLE) != null) {
            System.out.println("exec " + shell(words));
            return PRINTED;
        }
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

    /** The words as a POSIX shell reads them. */
    static String shell(List<String> words) {
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            line.append(line.length() == 0 ? "" : " ")
                    .append('\'')
                    .append(word.replace("'", "'\\''"))
                    .append('\'');
        }
        return line.toString();
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
