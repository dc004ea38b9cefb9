package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

/**
 * Disks that are lost while the service runs: three servers with two backups each, of three, every one a process that is killed
 * with its disk. One coordinator: its group has tests of its own. One cluster bears all tests.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(600)
final class KvBackupsTest {
    private static final int KEYS = 16;

    @TempDir
    private static Path folder = Path.of("unset");

    private static KvCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new KvCluster(folder, 120_000, 3, 4_000, Optional.of(KvCluster.SECRET), 1, 2);
        for (String backup : List.of("b0", "b1", "b2")) {
            cluster.startBackup(backup);
        }
        cluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    @Order(1)
    void noAnsweredCallIsLostWithAServersDisk() throws Exception {
        try (Ledger ledger = new Ledger("one")) {
            ledger.awaitAnswers(200);
            cluster.kill("s0");
            cluster.deleteDisk("s0");
            cluster.startServer("s0");
            ledger.awaitAnswers(200);
        }
    }

    /** As many disks as there are copies, at once. The backup has lost its logs, and is no holder of any when it comes back. */
    @Test
    @Order(2)
    void noAnsweredCallIsLostWithTheDisksOfAServerAndOfABackup() throws Exception {
        try (Ledger ledger = new Ledger("two")) {
            ledger.awaitAnswers(200);
            cluster.kill("s1");
            cluster.kill("b0");
            cluster.deleteDisk("s1");
            cluster.deleteDisk("b0");
            cluster.startBackup("b0");
            cluster.startServer("s1");
            ledger.awaitAnswers(200);
        }
    }

    /** It still holds its connections and the lock of a folder that is gone, and its port: the new one has another. */
    @Test
    @Order(3)
    void aServerWhoseFolderIsDeletedUnderItGivesWayToTheNextProcess() throws Exception {
        try (Ledger ledger = new Ledger("three")) {
            ledger.awaitAnswers(200);
            cluster.deleteDisk("s2");
            cluster.startBeside("s2");
            ledger.awaitAnswers(200);
        }
        assertTrue(cluster.awaitEndOfFirst("s2").contains("has begun since"));
    }

    /** Row R9: its completion records move with its objects, and no call fails. */
    @Test
    @Order(4)
    void tabletsMoveUnderLoadWithoutAFailedCall() throws Exception {
        try (Ledger ledger = new Ledger("moves");
                CoordinatorClient coordinator = new CoordinatorClient(cluster.access())) {
            ledger.awaitAnswers(200);
            for (String to : List.of("s0", "s1")) {
                int there = cluster.port(to);
                int count = places(coordinator).size();
                for (int range = 0; range < count; range++) {
                    int number = range;
                    Awaitility.await("range " + number + " moves to " + to)
                            .atMost(Duration.ofMinutes(2))
                            .until(() -> places(coordinator).get(number).port() == there
                                    || coordinator.move(number, to).join());
                }
                Awaitility.await("all ranges are at " + to)
                        .atMost(Duration.ofMinutes(2))
                        .until(() -> places(coordinator).stream().allMatch(each -> each.port() == there));
                ledger.awaitAnswers(200);
            }
        }
        assertTrue(cluster.text("s0").contains("recovered"));
    }

    private static List<TabletMap.Place> places(CoordinatorClient coordinator) {
        return coordinator.map().join().places();
    }

    /** Increments of each counter without end, and the numbers that were answered. */
    private static final class Ledger implements AutoCloseable {
        private final String name;
        private final KvClient client = cluster.client();
        private final AtomicBoolean ends = new AtomicBoolean();
        private final AtomicInteger answers = new AtomicInteger();
        private final List<List<Long>> numbers = new ArrayList<>();
        private final List<CompletableFuture<Void>> counters;

        /** At full speed the calls would take the processors from the processes that start. */
        private final Executor pace = CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS, Runnable::run);

        Ledger(String name) {
            this.name = name;
            IntStream.range(0, KEYS).forEach(key -> numbers.add(new ArrayList<>()));
            counters = IntStream.range(0, KEYS).mapToObj(this::count).toList();
        }

        private CompletableFuture<Void> count(int key) {
            return client.incrementAsync(counter(key), 1)
                    .thenComposeAsync(
                            result -> {
                                numbers.get(key).add(result.number());
                                answers.incrementAndGet();
                                return ends.get() ? CompletableFuture.completedFuture(null) : count(key);
                            },
                            pace);
        }

        private byte[] counter(int key) {
            return (name + " " + key).getBytes(StandardCharsets.UTF_8);
        }

        /** So many more. */
        void awaitAnswers(int more) {
            int target = answers.get() + more;
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> answers.get() >= target);
        }

        /** Each number once and in order: an increment that was lost, or ran twice, breaks it. */
        @Override
        public void close() {
            ends.set(true);
            for (int key = 0; key < KEYS; key++) {
                counters.get(key).orTimeout(2, TimeUnit.MINUTES).join();
                List<Long> expected = LongStream.rangeClosed(1, numbers.get(key).size())
                        .boxed()
                        .toList();
                assertEquals(expected, numbers.get(key), name + " " + key);
                assertEquals(
                        expected.size() + 1L, client.increment(counter(key), 1).number());
            }
            client.close();
        }
    }
}
