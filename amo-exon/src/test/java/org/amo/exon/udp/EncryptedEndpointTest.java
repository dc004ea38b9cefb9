package org.amo.exon.udp;

import static org.amo.exon.udp.ExonEndpointTest.A;
import static org.amo.exon.udp.ExonEndpointTest.B;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.amo.exon.ExonOptions;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted endpoints on real sockets: the promises of Exon hold through handshakes, rotations, kills and moves. */
@Timeout(120)
class EncryptedEndpointTest {
    private static final String SECRET = NodeProcess.SECRET;

    @TempDir
    private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private static ExonEndpointOptions.Builder options(NodeId id, String secret) {
        return ExonEndpointOptions.builder(id, secret)
                .timeout(Duration.ofSeconds(60))
                .encrypted();
    }

    private ExonEndpoint endpoint(ExonEndpointOptions.Builder options, ExonReceiver receiver) throws Exception {
        ExonEndpoint endpoint = ExonEndpoint.open(options.build(), receiver);
        open.add(endpoint);
        return endpoint;
    }

    private LossyRelay relay(InetSocketAddress server, long seed) throws Exception {
        LossyRelay relay = new LossyRelay(server, seed);
        open.add(relay);
        return relay;
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static int freePort() throws Exception {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static ExonFigures figures(ExonEndpoint endpoint) throws Exception {
        return endpoint.figures().get(5, TimeUnit.SECONDS);
    }

    @Test
    void messagesArriveOnceWhileKeysRotateOnABadNetworkAndTheAddressMoves() throws Exception {
        int count = 2_000;
        Map<Integer, Integer> got = new ConcurrentHashMap<>();
        ExonEndpoint b = endpoint(
                options(B, SECRET).rotateKeys(100_000, Duration.ofMillis(500)),
                (from, message) -> got.merge(ByteBuffer.wrap(message).getInt(), 1, Integer::sum));
        ExonEndpoint a =
                endpoint(options(A, SECRET).rotateKeys(100_000, Duration.ofMillis(500)), (from, message) -> {});
        LossyRelay relay = relay(b.address(), 3).faults(0.1, 0.1, 0.1);
        a.hint(B, relay.address());
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] message =
                    ByteBuffer.allocate(i % 100 == 0 ? 20_000 : 400).putInt(i).array();
            outcomes.add(a.send(B, message));
            if (i % 500 == 499) {
                CompletableFuture<Outcome> settled = outcomes.get(i - 400);
                Awaitility.await().atMost(60, TimeUnit.SECONDS).until(settled::isDone);
                relay.moveClient();
            }
        }
        for (CompletableFuture<Outcome> outcome : outcomes) {
            assertEquals(Outcome.DELIVERED, outcome.get(60, TimeUnit.SECONDS));
        }
        assertEquals(count, got.size());
        assertTrue(got.values().stream().allMatch(times -> times == 1), "one came twice");
        assertTrue(figures(a).handshakes() >= 5, "rotations: " + figures(a).handshakes());
        assertTrue(figures(b).replayed() > 0, "the network doubles datagrams, and none came to the node twice");
        assertEquals(0, figures(b).unauthentic());
        assertEquals(0, figures(b).malformed());
    }

    /** All datagrams of a talk, once more: to the same process, and to the next one under the same name. */
    @Test
    void recordedDatagramsAreNotTakenBeforeOrAfterARestart() throws Exception {
        int port = freePort();
        Queue<byte[]> recorded = new ConcurrentLinkedQueue<>();
        Map<String, Integer> got = new ConcurrentHashMap<>();
        ExonReceiver receiver =
                (from, message) -> got.merge(new String(message, StandardCharsets.UTF_8), 1, Integer::sum);
        ExonEndpointOptions.Builder ofB =
                options(B, SECRET).listen(loopback(port)).clockFile(folder.resolve("clock"));
        ExonEndpoint a = endpoint(options(A, SECRET), (from, message) -> {});
        LossyRelay relay = relay(loopback(port), 4).swallow((datagram, toServer) -> {
            if (toServer) {
                recorded.add(datagram.clone());
            }
            return false;
        });
        a.hint(B, relay.address());
        try (ExonEndpoint first = ExonEndpoint.open(ofB.build(), receiver);
                DatagramSocket attacker = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 50; i++) {
                assertEquals(
                        Outcome.DELIVERED,
                        a.send(B, text("secret message " + i)).get(60, TimeUnit.SECONDS));
            }
            replay(recorded, attacker, port);
            Awaitility.await().until(() -> figures(first).replayed() >= 50);
            assertEquals(1, figures(first).peers());
        }
        for (byte[] datagram : recorded) {
            assertFalse(new String(datagram, StandardCharsets.ISO_8859_1).contains("secret message"));
        }
        try (ExonEndpoint second = ExonEndpoint.open(ofB.build(), receiver);
                DatagramSocket attacker = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            attacker.setSoTimeout(10_000);
            int sent = replay(recorded, attacker, port);
            byte[] answer = new byte[65_536];
            DatagramPacket packet = new DatagramPacket(answer, answer.length);
            attacker.receive(packet); // the opening's answer, or a notice: the recordings were looked at
            assertTrue(packet.getLength() < sent);
            untilOneIsDelivered(a, B);
            assertEquals(1, figures(second).delivered());
        }
        assertEquals(51, got.size());
        assertTrue(got.values().stream().allMatch(times -> times == 1), "one came twice");
    }

    /** A message in a slot of the former process is UNKNOWN; then the sender has heard the next one. */
    private static void untilOneIsDelivered(ExonEndpoint from, NodeId to) throws Exception {
        Outcome outcome = Outcome.UNKNOWN;
        for (int i = 0; i < 10 && outcome != Outcome.DELIVERED; i++) {
            byte[] message = ByteBuffer.allocate(100).putInt(1_000_000 + i).array();
            outcome = from.send(to, message).get(60, TimeUnit.SECONDS);
        }
        assertEquals(Outcome.DELIVERED, outcome);
    }

    private static int replay(Queue<byte[]> recorded, DatagramSocket from, int port) throws Exception {
        int sent = 0;
        for (byte[] datagram : recorded) {
            from.send(new DatagramPacket(datagram, datagram.length, loopback(port)));
            sent += datagram.length;
        }
        return sent;
    }

    @Test
    void plainNodesAndNodesWithAnotherSecretAreNotHeard() throws Exception {
        ExonEndpoint b = endpoint(options(B, SECRET), (from, message) -> {});
        ExonEndpoint other = endpoint(options(A, "another secret!!"), (from, message) -> {});
        other.hint(B, b.address());
        ExonEndpoint plain = endpoint(ExonEndpointOptions.builder(new NodeId(1, 3), SECRET), (from, message) -> {});
        plain.hint(B, b.address());
        Duration little = Duration.ofMillis(500);
        assertEquals(Outcome.NOT_SENT, other.send(B, text("x"), little).get(30, TimeUnit.SECONDS));
        assertEquals(Outcome.NOT_SENT, plain.send(B, text("x"), little).get(30, TimeUnit.SECONDS));
        assertTrue(figures(b).unauthentic() > 0);
        assertTrue(figures(b).malformed() > 0);
        assertEquals(0, figures(b).peers());
    }

    /** Neither the plain seals nor the encryption let a third node, that has the secret of all, speak for one of the two. */
    @Test
    void aSecretOfTwoNodesWorksWithAndWithoutEncryption() throws Exception {
        for (boolean encrypted : List.of(true, false)) {
            ExonEndpointOptions.Builder ofB =
                    ExonEndpointOptions.builder(B, SECRET).peerSecret(A, "a secret of a and b");
            ExonEndpointOptions.Builder ofA =
                    ExonEndpointOptions.builder(A, SECRET).peerSecret(B, "a secret of a and b");
            ExonEndpointOptions.Builder ofImpostor = ExonEndpointOptions.builder(A, SECRET);
            ExonEndpointOptions.Builder ofC = ExonEndpointOptions.builder(new NodeId(1, 3), SECRET);
            if (encrypted) {
                List.of(ofA, ofB, ofC, ofImpostor).forEach(ExonEndpointOptions.Builder::encrypted);
            }
            ExonEndpoint b = endpoint(ofB, (from, message) -> {});
            ExonEndpoint impostor = endpoint(ofImpostor, (from, message) -> {});
            impostor.hint(B, b.address());
            assertEquals(
                    Outcome.NOT_SENT,
                    impostor.send(B, text("x"), Duration.ofMillis(500)).get(30, TimeUnit.SECONDS));
            for (ExonEndpointOptions.Builder each : List.of(ofA, ofC)) {
                ExonEndpoint genuine = endpoint(each, (from, message) -> {});
                genuine.hint(B, b.address());
                assertEquals(Outcome.DELIVERED, genuine.send(B, text("x")).get(30, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    void settingsThatDoNotFitAreRefused() {
        ExonEndpointOptions.Builder builder = options(B, SECRET);
        assertThrows(IllegalArgumentException.class, () -> builder.rotateKeys(0, Duration.ofMinutes(1))
                .build());
        assertThrows(IllegalArgumentException.class, () -> builder.rotateKeys(1, Duration.ZERO)
                .build());
        assertThrows(IllegalArgumentException.class, () -> builder.rotateKeys(1, Duration.ofDays(2))
                .build());
        builder.rotateKeys(1, Duration.ofDays(1)).build();
        builder.peerSecret(A, "too short");
        assertTrue(assertThrows(IllegalArgumentException.class, builder::build)
                .getMessage()
                .contains("node " + A));
        ExonOptions small = ExonEndpointOptions.coreForHeap()
                .datagramBytes(256)
                .maxMessageBytes(1_000)
                .build();
        ExonEndpointOptions.builder(B, SECRET).core(small).build();
        assertThrows(
                IllegalArgumentException.class,
                () -> options(B, SECRET).core(small).build());
    }

    /** kill -9 when the receiver has made keys and its answer has not come: nothing had left, so all messages go to the next process. */
    @Test
    void messagesGoToTheNextProcessOfAReceiverThatIsKilledInItsHandshake() throws Exception {
        int port = freePort();
        CountDownLatch answered = new CountDownLatch(1);
        LossyRelay relay = relay(loopback(port), 5).swallow((datagram, toServer) -> {
            if (!toServer) {
                answered.countDown();
            }
            return !toServer;
        });
        ExonEndpoint a = endpoint(options(NodeProcess.TESTER, SECRET), (from, message) -> {});
        a.hint(NodeProcess.ID, relay.address());
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        try (NodeProcess first = NodeProcess.encrypted(port, folder, 1, -1)) {
            for (int i = 0; i < 100; i++) {
                outcomes.add(a.send(
                        NodeProcess.ID, ByteBuffer.allocate(100).putInt(i).array()));
            }
            assertTrue(answered.await(60, TimeUnit.SECONDS));
            assertTrue(first.alive());
        }
        relay.swallow((datagram, toServer) -> false);
        try (NodeProcess second = NodeProcess.encrypted(port, folder, 1, -1)) {
            for (CompletableFuture<Outcome> outcome : outcomes) {
                assertEquals(Outcome.DELIVERED, outcome.get(60, TimeUnit.SECONDS));
            }
            assertTrue(second.alive());
        }
        assertEquals(
                100,
                NodeProcess.lines(folder).stream()
                        .filter(line -> !line.equals("up"))
                        .distinct()
                        .count());
        assertEquals(102, NodeProcess.lines(folder).size(), "two lives, and each message once");
    }

    /** kill -9 of a sender whose handshake is answered too late: its next process is heard at once, and nothing comes twice. */
    @Test
    void theNextProcessOfASenderThatIsKilledInItsHandshakeIsHeard() throws Exception {
        Map<Integer, Integer> got = new ConcurrentHashMap<>();
        ExonEndpoint b = endpoint(
                options(NodeProcess.TESTER, SECRET),
                (from, message) -> got.merge(ByteBuffer.wrap(message).getInt(), 1, Integer::sum));
        CountDownLatch answered = new CountDownLatch(1);
        LossyRelay relay = relay(b.address(), 6).swallow((datagram, toServer) -> {
            if (!toServer) {
                answered.countDown();
            }
            return !toServer;
        });
        int relayPort = relay.address().getPort();
        try (NodeProcess first = NodeProcess.encrypted(0, folder, relayPort, 0)) {
            assertTrue(answered.await(60, TimeUnit.SECONDS));
            assertTrue(first.alive());
        }
        relay.swallow((datagram, toServer) -> false);
        try (NodeProcess second = NodeProcess.encrypted(0, folder, relayPort, 1_000_000)) {
            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> got.size() >= 200);
            assertTrue(second.alive());
        }
        assertTrue(got.keySet().stream().allMatch(number -> number >= 1_000_000), "of the first nothing had left");
        assertTrue(got.values().stream().allMatch(times -> times == 1), "one came twice");
    }

    /** Killed among encrypted messages, and at once again: the promise about lives is the same as in the clear. */
    @Test
    void outcomesAreTrueWhenTheReceiverIsKilledAmongEncryptedMessages() throws Exception {
        int port = freePort();
        ExonEndpoint a = endpoint(options(NodeProcess.TESTER, SECRET), (from, message) -> {});
        a.hint(NodeProcess.ID, loopback(port));
        int count = 1_500;
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        try (NodeProcess first = NodeProcess.encrypted(port, folder, 1, -1)) {
            for (int i = 0; i < count; i++) {
                outcomes.add(a.send(
                        NodeProcess.ID, ByteBuffer.allocate(100).putInt(i).array()));
                if (i == count / 2) {
                    CompletableFuture<Outcome> settled = outcomes.get(100);
                    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(settled::isDone);
                }
            }
            assertTrue(first.alive());
        }
        try (NodeProcess second = NodeProcess.encrypted(port, folder, 1, -1)) {
            for (CompletableFuture<Outcome> outcome : outcomes) {
                outcome.get(60, TimeUnit.SECONDS);
            }
            untilOneIsDelivered(a, NodeProcess.ID);
            assertTrue(second.alive());
        }
        List<String> lines = NodeProcess.lines(folder);
        assertEquals(
                lines.stream().filter(line -> !line.equals("up")).distinct().count() + 2, lines.size());
        for (int i = 0; i < count; i++) {
            Outcome outcome = outcomes.get(i).get();
            assertTrue(outcome == Outcome.UNKNOWN || lines.contains("" + i), "message " + i + " is " + outcome);
        }
    }
}
