package org.amo.linearizable.rocksdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.amo.once.OnceExecutor.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL of a service in the middle of its calls; all are retried afterwards, the unanswered one too. */
final class KilledOnceStoreTest {
    private static final int ENOUGH = 300;

    @TempDir
    private Path folder;

    @Test
    @Timeout(120)
    void eachKeyHasItsEffectOnceOverKills() throws Exception {
        int begun = 0;
        for (int kill = 0; kill < 2; kill++) {
            Map<Integer, String> replies = run(begun);
            int last =
                    replies.keySet().stream().mapToInt(Integer::intValue).max().orElseThrow();
            try (OnceStoreProcess service = new OnceStoreProcess(folder)) {
                for (int i = begun; i <= last + 1; i++) {
                    Reply retry = service.pay("k" + i);
                    assertEquals(1, service.effects("k" + i));
                    assertEquals(replies.getOrDefault(i, retry.text()), retry.text());
                    assertTrue(retry.replayed() || i > last);
                }
            }
            begun = last + 2;
        }
    }

    private Map<Integer, String> run(int begun) throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OnceStoreProcess.class.getName(),
                        folder.toString(),
                        Integer.toString(begun))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Map<Integer, String> replies = new TreeMap<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                replies.put(Integer.valueOf(line.substring(0, space)), line.substring(space + 1));
                if (replies.size() == ENOUGH) {
                    // Not by the Process, which would close the stream with what was said before.
                    process.toHandle().destroyForcibly();
                }
            }
        }
        process.waitFor();
        assertTrue(replies.size() >= ENOUGH, replies::toString);
        return replies;
    }
}
