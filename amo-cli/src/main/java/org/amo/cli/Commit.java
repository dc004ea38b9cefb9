package org.amo.cli;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Which source this program was built from, if it still lies in its checkout. */
public final class Commit {
    private static final String UNKNOWN = "unknown";
    private static final long TIMEOUT_SECONDS = 5;

    private Commit() {}

    /** The commit's hash, or "unknown". */
    public static String hash() {
        try {
            Path here = Path.of(Commit.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path folder = Files.isDirectory(here) ? here : here.resolveSibling(".");
            Process git = new ProcessBuilder("git", "-C", folder.toString(), "rev-parse", "HEAD")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!git.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                git.destroyForcibly();
                return UNKNOWN;
            }
            String hash = new String(git.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return git.exitValue() == 0 && hash.matches("[0-9a-f]{40,64}") ? hash : UNKNOWN;
        } catch (IOException | URISyntaxException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
