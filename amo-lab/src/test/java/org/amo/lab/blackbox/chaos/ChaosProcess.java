package org.amo.lab.blackbox.chaos;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.cli.wrap.AmoClassPath;

/** {@code ./amo chaos} as a process of its own, which it needs to enter its namespaces. */
record ChaosProcess(int exitCode, String said) {
    private static final long LIMIT_SECONDS = 300;

    static ChaosProcess run(Path output, String... arguments) throws IOException, InterruptedException {
        List<String> words = AmoClassPath.java("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        words.addAll(List.of("-cp", String.join(File.pathSeparator, AmoClassPath.all()), "org.amo.cli.Amo", "chaos"));
        words.addAll(List.of(arguments));
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), "it does not end");
        } finally {
            process.destroy();
        }
        return new ChaosProcess(process.exitValue(), Files.readString(output));
    }
}
