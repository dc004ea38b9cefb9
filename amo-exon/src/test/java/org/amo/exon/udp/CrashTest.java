package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.amo.exon.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows E7 and E12: nodes in processes of their own that are stopped and killed. */
@Timeout(1_200)
class CrashTest {
    @TempDir
    private Path folder;

    private static Set<String> received(Path folder) throws Exception {
        Set<String> once = new HashSet<>();
        for (String line : NodeProcess.lines(folder)) {
            if (line.matches("[0-9]+")) {
                assertTrue(once.add(line), "message " + line + " was delivered twice");
            }
        }
        return once;
    }

    private static long count(Path folder, String word) throws Exception {
        return NodeProcess.lines(folder).stream()
                .filter(line -> line.startsWith(word))
                .count();
    }

    @Test
    void aStoppedReceiverGetsEverythingOnceWhenItGoesOn() throws Exception {
        stopped(1);
    }

    @Test
    @Tag("slow")
    void aReceiverThatWasStoppedForTenMinutesGetsEverythingOnce() throws Exception {
        stopped(600);
    }

    private void stopped(int seconds) throws Exception {
        int port = NodeProcess.freePort();
        Map<Integer, Outcome> outcomes = new ConcurrentHashMap<>();
        try (NodeProcess receiver = NodeProcess.start(port, folder, 1, -1);
                ExonEndpoint sender = ExonEndpoint.open(
                        ExonEndpointOptions.builder(NodeProcess.TESTER, NodeProcess.SECRET)
                                .build(),
                        (from, message) -> {})) {
            sender.hint(NodeProcess.ID, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            int count = 4_000;
            for (int i = 0; i < count; i++) {
                int number = i;
                if (i == 1_000) {
                    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> outcomes.size() > 500);
                    receiver.signal("STOP");
                }
                CompletableFuture<Void> unused = sender.send(
                                NodeProcess.ID,
                                ByteBuffer.allocate(100).putInt(i).array(),
                                Duration.ofMinutes(15))
                        .thenAccept(outcome -> outcomes.put(number, outcome));
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            Awaitility.await().atMost(15, TimeUnit.MINUTES).until(() -> System.nanoTime() > end);
            assertTrue(outcomes.size() < count, "nothing was under way while it was stopped");
            receiver.signal("CONT");
            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> outcomes.size() == count);
            assertTrue(outcomes.values().stream().allMatch(outcome -> outcome == Outcome.DELIVERED));
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> received(folder).size() == count);
        }
    }

    @Test
    void aKilledReceiverNeverGetsAMessageTwiceAndTheSenderHearsWhatNobodyKnows() throws Exception {
        killedReceiver(1);
    }

    @Test
    @Tag("slow")
    void aReceiverThatIsKilledAHundredTimesNeverGetsAMessageTwice() throws Exception {
        killedReceiver(100);
    }

    private void killedReceiver(int kills) throws Exception {
        int port = NodeProcess.freePort();
        Random random = new Random(7);
        Map<Integer, Outcome> outcomes = new ConcurrentHashMap<>();
        int underWay = 2_000;
        Semaphore room = new Semaphore(underWay);
        int next = 0;
        try (ExonEndpoint sender = ExonEndpoint.open(
                ExonEndpointOptions.builder(NodeProcess.TESTER, NodeProcess.SECRET)
                        .build(),
                (from, message) -> {})) {
            sender.hint(NodeProcess.ID, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            for (int life = 0; life <= kills; life++) {
                try (NodeProcess receiver = NodeProcess.start(port, folder, 1, -1)) {
                    int before = received(folder).size();
                    int until = before + 200 + random.nextInt(1_000);
                    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                    while (received(folder).size() < until) {
                        assertTrue(System.nanoTime() < end && receiver.alive(), "life " + life + " receives nothing");
                        for (int i = 0; i < 200 && room.tryAcquire(10, TimeUnit.MILLISECONDS); i++) {
                            int number = next++;
                            CompletableFuture<Void> unused = sender.send(
                                            NodeProcess.ID,
                                            ByteBuffer.allocate(100)
                                                    .putInt(number)
                                                    .array(),
                                            Duration.ofMinutes(2))
                                    .thenAccept(outcome -> {
                                        outcomes.put(number, outcome);
                                        room.release();
                                    });
                        }
                    }
                    if (life == kills) {
                        int sent = next;
                        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> outcomes.size() == sent);
                    }
                }
            }
        }
        Set<String> received = received(folder);
        long unknown = outcomes.values().stream()
                .filter(outcome -> outcome == Outcome.UNKNOWN)
                .count();
        assertEquals(
                0, outcomes.values().stream().filter(o -> o == Outcome.NOT_SENT).count(), "the next life got it");
        long missing = outcomes.entrySet().stream()
                .filter(entry -> entry.getValue() == Outcome.DELIVERED && !received.contains("" + entry.getKey()))
                .count();
        assertEquals(0, missing, "delivered, and the application does not have them");
        // What is under way at a kill may become UNKNOWN, except at the last kill, when nothing is.
        assertTrue(unknown <= (long) underWay * kills, unknown + " of " + next + " unknown");
        assertTrue(received.size() + missing + unknown >= next, "none is lost without a word");
    }

    @Test
    void whatAKilledSenderSentArrivesAtMostOnceAndItsNextLifeIsHeard() throws Exception {
        killedSender(1);
    }

    @Test
    @Tag("slow")
    void whatASenderSentThatIsKilledAHundredTimesArrivesAtMostOnce() throws Exception {
        killedSender(100);
    }

    private void killedSender(int kills) throws Exception {
        Random random = new Random(8);
        Map<Integer, Integer> got = new ConcurrentHashMap<>();
        try (ExonEndpoint receiver = ExonEndpoint.open(
                ExonEndpointOptions.builder(NodeProcess.TESTER, NodeProcess.SECRET)
                        .build(),
                (from, message) -> got.merge(ByteBuffer.wrap(message).getInt(), 1, Integer::sum))) {
            int port = receiver.address().getPort();
            for (int life = 0; life <= kills; life++) {
                int before = got.size();
                int first = 1_000_000 * life;
                try (NodeProcess sender = NodeProcess.start(0, folder, port, first)) {
                    int wanted = before + 200 + random.nextInt(1_000);
                    Awaitility.await()
                            .atMost(60, TimeUnit.SECONDS)
                            .until(() -> got.size() >= wanted || !sender.alive());
                    assertTrue(got.containsKey(first), "life " + life + " is not heard");
                }
            }
        }
        List<Integer> twice = got.entrySet().stream()
                .filter(entry -> entry.getValue() > 1)
                .map(Map.Entry::getKey)
                .toList();
        assertEquals(List.of(), twice);
        assertEquals(kills + 1, count(folder, "up"));
    }
}
