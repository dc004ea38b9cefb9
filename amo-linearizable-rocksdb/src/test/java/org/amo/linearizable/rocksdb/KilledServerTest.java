package org.amo.linearizable.rocksdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.StoreOutcome.Status;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real server, killed with SIGKILL while four clients call (rows R5, R7, R8); {@code -Pslow} for the long run.
 */
class KilledServerTest {
    private static final int KILLS = Integer.getInteger("rpclog.kills", 10);
    private static final long SEED = Long.getLong("rpclog.seed", 1);

    @TempDir
    Path directory;

    /** By key: the calls that must have run. */
    private final Map<Long, Long> expected = new HashMap<>();

    private long resent;
    private long answered;

    private record Sent(long number, long key, long version) {}

    @Test
    void objectAndRecordSurviveTogetherOrNotAtAll() throws Exception {
        kill(KILLS, SEED);
    }

    /** The same, as often as it takes to hit what is rare. */
    @Test
    @Tag("slow")
    void objectAndRecordSurviveFiveHundredKills() throws Exception {
        kill(500, SEED + 1);
    }

    private void kill(int kills, long seed) throws Exception {
        Random random = new Random(seed);
        for (int kill = 0; kill < kills; kill++) {
            long first = 1 + kill * 10L;
            Map<Long, SortedMap<Long, Sent>> calls = new HashMap<>();
            Map<Long, Map<Long, String>> results = new HashMap<>();
            runAndKill(first, 20 + random.nextInt(400), calls, results);
            check(calls, results);
        }
        assertTrue(answered > 20L * kills, answered + " calls were answered");
        assertTrue(resent > 0, "no kill hit a call");
        System.out.println(kills + " kills, seed " + seed + ": " + answered + " answered calls and " + resent
                + " without an answer were found once");
    }

    private void runAndKill(
            long first, int killAfter, Map<Long, SortedMap<Long, Sent>> calls, Map<Long, Map<Long, String>> results)
            throws IOException, InterruptedException {
        Process server = start(first);
        try (BufferedReader lines = lines(server)) {
            int count = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (++count == killAfter) {
                    // Not by the Process, which would close the stream with what was said before.
                    server.toHandle().destroyForcibly();
                }
                String[] words = line.split(" ", -1);
                long client = Long.parseLong(words[1]);
                long number = Long.parseLong(words[2]);
                if (words[0].equals("call")) {
                    Sent sent = new Sent(number, Long.parseLong(words[3]), Long.parseLong(words[4]));
                    calls.computeIfAbsent(client, each -> new TreeMap<>()).put(number, sent);
                } else {
                    results.computeIfAbsent(client, each -> new HashMap<>()).put(number, words[3]);
                }
            }
            assertTrue(count >= killAfter, "the server ended by itself after " + count + " lines");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private Process start(long first) throws IOException {
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StoreProcess.class.getName(),
                        directory.resolve("a").toString(),
                        Long.toString(first),
                        Durability.FSYNC.name())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static BufferedReader lines(Process server) {
        return new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** Section II-C, with a real lock: a server that runs keeps its ranges; a killed one's calls are answered elsewhere. */
    @Test
    void theRangesOfARunningServerCannotBeTakenAndThoseOfAKilledOneCan() throws Exception {
        Process server = start(1);
        try (LinearizableStore other = open("b");
                BufferedReader lines = lines(server)) {
            String call = lines.readLine();
            assertTrue(call.startsWith("call "), call);
            CompletionException e = assertThrows(CompletionException.class, () -> take(other));
            assertTrue(
                    e.getCause().getMessage().contains("is running"),
                    e.getCause().getMessage());
            Map<String, String> done = new TreeMap<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                if (words[0].equals("done")) {
                    done.put(words[1] + " " + words[2], words[3]);
                    if (done.size() == 100) {
                        server.toHandle().destroyForcibly();
                    }
                }
            }
            server.waitFor();
            take(other);
            Awaitility.await().until(() -> other.status().join().ready());
            String[] words = call.split(" ", -1);
            long number = Long.parseLong(words[2]);
            Sent first = new Sent(number, Long.parseLong(words[3]), Long.parseLong(words[4]));
            assertEquals(
                    Status.STALE, again(other, Long.parseLong(words[1]), first).status(), call);
            assertTrue(done.size() >= 100, "calls were answered: " + done.size());
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private void take(LinearizableStore other) {
        other.takeOver(directory.resolve("a"), List.of(Operations.ALL), () -> CompletableFuture.completedFuture(null))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private LinearizableStore open(String name, KeyRange... ranges) {
        return LinearizableStore.open(
                directory.resolve(name),
                List.of(ranges),
                StoreOptions.builder().durability(Durability.FILE).build(),
                StoreProcess.EVERYBODY_LIVES);
    }

    private void check(Map<Long, SortedMap<Long, Sent>> calls, Map<Long, Map<Long, String>> results) {
        try (LinearizableStore store = open("a", Operations.ALL)) {
            Awaitility.await().until(() -> store.status().join().ready());
            calls.forEach((client, sent) -> {
                long last = sent.lastKey();
                for (Sent call : sent.values()) {
                    String before = results.getOrDefault(client, Map.of()).get(call.number);
                    // A client has one call at a time: the last one acknowledged all before it, if it arrived.
                    StoreOutcome outcome = again(store, client, call);
                    if (call.number < last && outcome.status() == Status.STALE) {
                        answered++;
                    } else {
                        assertEquals(Status.DONE, outcome.status(), () -> client + " " + call);
                        String result = Operations.text(outcome.result());
                        if (before == null) {
                            resent++;
                            assertTrue(call.key != 0 || !result.equals("no"), "it ran and was run again: " + call);
                        } else {
                            answered++;
                            assertEquals(before, result, () -> "another result: " + client + " " + call);
                        }
                        assertEquals(
                                result,
                                Operations.text(again(store, client, call).result()));
                    }
                    expected.merge(call.key, 1L, Long::sum);
                }
            });
            for (long key = 1; key < StoreProcess.KEYS; key++) {
                long value = store.read(Operations.key("k" + key))
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join()
                        .map(object -> Long.parseLong(Operations.text(object.value())))
                        .orElse(0L);
                assertEquals(expected.getOrDefault(key, 0L), value, "key " + key);
            }
            long versions = store.read(Operations.key("k0"))
                    .join()
                    .map(StoredObject::version)
                    .orElse(0L);
            assertEquals(expected.getOrDefault(0L, 0L), versions, "conditional writes that succeeded");
        }
    }

    private static StoreOutcome again(LinearizableStore store, long client, Sent call) {
        RpcHeader header =
                new RpcHeader(new RpcId(new LeaseId(client), call.number), 0, StoreProcess.EXPIRES, ClusterTime.ZERO);
        return store.call(header, Operations.key("k" + call.key), StoreProcess.operation(call.key, call.version))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }
}
