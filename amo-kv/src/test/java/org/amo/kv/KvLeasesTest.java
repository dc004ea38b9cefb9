package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.StoreException;
import org.amo.testkit.fault.FaultCommands;
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
 * Leases by real coordinators, whose wall clocks are an hour ahead, an hour behind and right. The server is in this
 * process, so that the test sees what it keeps; it reads no wall clock, nor does a client. One cluster bears all tests.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(600)
final class KvLeasesTest {
    private static final long TERM = 6_000;
    private static final long DEAD_AFTER = 3_000;
    private static final long HOUR = 3_600_000;

    @TempDir
    private static Path folder = Path.of("unset");

    private static KvCluster cluster;
    private static HoldingProxy proxy;
    private static KvServer server;

    @BeforeAll
    static void start() throws Exception {
        cluster = new KvCluster(folder, TERM, 1, DEAD_AFTER, Optional.empty());
        cluster.startCoordinator("a", clock(HOUR));
        cluster.startCoordinator("b", clock(-HOUR));
        cluster.startCoordinator("c");
        proxy = new HoldingProxy(cluster.port("s0"));
        server = startServer(Optional.empty());
    }

    /** The option of a coordinator whose wall clock is off by so much. */
    private static String clock(long aheadMillis) throws IOException {
        FaultCommands commands = new FaultCommands(folder.resolve("clock" + aheadMillis));
        commands.clock(aheadMillis);
        return "-Damo.faultFile=" + commands.file();
    }

    private static KvServer startServer(Optional<String> lostStore) {
        KvServer.Options options = KvServer.Options.builder("s0", cluster.directory("s0"))
                .listen("127.0.0.1", cluster.port("s0"))
                .advertisedPort(proxy.port())
                .lostStore(lostStore)
                .build();
        return KvServer.start(options, cluster.access(), why -> System.err.println("the server ended: " + why));
    }

    @AfterAll
    static void stop() {
        try {
            server.close();
            proxy.close();
        } finally {
            cluster.close();
        }
    }

    /** Rows R12, R13 and R18. */
    @Test
    @Order(2)
    void aDeadClientsRecordsVanishAfterItsLeaseAndALiveOnesStayWhateverTheCoordinatorsDo() throws Exception {
        awaitKept(0); // those of the test before
        try (CoordinatorClient coordinator = new CoordinatorClient(cluster.access());
                KvClient live = cluster.client()) {
            live.increment(bytes("live"), 1);
            Optional<LeaseId> lease = live.lease();
            KvClient dead = cluster.client();
            long opened = System.nanoTime();
            dead.increment(bytes("dead"), 1);
            assertEquals(2, clientsKept());
            dead.close();
            awaitKept(1);
            // Its lease was opened later than this clock was read, less what the group's clock is slewed by.
            long lasted = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - opened);
            assertTrue(lasted >= TERM - TERM / 100 - 1_000, "its records were gone after " + lasted + " ms");

            ClusterTime before = time(coordinator);
            for (String id : cluster.coordinators()) {
                cluster.kill(id);
                cluster.startCoordinator(id, clock(HOUR));
                assertEquals(2, live.increment(bytes("live"), 0).number() + 1, "after " + id);
            }
            // All were killed: now all clocks are an hour ahead of what the group had counted on.
            for (String id : cluster.coordinators()) {
                cluster.kill(id);
            }
            for (String id : cluster.coordinators()) {
                cluster.startCoordinator(id, clock(HOUR));
            }
            ClusterTime after = time(coordinator);
            assertTrue(after.isAfter(before), before + " then " + after);
            assertTrue(after.millis() - before.millis() < 3_000_000, "an hour was counted: " + before + " " + after);
            assertEquals(2, live.increment(bytes("live"), 1).number());
            assertEquals(lease, live.lease(), "the lease was lost");
            assertEquals(1, clientsKept());
            Awaitility.await("the result of the last call is the only record")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> live.records().equals(new KvClient.Records(1, 1, 0)));
        }
    }

    /**
     * Row R17, section I: a first write is held up in the network, repeated, answered; then others write; then the first
     * one arrives.
     */
    @Test
    @Order(1)
    void theBankAFirstWriteThatWasHeldUpDoesNotOverwrite() throws Exception {
        try (KvClient first = cluster.client();
                KvClient second = cluster.client()) {
            byte[] account = bytes("account");
            first.read(account);
            second.read(account);
            // The reads were answered: the next bytes that leave are the write's.
            proxy.holdNext();
            CompletableFuture<KvResult> deposit = first.writeAsync(account, bytes("100"));
            proxy.awaitHeld();
            long version = deposit.get(60, TimeUnit.SECONDS).version();
            assertTrue(first.resent() > 0, "the first copy was not held up");
            assertEquals(
                    KvResult.Status.DONE,
                    second.conditionalWrite(account, version, bytes("30")).status());
            long copies = server.copies();
            proxy.release();
            Awaitility.await().until(() -> server.copies() == copies + 1);
            // The store has one queue: this is answered after the late copy was.
            assertEquals("30", text(second.read(account)));
            assertEquals(2, clientsKept());
        }
    }

    /** No lease, but a cluster of one server: no other one may recover its ranges meanwhile. */
    @Test
    @Order(3)
    void aServerWithoutItsDirectoryServesOnlyWhenItsCallsAreGivenUp() throws Exception {
        Path directory = cluster.directory("s0");
        Path lost = folder.resolve("lost");
        byte[] counter = bytes("counter");
        try (KvClient client = cluster.client()) {
            assertEquals(1, client.increment(counter, 1).number());
            server.close();
            Files.move(directory, lost);
            StoreException e = assertThrows(StoreException.class, () -> startServer(Optional.empty()));
            String message = String.valueOf(e.getMessage());
            assertTrue(message.contains(directory.toString()) && message.contains("--give-up "), message);
            // The empty store that this start made is refused, too.
            assertThrows(StoreException.class, () -> startServer(Optional.empty()));
            Files.move(directory, folder.resolve("empty"));
            Files.move(lost, directory);
            server = startServer(Optional.empty());
            assertEquals(2, client.increment(counter, 1).number());
            server.close();
            Files.move(directory, lost);
            server = startServer(Optional.of(message.substring(message.lastIndexOf(' ') + 1)));
            assertEquals(1, client.increment(counter, 1).number());
        }
    }

    /** A takeover that reads a large directory holds up the store's thread, and a silent server loses its ranges to an heir. */
    @Test
    @Order(4)
    void aServerWhoseStoreIsBusyBeatsOn() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        String elsewhere = folder.resolve("elsewhere").toString();
        try (CoordinatorClient coordinator = new CoordinatorClient(cluster.access())) {
            coordinator
                    .begin("s1", "127.0.0.1", 1, elsewhere, "0123456789abcdef", Optional.empty())
                    .join();
            AtomicBoolean held = new AtomicBoolean();
            Awaitility.await().until(() -> holds(held, busy));
            ClusterTime end = new ClusterTime(time(coordinator).millis() + 2 * DEAD_AFTER);
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
                assertEquals(
                        List.of(),
                        coordinator
                                .beat("s1", "127.0.0.1", 1, elsewhere, 1)
                                .join()
                                .inherited());
                return time(coordinator).isAfter(end);
            });
        } finally {
            busy.countDown();
        }
    }

    /** @return whether the store's thread waits; the stage of a status that was there before it runs in this thread */
    private static boolean holds(AtomicBoolean held, CountDownLatch busy) {
        Thread caller = Thread.currentThread();
        CompletableFuture<Void> unused = server.status().thenAccept(status -> {
            if (Thread.currentThread() != caller) {
                held.set(true);
                awaitHere(busy);
            }
        });
        return held.get();
    }

    private static void awaitHere(CountDownLatch latch) {
        try {
            assertTrue(latch.await(2, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int clientsKept() {
        return server.status().join().clients();
    }

    private static void awaitKept(int clients) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> clientsKept() == clients);
    }

    private static ClusterTime time(CoordinatorClient coordinator) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .ignoreExceptions()
                .until(() -> coordinator.time().join(), time -> true);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(KvResult result) {
        return new String(result.value(), StandardCharsets.UTF_8);
    }
}
