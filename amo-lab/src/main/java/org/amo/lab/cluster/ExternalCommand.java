package org.amo.lab.cluster;

import java.io.IOException;
import java.nio.charset.Charset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.cli.CliException;

/** Short programs of the machine. */
public final class ExternalCommand {
    private static final long LIMIT_SECONDS = 20;

    private ExternalCommand() {}

    /** Runs one to its end. @throws CliException with its output, if it fails */
    public static void run(String... words) {
        run(List.of(words));
    }

    /** Runs one to its end. @throws CliException with its output, if it fails */
    public static void run(List<String> words) {
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset()).strip();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw CliException.environment(String.join(" ", words) + " does not end");
            }
            if (process.exitValue() != 0) {
                throw CliException.environment(String.join(" ", words) + " failed: " + said);
            }
        } catch (IOException e) {
            throw CliException.environment("cannot run " + words.get(0) + " (" + e.getMessage() + ")");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.environment("the command was interrupted");
        }
    }
}
