package org.amo.cli;

import java.io.IOException;
import java.io.Reader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** The source that this program was built from, as its distribution or else its checkout says. */
public final class Commit {
    private static final String UNKNOWN = "unknown";

    /** A file of a distribution, beside the folder of its jars; amo-dist writes it. */
    private static final String RELEASE = "release";

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
            Path folder =
                    Files.isDirectory(here) ? here : here.resolveSibling(".").normalize();
            Path release = folder.resolveSibling(RELEASE);
            String hash = Files.isRegularFile(release) ? released(release) : checkedOut(folder);
            return hash.matches("[0-9a-f]{40,64}") ? hash : UNKNOWN;
        } catch (IOException | URISyntaxException e) {
            return UNKNOWN;
        }
    }

    private static String released(Path release) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(release)) {
            properties.load(reader);
        }
        return properties.getProperty("COMMIT", UNKNOWN);
    }

    private static String checkedOut(Path folder) throws IOException {
        try {
            Process git = new ProcessBuilder("git", "-C", folder.toString(), "rev-parse", "HEAD")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!git.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                git.destroyForcibly();
                return UNKNOWN;
            }
            String hash = new String(git.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return git.exitValue() == 0 ? hash : UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
