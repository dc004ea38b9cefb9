package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The service as it is run: three coordinators, three servers, each a process, and kill -9. One cluster bears all tests. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(600)
final class KvProcessesTest {
    private static final int KEYS = 32;

    @TempDir
    private static Path folder = Path.of("unset");

    private static KvCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new KvCluster(folder, 120_000, 3, 4_000, Optional.of(KvCluster.SECRET));
        cluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Row R16: each operation of section II-A, from several threads and without waiting. */
    @Test
    @Order(1)
    void theFiveOperationsByThreadsAndWithoutWaiting() throws Exception {
        try (KvClient client = cluster.client()) {
            KvResult first = client.write(key(1), bytes("one"));
            assertArrayEquals(bytes("one"), client.read(key(1)).value());
            assertEquals(first.version(), client.read(key(1)).version());
            KvResult second = client.conditionalWrite(key(1), first.version(), bytes("two"));
            assertEquals(KvResult.Status.DONE, second.status());
            KvResult refused = client.conditionalWrite(key(1), first.version(), bytes("three"));
            assertEquals(KvResult.Status.CONDITION_FAILED, refused.status());
            assertEquals(second.version(), refused.version());
            assertEquals(
                    KvResult.Status.NOT_A_NUMBER, client.increment(key(1), 1).status());
            assertTrue(client.delete(key(1)).version() > second.version());
            assertEquals(KvResult.Status.ABSENT, client.read(key(1)).status());
            assertEquals(
                    KvResult.Status.DONE,
                    client.conditionalWrite(key(1), 0, bytes("four")).status());

            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int thread = i;
                threads.add(new Thread(() -> {
                    for (int n = 1; n <= 50; n++) {
                        client.increment(bytes("thread " + thread), 1);
                    }
                }));
            }
            threads.forEach(Thread::start);
            List<CompletableFuture<KvResult>> calls = new ArrayList<>();
            for (int n = 0; n < 2_000; n++) {
                calls.add(client.incrementAsync(key(2 + n % KEYS), 1));
            }
            for (int n = 0; n < calls.size(); n++) {
                // Calls to one key are numbered as they were made, and their servers get them in that order.
                assertEquals(
                        1 + n / KEYS, calls.get(n).get(60, TimeUnit.SECONDS).number(), "call " + n);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            for (int i = 0; i < 4; i++) {
                assertEquals(51, client.increment(bytes("thread " + i), 1).number());
            }
        }
    }

    /** Rows R9 and R18, section II-C: two processes recover the tablets of a killed third; then a coordinator is killed. */
    @Test
    @Order(2)
    void twoServersRecoverAKilledOnesTabletsAndAKilledCoordinatorTakesNothing() throws Exception {
        try (KvClient client = cluster.client()) {
            for (int n = 0; n < KEYS; n++) {
                assertEquals(1, client.increment(counter(n), 1).number());
            }
            List<CompletableFuture<KvResult>> calls = new ArrayList<>();
            for (int n = 0; n < 20 * KEYS; n++) {
                calls.add(client.incrementAsync(counter(n % KEYS), 1));
            }
            List<CompletableFuture<KvResult>> appends = appends(client);
            cluster.kill("s0");
            // Calls that were under way when their server died may overtake each other: each number once, in any order.
            Set<Long> expected = LongStream.rangeClosed(2, 21).boxed().collect(Collectors.toCollection(TreeSet::new));
            List<Set<Long>> numbers = new ArrayList<>();
            for (int n = 0; n < calls.size(); n++) {
                if (n < KEYS) {
                    numbers.add(new TreeSet<>());
                }
                long number = calls.get(n).get(60, TimeUnit.SECONDS).number();
                assertTrue(numbers.get(n % KEYS).add(number), "call " + n + " got " + number + ", as another did");
            }
            numbers.forEach(each -> assertEquals(expected, each));
            for (CompletableFuture<KvResult> append : appends) {
                assertArrayEquals(bytes("1"), append.get(60, TimeUnit.SECONDS).value());
            }
            for (CompletableFuture<KvResult> append : appends(client)) {
                assertArrayEquals(bytes("2"), append.get(60, TimeUnit.SECONDS).value(), "an append ran twice");
            }
            cluster.awaitText("s1", "recovered");
            cluster.awaitText("s2", "recovered");
            // Whoever of the three leads, one of these is it.
            for (String id : List.of("a", "b")) {
                cluster.kill(id);
                cluster.startCoordinator(id);
                for (int n = 0; n < KEYS; n++) {
                    client.increment(counter(n), 1);
                }
            }
            cluster.startServer("s0");
            for (int n = 0; n < KEYS; n++) {
                assertEquals(24, client.increment(counter(n), 1).number());
            }
        }
    }

    /** It is started on an empty directory, and heirs find an empty store there: neither may serve its ranges empty. */
    @Test
    @Order(3)
    void theRangesOfALostDirectoryAreServedOnlyWhenItIsBack() throws Exception {
        Path directory = cluster.directory("s1");
        Path lost = folder.resolve("lost");
        try (KvClient client = cluster.client()) {
            cluster.kill("s1");
            Files.move(directory, lost);
            cluster.startServer("s1");
            String said = cluster.awaitEnd("s1");
            assertTrue(said.contains("put a copy of the lost folder in its place"), said);
            assertTrue(Files.exists(directory.resolve("CURRENT")), "the store that it made anew");
            Awaitility.await("an heir refuses the empty store")
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> (cluster.text("s0") + cluster.text("s2"))
                            .contains("of the store with the calls of these ranges"));
            Files.move(directory, folder.resolve("empty"));
            Files.move(lost, directory);
            cluster.startServer("s1");
            for (int n = 0; n < KEYS; n++) {
                assertEquals(25, client.increment(counter(n), 1).number());
            }
        }
    }

    /** One call of the servers' own operation for each key, without waiting. */
    private static List<CompletableFuture<KvResult>> appends(KvClient client) {
        return IntStream.range(0, KEYS)
                .mapToObj(n -> client.callAsync(KvProcess.APPEND, bytes("text " + n), bytes("x")))
                .toList();
    }

    private static byte[] key(int n) {
        return bytes("key " + n);
    }

    private static byte[] counter(int n) {
        return bytes("counter " + n);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
