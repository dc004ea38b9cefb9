package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The wire page is enough for another implementation: a node in Python that follows docs/wire/exon.md exchanges messages with Java
 * nodes through a network that loses, doubles and reorders datagrams.
 */
@Timeout(120)
class SecondImplementationTest {
    private static final NodeId JAVA = NodeProcess.TESTER;

    @TempDir
    private Path folder;

    @BeforeAll
    static void pythonIsThere() throws Exception {
        assumeTrue(PythonNode.isThere(), "python3 is not installed: the second implementation is not tested");
    }

    private static int freePort() throws Exception {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static ExonEndpoint endpoint(Map<Integer, Integer> got) throws Exception {
        return ExonEndpoint.open(
                ExonEndpointOptions.builder(JAVA, NodeProcess.SECRET)
                        .timeout(Duration.ofSeconds(60))
                        .build(),
                (from, message) -> got.merge(ByteBuffer.wrap(message).getInt(), 1, Integer::sum));
    }

    /** Each tenth takes several slots. */
    private static byte[] message(int number) {
        return ByteBuffer.allocate(number % 10 == 0 ? 4_000 : 80).putInt(number).array();
    }

    private static List<CompletableFuture<Outcome>> send(ExonEndpoint from, int first, int count) {
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            outcomes.add(from.send(PythonNode.ID, message(i)));
        }
        return outcomes;
    }

    @Test
    void messagesAndRequestsBothWaysArriveOnceThroughABadNetwork() throws Exception {
        int port = freePort();
        int count = 300;
        Map<Integer, Integer> got = new ConcurrentHashMap<>();
        try (LossyRelay relay = new LossyRelay(loopback(port), 7).faults(0.15, 0.15, 0.2);
                ExonEndpoint java = endpoint(got);
                PythonNode python = PythonNode.sender(
                        folder, port, JAVA, relay.seenByServer().getPort(), 5_000, count)) {
            java.hint(PythonNode.ID, relay.address());
            List<CompletableFuture<Outcome>> outcomes = send(java, 0, count);
            for (int i = 0; i < 20; i++) {
                byte[] request = {(byte) i, 1, 2};
                byte[] reply = java.request(PythonNode.ID, request, Duration.ofSeconds(60))
                        .get(60, TimeUnit.SECONDS);
                assertArrayEquals(request, reply);
            }
            for (CompletableFuture<Outcome> outcome : outcomes) {
                assertEquals(Outcome.DELIVERED, outcome.get(60, TimeUnit.SECONDS));
            }
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> PythonNode.outcomes(folder).size() == count);
            assertEquals(
                    Set.of("DELIVERED"), Set.copyOf(PythonNode.outcomes(folder).values()));
            assertEquals(count, got.size());
            assertTrue(got.values().stream().allMatch(times -> times == 1), "one came twice");
            assertEquals(count, PythonNode.once(folder, "got").size());
            assertEquals(20, PythonNode.once(folder, "asked").size());
            assertTrue(python.alive());
            assertEquals("", PythonNode.printed(folder));
            assertEquals(0, java.figures().get(5, TimeUnit.SECONDS).malformed());
            assertEquals(0, java.figures().get(5, TimeUnit.SECONDS).unauthentic());
        }
    }

    @Test
    void outcomesAreTrueWhenThePythonNodeIsKilledAmongMessages() throws Exception {
        int port = freePort();
        int count = 600;
        try (LossyRelay relay = new LossyRelay(loopback(port), 8).faults(0.1, 0.1, 0.2);
                ExonEndpoint java = endpoint(new ConcurrentHashMap<>())) {
            java.hint(PythonNode.ID, relay.address());
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            try (PythonNode first = PythonNode.receiver(folder, port)) {
                outcomes.addAll(send(java, 0, count));
                Awaitility.await()
                        .atMost(60, TimeUnit.SECONDS)
                        .until(() -> PythonNode.once(folder, "got").size() > 100);
                assertTrue(first.alive());
            }
            try (PythonNode second = PythonNode.receiver(folder, port)) {
                assertTrueOutcomes(outcomes);
                untilOneIsDelivered(java);
                for (CompletableFuture<Outcome> outcome : send(java, count, 100)) {
                    assertEquals(Outcome.DELIVERED, outcome.get(60, TimeUnit.SECONDS));
                }
                assertTrue(PythonNode.once(folder, "got").size() >= 100);
                assertTrue(second.alive());
                assertEquals("", PythonNode.printed(folder));
            }
        }
    }

    /** A message in a slot of the killed process is UNKNOWN; then the sender has heard the next one. */
    private static void untilOneIsDelivered(ExonEndpoint java) throws Exception {
        Outcome outcome = Outcome.UNKNOWN;
        for (int i = 100_001; i < 100_010 && outcome != Outcome.DELIVERED; i++) {
            outcome = java.send(PythonNode.ID, message(i)).get(60, TimeUnit.SECONDS);
        }
        assertEquals(Outcome.DELIVERED, outcome);
    }

    private void assertTrueOutcomes(List<CompletableFuture<Outcome>> outcomes) throws Exception {
        Map<Outcome, Integer> counts = new HashMap<>();
        Set<String> delivered = new HashSet<>();
        for (int i = 0; i < outcomes.size(); i++) {
            Outcome outcome = outcomes.get(i).get(60, TimeUnit.SECONDS);
            counts.merge(outcome, 1, Integer::sum);
            if (outcome == Outcome.DELIVERED) {
                delivered.add("" + i);
            }
        }
        assertFalse(counts.containsKey(Outcome.NOT_SENT), counts.toString());
        Set<String> got = PythonNode.once(folder, "got");
        assertTrue(got.containsAll(delivered), "DELIVERED and not delivered");
        assertTrue(delivered.size() > 100, counts.toString());
    }

    @Test
    void outcomesAreTrueWhenTheJavaNodeIsKilledAmongMessages() throws Exception {
        int port = freePort();
        int count = 1_500;
        try (LossyRelay relay = new LossyRelay(loopback(port), 9).faults(0.1, 0.1, 0.2);
                NodeProcess java = NodeProcess.slow(port, folder, 1, "-");
                PythonNode python = PythonNode.sender(
                        folder, freePort(), NodeProcess.ID, relay.address().getPort(), 0, count)) {
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> PythonNode.outcomes(folder).size() > 100);
            assertTrue(java.alive());
            java.signal("KILL");
            Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> !java.alive());
            try (NodeProcess next = NodeProcess.slow(port, folder, 0, "-")) {
                Awaitility.await()
                        .atMost(60, TimeUnit.SECONDS)
                        .until(() -> PythonNode.outcomes(folder).size() == count);
                assertTrue(next.alive());
            }
            assertTrue(python.alive());
            assertEquals("", PythonNode.printed(folder));
        }
        Set<String> got = new HashSet<>();
        for (String line : NodeProcess.lines(folder)) {
            assertTrue(line.equals("up") || got.add(line), "message " + line + " was delivered twice");
        }
        int unknown = 0;
        for (Map.Entry<Integer, String> outcome : PythonNode.outcomes(folder).entrySet()) {
            boolean delivered = outcome.getValue().equals("DELIVERED");
            unknown += delivered ? 0 : 1;
            assertTrue(!delivered || got.contains("" + outcome.getKey()), outcome + ", and not delivered");
        }
        assertTrue(unknown < count / 2, "messages that had not left go to the next process: " + unknown);
    }

    /** Its clock is behind its former messages: the receiver takes none twice, and hears the next process. */
    @Test
    void aPythonSenderThatIsKilledAgainAndAgainIsHeardEachTimeAndNothingComesTwice() throws Exception {
        Map<Integer, Integer> got = new ConcurrentHashMap<>();
        try (ExonEndpoint java = endpoint(got);
                LossyRelay relay = new LossyRelay(java.address(), 10).faults(0.1, 0.1, 0.2)) {
            for (int life = 0; life < 4; life++) {
                int first = 10_000 * life;
                int wanted = got.size() + 80;
                try (PythonNode python = PythonNode.sender(
                        folder, freePort(), JAVA, relay.address().getPort(), first, 2_000)) {
                    Awaitility.await()
                            .atMost(60, TimeUnit.SECONDS)
                            .until(() -> got.size() >= wanted || !python.alive());
                    assertTrue(got.keySet().stream().anyMatch(number -> number >= first), "life " + life);
                    assertEquals("", PythonNode.printed(folder));
                }
            }
        }
        assertTrue(got.values().stream().allMatch(times -> times == 1), "one came twice");
        Set<String> delivered = new HashSet<>();
        PythonNode.outcomes(folder).forEach((number, outcome) -> {
            assertEquals("DELIVERED", outcome, "the receiver lives: " + number);
            delivered.add("" + number);
            assertTrue(got.containsKey(number), number + " DELIVERED, and not delivered");
        });
        assertFalse(delivered.isEmpty());
    }
}
