package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.amo.base.observe.Observed;
import org.amo.exon.ExonOptions;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints on real sockets, without faults between them. */
@Timeout(60)
class ExonEndpointTest {
    static final NodeId A = new NodeId(1, 1);
    static final NodeId B = new NodeId(1, 2);

    private final List<ExonEndpoint> open = new ArrayList<>();

    @AfterEach
    void closeAll() {
        open.forEach(ExonEndpoint::close);
    }

    private ExonEndpoint endpoint(ExonEndpointOptions.Builder options, ExonReceiver receiver) throws Exception {
        ExonEndpoint endpoint = ExonEndpoint.open(options.build(), receiver);
        open.add(endpoint);
        return endpoint;
    }

    private static ExonEndpointOptions.Builder options(NodeId id) {
        return ExonEndpointOptions.builder(id, "a secret of tests").timeout(Duration.ofSeconds(30));
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aSecretThatCanBeGuessedIsRefused() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> ExonEndpointOptions.builder(A, "fifteen bytes..")
                        .build());
        assertTrue(refused.getMessage().contains("can be guessed"), refused.getMessage());
        assertEquals(
                A, ExonEndpointOptions.builder(A, "sixteen bytes...").build().id());
    }

    @Test
    void withoutAnAddressAnEndpointListensOnTheLoopback() throws Exception {
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        assertTrue(a.address().getAddress().isLoopbackAddress(), a.address().toString());
    }

    @Test
    void manyMessagesOfAllSizesArriveOnceEach() throws Exception {
        Map<String, Integer> got = new ConcurrentHashMap<>();
        ExonEndpoint b = endpoint(options(B), (from, message) -> {
            String key = new String(message, 0, 8, StandardCharsets.UTF_8) + message.length;
            got.merge(key, 1, Integer::sum);
        });
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        int count = 5_000;
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = i % 500 == 0 ? 1_000_000 - i : 8 + i % 3_000;
            byte[] message = new byte[length];
            byte[] name = text(String.format("%08d", i));
            System.arraycopy(name, 0, message, 0, 8);
            outcomes.add(a.send(B, message));
        }
        for (CompletableFuture<Outcome> outcome : outcomes) {
            assertEquals(Outcome.DELIVERED, outcome.get(30, TimeUnit.SECONDS));
        }
        Awaitility.await().until(() -> got.size() == count);
        assertTrue(got.values().stream().allMatch(times -> times == 1), "one came twice");
        assertEquals(0, a.pendingBytes());
    }

    /** The receiver would keep room for a sender that is gone, for minutes at least. */
    @Test
    void anEndpointThatClosesGivesItsSlotsBack() throws Exception {
        ExonEndpoint b = endpoint(options(B), (from, message) -> {});
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        assertEquals(Outcome.DELIVERED, a.send(B, text("one")).get(30, TimeUnit.SECONDS));
        assertTrue(b.figures().get(5, TimeUnit.SECONDS).openSlots() > 0);
        a.close();
        Awaitility.await().until(() -> b.figures().get(5, TimeUnit.SECONDS).openSlots() == 0);
    }

    @Test
    void requestsGetTheirRepliesAndFailuresTheirReason() throws Exception {
        ExonEndpoint b = endpoint(options(B), new ExonReceiver() {
            @Override
            public void onMessage(NodeId from, byte[] message) {}

            @Override
            public byte[] onRequest(NodeId from, byte[] request) {
                String asked = new String(request, StandardCharsets.UTF_8);
                if (asked.equals("fail")) {
                    throw new IllegalStateException("as you wish");
                }
                if (asked.equals("long")) {
                    return new byte[ExonOptions.builder().build().maxMessageBytes()];
                }
                return text("re " + asked);
            }
        });
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        List<CompletableFuture<byte[]>> replies = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            replies.add(a.request(B, text("q" + i), Duration.ofSeconds(30)));
        }
        for (int i = 0; i < 500; i++) {
            assertArrayEquals(text("re q" + i), replies.get(i).get(30, TimeUnit.SECONDS));
        }
        ExecutionException failed =
                assertThrows(ExecutionException.class, () -> a.request(B, text("fail"), Duration.ofSeconds(30))
                        .get(30, TimeUnit.SECONDS));
        assertTrue(failed.getCause().getMessage().contains("as you wish"), failed.toString());
        ExecutionException tooLong =
                assertThrows(ExecutionException.class, () -> a.request(B, text("long"), Duration.ofSeconds(30))
                        .get(30, TimeUnit.SECONDS));
        assertTrue(tooLong.getCause().getMessage().contains("a message has at most"), tooLong.toString());
    }

    /** A reply that finds no room is lost. Its request ran once, and the requester is told nothing that is not so. */
    @Test
    void aReplyBeyondTheRoomForAllNodesLeavesItsRequestUnknown() throws Exception {
        ExonOptions limits = ExonOptions.builder()
                .maxMessageBytes(4_000)
                .maxQueuedBytes(16_000)
                .maxQueuedBytesInAll(9_000)
                .build();
        AtomicInteger ran = new AtomicInteger();
        ExonEndpoint b = endpoint(options(B).core(limits).window(8_000), new ExonReceiver() {
            @Override
            public void onMessage(NodeId from, byte[] message) {}

            @Override
            public byte[] onRequest(NodeId from, byte[] request) {
                ran.incrementAndGet();
                return new byte[3_000];
            }
        });
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        for (int silent = 3; silent <= 4; silent++) {
            CompletableFuture<Outcome> unused = b.send(new NodeId(1, silent), new byte[3_900]);
        }
        ExecutionException lost =
                assertThrows(ExecutionException.class, () -> a.request(B, text("q"), Duration.ofSeconds(2))
                        .get(30, TimeUnit.SECONDS));
        assertEquals(Outcome.UNKNOWN, ((ExonException) lost.getCause()).outcome(), lost.toString());
        assertTrue(((ExonException) lost.getCause()).mayHaveRun());
        assertFalse(new ExonException(Outcome.NOT_SENT, "test").mayHaveRun());
        assertEquals(1, ran.get());
        CompletableFuture<Outcome> refused = b.send(A, new byte[3_000]);
        assertEquals(Outcome.NOT_SENT, refused.get(30, TimeUnit.SECONDS));
    }

    /** The message may be half done: neither DELIVERED nor NOT_SENT is true. No other message suffers. */
    @Test
    void aMessageAtWhichTheReceiverThrowsIsUnknown() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        ExonEndpoint b = endpoint(options(B), (from, message) -> {
            calls.incrementAndGet();
            if (message.length == 1) {
                throw new IllegalStateException("planted");
            }
        });
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            outcomes.add(a.send(B, new byte[i % 2]));
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(
                    i % 2 == 0 ? Outcome.DELIVERED : Outcome.UNKNOWN,
                    outcomes.get(i).get(30, TimeUnit.SECONDS));
        }
        assertEquals(100, calls.get());
    }

    /** What it says of a receiver that never returns, in each mode. */
    @Test
    void deliveredMeansWhatTheReceiverChose(@TempDir Path folder) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        ExonReceiver stands = (from, message) -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        NodeId c = new NodeId(1, 3);
        NodeId d = new NodeId(1, 4);
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, endpoint(options(B), stands).address());
        a.hint(c, endpoint(options(c).deliveredAtReceipt(), stands).address());
        a.hint(
                d,
                endpoint(options(d).clockFile(folder.resolve("clock")).durableInbox(folder.resolve("inbox")), stands)
                        .address());
        CompletableFuture<Outcome> atHandOver = a.send(B, text("m"));
        assertEquals(Outcome.DELIVERED, a.send(c, text("m")).get(30, TimeUnit.SECONDS));
        assertEquals(Outcome.DELIVERED, a.send(d, text("m")).get(30, TimeUnit.SECONDS));
        assertFalse(atHandOver.isDone());
        go.countDown();
        assertEquals(Outcome.DELIVERED, atHandOver.get(30, TimeUnit.SECONDS));
    }

    /** With the same position, in order, until it returns; also to the next process. */
    @Test
    void aMessageOfTheInboxComesAgainUntilTheReceiverReturns(@TempDir Path folder) throws Exception {
        List<String> calls = new CopyOnWriteArrayList<>();
        AtomicInteger failures = new AtomicInteger(1);
        ExonReceiver receiver = new ExonReceiver() {
            @Override
            public void onMessage(NodeId from, byte[] message) {}

            @Override
            public void onKept(long position, NodeId from, byte[] message) {
                calls.add(position + new String(message, StandardCharsets.UTF_8));
                if (failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("planted");
                }
            }

            @Override
            public byte[] onRequest(NodeId from, byte[] request) {
                return request;
            }
        };
        ExonEndpointOptions.Builder kept =
                options(B).clockFile(folder.resolve("clock")).durableInbox(folder.resolve("inbox"));
        ExonEndpoint b = endpoint(kept, receiver);
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        for (String name : List.of("x", "y")) {
            assertEquals(Outcome.DELIVERED, a.send(B, text(name)).get(30, TimeUnit.SECONDS));
        }
        Awaitility.await().until(() -> calls.size() == 3);
        assertEquals(calls.get(0), calls.get(1));
        assertArrayEquals(
                text("q"), a.request(B, text("q"), Duration.ofSeconds(30)).get(30, TimeUnit.SECONDS));
        failures.set(Integer.MAX_VALUE);
        assertEquals(Outcome.DELIVERED, a.send(B, text("z")).get(30, TimeUnit.SECONDS));
        Awaitility.await().until(() -> calls.size() >= 4);
        b.close();
        failures.set(0);
        String last = calls.get(calls.size() - 1);
        int before = calls.size();
        endpoint(kept, receiver);
        Awaitility.await().until(() -> calls.size() > before);
        assertEquals(last, calls.get(calls.size() - 1));
    }

    @Test
    void anInboxIsFreeOnceItsEndpointHasClosed(@TempDir Path folder) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        ExonReceiver receiver = (from, message) -> {
            entered.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        ExonEndpointOptions.Builder kept =
                options(B).clockFile(folder.resolve("clock")).durableInbox(folder.resolve("inbox"));
        ExonEndpoint b = endpoint(kept, receiver);
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        assertEquals(Outcome.DELIVERED, a.send(B, text("x")).get(30, TimeUnit.SECONDS));
        assertTrue(entered.await(30, TimeUnit.SECONDS));
        CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS).execute(released::countDown);
        b.close();
        assertEquals(0, released.getCount());
        endpoint(kept, receiver);
    }

    @Test
    void anInboxNeedsAClockFileAndAThread(@TempDir Path folder) {
        ExonEndpointOptions.Builder without = options(A).durableInbox(folder);
        assertThrows(IllegalArgumentException.class, without::build);
        ExonEndpointOptions.Builder inLoop = options(A)
                .durableInbox(folder)
                .clockFile(folder.resolve("clock"))
                .deliverInLoop();
        assertThrows(IllegalArgumentException.class, inLoop::build);
        assertEquals(DeliveredAt.HAND_OVER, options(A).build().deliveredAt());
    }

    @Test
    void theRoomForAllNodesFollowsTheHeap() {
        long heap = Runtime.getRuntime().maxMemory();
        assertEquals(Math.max(32L << 20, heap / 8), options(A).build().core().maxQueuedBytesInAll());
    }

    /** A node that sends rubbish must not fill the log. */
    @Test
    void messagesOfUnknownKindsAreLoggedOnce() throws Exception {
        AtomicInteger got = new AtomicInteger();
        ExonEndpoint b = endpoint(options(B), (from, message) -> got.incrementAndGet());
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger(Requests.class.getName());
        log.addHandler(handler);
        try {
            List<CompletableFuture<Outcome>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                CompletableFuture<Outcome> outcome = new CompletableFuture<>();
                a.post(B, new byte[] {99}, Duration.ofSeconds(30), true, outcome::complete);
                sent.add(outcome);
            }
            for (CompletableFuture<Outcome> outcome : sent) {
                assertEquals(Outcome.DELIVERED, outcome.get(30, TimeUnit.SECONDS));
            }
            assertEquals(Outcome.DELIVERED, a.send(B, new byte[1]).get(30, TimeUnit.SECONDS));
            Awaitility.await().until(() -> got.get() == 1);
        } finally {
            log.removeHandler(handler);
        }
        assertEquals(1, lines.size(), lines.toString());
    }

    /** The reply's continuation runs where the next request is sent, and whoever would have to wait there is told so at once. */
    @Test
    void withDeliveryInTheLoopCallsStayInItAndNobodyWaits() throws Exception {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        ExonEndpoint b = endpoint(options(B).deliverInLoop(), new ExonReceiver() {
            @Override
            public void onMessage(NodeId from, byte[] message) {}

            @Override
            public byte[] onRequest(NodeId from, byte[] request) {
                threads.add("b " + Thread.currentThread().getName());
                return request;
            }
        });
        ExonOptions core = ExonOptions.builder().build();
        ExonEndpoint a = endpoint(
                options(A).core(core).window(core.maxMessageBytes() + 16).deliverInLoop(), (from, message) -> {});
        a.hint(B, b.address());
        CompletableFuture<Outcome> second = new CompletableFuture<>();
        chain(a, 300, () -> {
            threads.add("a " + Thread.currentThread().getName());
            byte[] large = new byte[600_000];
            CompletableFuture<Outcome> unused = a.send(new NodeId(1, 3), large);
            unused = a.send(new NodeId(1, 3), large).whenComplete((outcome, cause) -> second.complete(outcome));
        });
        assertEquals(Outcome.NOT_SENT, second.get(10, TimeUnit.SECONDS));
        assertEquals(2, threads.size(), threads::toString);
        assertTrue(threads.stream().noneMatch(name -> name.contains("deliver")), threads::toString);
    }

    private static void chain(ExonEndpoint from, int calls, Runnable last) {
        CompletableFuture<Void> unused = from.request(B, text("q" + calls), Duration.ofSeconds(30))
                .thenAccept(reply -> {
                    if (calls > 1) {
                        chain(from, calls - 1, last);
                    } else {
                        last.run();
                    }
                });
    }

    @Test
    void aMessageToNobodyIsNotSentAtItsDeadline() throws Exception {
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        assertEquals(
                Outcome.NOT_SENT,
                a.send(B, text("hello"), Duration.ofMillis(200)).get(10, TimeUnit.SECONDS));
    }

    /** It would never have an outcome, and keep its place in the window. */
    @Test
    void aMessageToTheNodeItselfIsRefusedAtOnce() throws Exception {
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        assertThrows(IllegalArgumentException.class, () -> a.send(A, text("hello")));
        assertThrows(IllegalArgumentException.class, () -> a.request(A, text("hello"), Duration.ofSeconds(30)));
        assertEquals(0, a.pendingBytes());
        assertTrue(a.close(Duration.ofSeconds(20)));
    }

    @Test
    void whoDoesNotKnowTheSecretLeavesNoTrace() throws Exception {
        ExonEndpoint b = endpoint(options(B), (from, message) -> {});
        ExonEndpoint stranger =
                endpoint(ExonEndpointOptions.builder(A, "another secret of tests"), (from, message) -> {});
        stranger.hint(B, b.address());
        assertEquals(
                Outcome.NOT_SENT,
                stranger.send(B, text("hello"), Duration.ofMillis(500)).get(10, TimeUnit.SECONDS));
        ExonFigures figures = b.figures().get(5, TimeUnit.SECONDS);
        assertTrue(figures.unauthentic() > 0, figures::toString);
        assertEquals(0, figures.peers(), figures::toString);
    }

    @Test
    void monitoringSeesDeliveriesDropsAndTheEnd() throws Exception {
        ExonEndpoint b = endpoint(options(B), (from, message) -> {});
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        assertEquals(Outcome.DELIVERED, a.send(B, text("hello")).get(10, TimeUnit.SECONDS));
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.send(new DatagramPacket(new byte[100], 100, b.address()));
        }
        Observed observed = b.observed();
        Awaitility.await()
                .until(() -> reading(observed, "amo_exon_dropped_total.UNAUTHENTIC")
                                + reading(observed, "amo_exon_dropped_total.MALFORMED")
                        == 1);
        assertEquals(1, reading(observed, "amo_exon_delivered_total"));
        assertEquals(1, reading(observed, "amo_exon_peers"));
        assertTrue(observed.readiness().isReady());
        assertTrue(
                observed.statusJson().startsWith("{\"id\":\"" + B + "\",\"amo_exon_delivered_total\":1,"),
                observed::statusJson);
        b.close();
        assertFalse(observed.readiness().isReady());
        assertEquals(1, reading(observed, "amo_exon_delivered_total"), "the latest numbers stay");
    }

    private static long reading(Observed observed, String name) {
        return observed.readings().stream()
                .filter(each -> each.fullName().equals(name))
                .mapToLong(each -> each.value().longValue())
                .sum();
    }

    /** Row E15. */
    @Test
    void aStoppedReceiverHoldsTheSenderBackAndLosesNothing() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Map<String, Integer> got = new ConcurrentHashMap<>();
        ExonOptions core = ExonOptions.builder()
                .maxMessageBytes(100_000)
                .maxSlots(256, 512)
                .standbySlots(8, 64)
                .maxQueuedBytes(400_000)
                .build();
        ExonEndpoint b = endpoint(options(B).core(core).window(200_000), (from, message) -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            got.merge(new String(message, 0, 8, StandardCharsets.UTF_8), 1, Integer::sum);
        });
        ExonEndpoint a = endpoint(options(A).core(core).window(200_000), (from, message) -> {});
        a.hint(B, b.address());
        int count = 2_000;
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        Thread sender = new Thread(() -> {
            for (int i = 0; i < count; i++) {
                byte[] message = new byte[1_000];
                System.arraycopy(text(String.format("%08d", i)), 0, message, 0, 8);
                CompletableFuture<Outcome> outcome = a.send(B, message);
                synchronized (outcomes) {
                    outcomes.add(outcome);
                }
            }
        });
        sender.setDaemon(true);
        sender.start();
        // A full window opens again when an eighth of it is free.
        Awaitility.await().until(() -> a.pendingBytes() > 170_000);
        ExonFigures held = b.figures().get(5, TimeUnit.SECONDS);
        assertTrue(held.heldUnits() + held.openSlots() <= 512, held::toString);
        assertTrue(sender.isAlive(), "the sender waits");
        go.countDown();
        sender.join(30_000);
        assertEquals(count, outcomes.size());
        for (CompletableFuture<Outcome> outcome : outcomes) {
            assertEquals(Outcome.DELIVERED, outcome.get(30, TimeUnit.SECONDS));
        }
        Awaitility.await().until(() -> got.size() == count);
        assertTrue(got.values().stream().allMatch(times -> times == 1), "one came twice");
    }

    /** A disk that was full for a while: the node asks for a bound once, so that the endpoint must not forget it. */
    @Test
    void aNodeWhoseClockCouldNotBeStoredGoesOnWhenItCan(@TempDir Path folder) throws Exception {
        ExonEndpoint b = endpoint(options(B), (from, message) -> {});
        ExonOptions core = ExonOptions.builder().clockRange(4).build();
        ExonEndpoint a = endpoint(options(A).core(core).clockFile(folder.resolve("clock")), (from, message) -> {});
        a.hint(B, b.address());
        Path obstacle = Files.createDirectory(folder.resolve("clock.new"));
        Outcome last = Outcome.DELIVERED;
        for (int i = 0; last == Outcome.DELIVERED; i++) {
            assertTrue(i < 1_000, "more messages than clock values");
            last = a.send(B, text("m" + i), Duration.ofSeconds(1)).get(10, TimeUnit.SECONDS);
        }
        assertEquals(Outcome.NOT_SENT, last);
        Files.delete(obstacle);
        assertEquals(Outcome.DELIVERED, a.send(B, text("again")).get(40, TimeUnit.SECONDS));
    }

    /** Also those that the loop had not taken. */
    @Test
    void everyMessageHasAnOutcomeOnceTheEndpointIsClosed() throws Exception {
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        CountDownLatch stands = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        // Outcomes complete in the loop: it stands still in this one, while messages gather.
        CompletableFuture<Void> unused = a.send(B, text("first"), Duration.ofMillis(200))
                .thenRun(() -> {
                    stands.countDown();
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        assertTrue(stands.await(10, TimeUnit.SECONDS));
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            outcomes.add(a.send(B, new byte[0]));
        }
        CompletableFuture<ExonFigures> figures = a.figures();
        Thread closer = new Thread(a::close);
        closer.setDaemon(true);
        closer.start();
        // From the moment on at which it closes, a message is NOT_SENT at once.
        Awaitility.await().until(() -> a.send(B, new byte[0]).isDone());
        go.countDown();
        closer.join(30_000);
        assertFalse(closer.isAlive());
        for (CompletableFuture<Outcome> outcome : outcomes) {
            assertNotEquals(Outcome.DELIVERED, outcome.get(10, TimeUnit.SECONDS));
        }
        assertEquals(0, a.pendingBytes());
        assertTrue(figures.isDone());
        assertThrows(ExecutionException.class, () -> a.figures().get(10, TimeUnit.SECONDS));
    }

    @Test
    void closingWithFlushWaitsForTheOutcomes() throws Exception {
        ExonEndpoint b = endpoint(options(B), (from, message) -> {});
        ExonEndpoint a = endpoint(options(A), (from, message) -> {});
        a.hint(B, b.address());
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            outcomes.add(a.send(B, text("m" + i)));
        }
        assertTrue(a.close(Duration.ofSeconds(20)));
        for (CompletableFuture<Outcome> outcome : outcomes) {
            assertEquals(Outcome.DELIVERED, outcome.get(1, TimeUnit.SECONDS));
        }
    }
}
