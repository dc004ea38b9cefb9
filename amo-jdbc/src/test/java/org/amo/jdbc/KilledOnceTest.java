package org.amo.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.meetings.PostgresServer;
import org.amo.once.OnceExecutor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * SIGKILL of the service and of PostgreSQL, in the middle of calls; all are retried afterwards. {@code -Pslow} for 500 kills, or {@code
 * -Donce.kills} of them.
 */
final class KilledOnceTest {
    private static final long SEED = Long.getLong("once.seed", 1);

    /** Answered calls that are retried after each kill of the service; all of them are at the end. */
    private static final int SAMPLE = 50;

    /** Some of so many kills of the service hit calls before their commit, and some behind it. */
    private static final int BOTH_KINDS = 50;

    @TempDir
    private Path folder;

    private final Set<String> called = ConcurrentHashMap.newKeySet();
    private final Map<String, String> replies = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answers = new AtomicInteger();

    private Service service;
    private int begun;
    private int serviceKills;
    private int found;
    private int ran;
    private long retries;

    @Test
    @Timeout(120)
    void eachKeyHasItsEffectOnceOverKills() throws Exception {
        kill(5);
    }

    @Test
    @Tag("slow")
    @Timeout(3600)
    void eachKeyHasItsEffectOnceOverFiveHundredKills() throws Exception {
        kill(Integer.getInteger("once.kills", 500));
    }

    private void kill(int kills) throws Exception {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed: no kill was tried");
        Random random = new Random(SEED);
        long start = System.nanoTime();
        try (PostgresServer server = PostgresServer.start(folder)) {
            TestDatabase database = TestDatabase.postgres(server.url());
            database.reset();
            OnceExecutor<Connection, SQLException> client = OnceProcess.executor(server.url());
            begin(server);
            for (int kill = 0; kill < kills; kill++) {
                int enough = answers.get() + 50 + random.nextInt(200);
                Awaitility.await()
                        .atMost(Duration.ofSeconds(40))
                        .until(() -> answers.get() >= enough || !wrong.isEmpty());
                // In turn, so that a short run has both.
                if (kill % 2 == 0) {
                    server.kill();
                    server.start();
                } else {
                    serviceKills++;
                    service.kill();
                    retry(client, unansweredAndSome(random));
                    begin(server);
                }
                assertEquals(List.of(), List.copyOf(wrong));
            }
            service.kill();
            retry(client, called);
            assertEquals(called.size(), replies.size());
            assertEquals(called.size(), database.count("SELECT count(*) FROM ledger"));
            assertEquals(called.size(), database.count("SELECT count(DISTINCT effect) FROM ledger"));
            assertEquals(List.of(), List.copyOf(wrong));
            assertTrue(serviceKills < BOTH_KINDS || (found > 0 && ran > 0), found + " had run and " + ran + " had not");
            System.out.println(kills + " kills, " + serviceKills + " of them of the service, seed " + SEED + ": "
                    + called.size() + " keys had their effect once; " + answers + " answers and " + retries
                    + " retries, equal for each key; of the calls without an answer, " + found + " had run and " + ran
                    + " had not; 0 unknown; "
                    + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s");
        } finally {
            if (service != null) {
                service.kill();
            }
        }
    }

    private void begin(PostgresServer server) throws Exception {
        service = new Service(server.url(), "p" + begun++);
    }

    private List<String> unansweredAndSome(Random random) {
        List<String> answered = new ArrayList<>(replies.keySet());
        List<String> some = new ArrayList<>(called);
        some.removeAll(replies.keySet());
        for (int i = 0; i < SAMPLE && !answered.isEmpty(); i++) {
            some.add(answered.get(random.nextInt(answered.size())));
        }
        return some;
    }

    /** As clients do whose service died: each call again, with its key. */
    private void retry(OnceExecutor<Connection, SQLException> client, Collection<String> keys) throws Exception {
        for (String key : keys) {
            boolean answered = replies.containsKey(key);
            OnceExecutor.Reply reply = OnceProcess.pay(client, key);
            note(key, reply.text());
            retries++;
            if (!answered) {
                found += reply.replayed() ? 1 : 0;
                ran += reply.replayed() ? 0 : 1;
            }
        }
    }

    private void note(String key, String reply) {
        String first = replies.putIfAbsent(key, reply);
        if (first != null && !first.equals(reply)) {
            wrong.add(key + " got " + first + " and " + reply);
        }
    }

    private final class Service {
        private final Process process;
        private final Thread reader;

        Service(String url, String name) throws IOException {
            process = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElse("java"),
                            "-Xmx64m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            OnceProcess.class.getName(),
                            url,
                            name)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            reader = new Thread(this::read, "reader");
            reader.start();
        }

        private void read() {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    String[] words = line.split(" ", 3);
                    switch (words[0]) {
                        case "call" -> called.add(words[1]);
                        case "done" -> {
                            note(words[1], words[2]);
                            answers.incrementAndGet();
                        }
                        default -> wrong.add(line);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Returns when all that it printed was read. */
        void kill() throws InterruptedException {
            // Not by the Process, which would close the stream with what was said before.
            process.toHandle().destroyForcibly();
            reader.join();
            process.waitFor();
        }
    }
}
