package org.amo.replication.order.raft;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.amo.base.SecretRing;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.TlsFiles;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.OrderedLogs;
import org.amo.replication.order.Recorder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Snapshots that come by Exon. */
@Timeout(120)
@Isolated("it changes a system property")
final class SnapshotDatagramsTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final String TRANSFER = "amo.transfer";
    private static final Optional<String> SECRET = Optional.of("0123456789abcdef".repeat(4));
    private static final Logger LOG = Logger.getLogger(SnapshotTransfer.class.getName());

    private final List<Member> members = FreePorts.members(3);
    private final String group = Groups.freshName();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Lines lines = new Lines();

    @TempDir
    private Path data = Path.of("unset");

    private static final class Lines extends Handler {
        private final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord record) {
            all.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void begin() {
        System.setProperty(TRANSFER, "exon");
        LOG.addHandler(lines);
    }

    @AfterEach
    void end() throws Exception {
        System.clearProperty(TRANSFER);
        LOG.removeHandler(lines);
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private ReplicaSettings settings(String id, Optional<String> secret) {
        return Groups.settings(group, id, members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, data, secret);
    }

    private SnapshotDatagrams datagrams(String id, Optional<String> secret, List<String> received) {
        SnapshotDatagrams made =
                SnapshotDatagrams.of(settings(id, secret), () -> members).orElseThrow();
        open.add(made);
        made.open((from, piece) -> received.add(from + " " + piece.length));
        return made;
    }

    @Test
    void aPieceComesFromTheMemberThatSentIt() {
        List<String> received = new CopyOnWriteArrayList<>();
        datagrams("b", SECRET, received);
        SnapshotDatagrams a = datagrams("a", SECRET, new ArrayList<>());
        assertTrue(a.send("b", new byte[SnapshotTransfer.PIECE_BYTES + 16]));
        await().atMost(BOUND).until(() -> received.equals(List.of("a " + (SnapshotTransfer.PIECE_BYTES + 16))));
        assertFalse(a.send("stranger", new byte[1]), "it is no member");
    }

    @Test
    void aProcessWithAnotherSecretBringsNothing() {
        List<String> received = new CopyOnWriteArrayList<>();
        datagrams("b", SECRET, received);
        assertTrue(datagrams("a", Optional.of("fedcba9876543210".repeat(4)), new ArrayList<>())
                .send("b", new byte[1]));
        assertTrue(datagrams("c", SECRET, new ArrayList<>()).send("b", new byte[2]));
        await().atMost(BOUND).until(() -> !received.isEmpty());
        assertEquals(List.of("c 2"), received);
    }

    @Test
    void aMemberWithThemKeepsItsSecretWhileItRuns() {
        ReplicaSettings settings = settings("a", SECRET);
        SnapshotDatagrams unused = SnapshotDatagrams.of(settings, () -> members).orElseThrow();
        SecretRing ring = settings.secrets().orElseThrow();
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> ring.change("amo secrets\nthe secret of after\n" + SECRET.orElseThrow()));
        assertTrue(String.valueOf(refused.getMessage()).contains("--transfer exon"), refused.getMessage());
    }

    @Test
    void aGroupWithoutASecretHasThemToo() {
        List<String> received = new CopyOnWriteArrayList<>();
        datagrams("b", Optional.empty(), received);
        datagrams("a", Optional.empty(), new ArrayList<>()).send("b", new byte[3]);
        await().atMost(BOUND).until(() -> received.equals(List.of("a 3")));
    }

    @Test
    void whatCannotBeIsToldInOneLine() throws Exception {
        System.setProperty(TRANSFER, "udp");
        assertEquals(
                "property amo.transfer is tcp or exon, not 'udp'",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> SnapshotDatagrams.of(settings("a", SECRET), () -> members))
                        .getMessage());
        System.setProperty(TRANSFER, "exon");
        TlsFiles certificates = new TlsFiles(data, "password", data, "password");
        assertTrue(assertThrows(
                        IllegalArgumentException.class,
                        () -> SnapshotDatagrams.of(
                                ReplicaSettings.builder(group, "a", members)
                                        .tls(Optional.of(certificates))
                                        .build(),
                                () -> members))
                .getMessage()
                .endsWith("give the members a secret file beside them, or write --transfer tcp"));
        try (DatagramSocket taken = new DatagramSocket(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), members.get(0).orderPort()))) {
            assertTrue(taken.isBound());
            String line = assertThrows(OrderedLogException.class, () -> datagrams("a", SECRET, new ArrayList<>()))
                    .getMessage();
            assertTrue(
                    line.startsWith("--transfer exon (amo.transfer) needs the UDP port "
                            + members.get(0).orderPort()),
                    line);
        }
    }

    @Test
    void aMemberThatLacksWhatWasCutOffGetsTheSnapshotByDatagrams() {
        byte[] large = new byte[3_000_000];
        new Random(7).nextBytes(large);
        OrderedLog a = log("a");
        OrderedLog b = log("b");
        Recorder ofA = new Recorder();
        Recorder ofB = new Recorder();
        CompletableFuture.allOf(start(a, ofA), start(b, ofB)).join();
        await().atMost(BOUND)
                .until(() -> !ofA.leader().isEmpty() && ofA.leader().equals(ofB.leader()));
        OrderedLog leader = ofA.leader().equals("a") ? a : b;
        leader.submit(1, "x".repeat(3_000_000).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        await().atMost(BOUND)
                .until(() -> ofA.entries().size() == 1 && ofB.entries().size() == 1);
        leader.submit(2, "y".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        await().atMost(BOUND)
                .until(() -> ofA.entries().size() == 2 && ofB.entries().size() == 2);
        assertTrue(a.compact(ofA.snapshot()));
        assertTrue(b.compact(ofB.snapshot()));

        Recorder ofC = new Recorder();
        start(log("c"), ofC).join();
        await().atMost(BOUND).until(() -> ofC.entries().equals(ofA.entries()));
        assertEquals(List.of(2L), ofC.snapshots());
        assertTrue(
                lines.all.stream()
                        .anyMatch(line -> line.startsWith("has the snapshot") && line.endsWith("by datagrams")),
                lines.all::toString);
        assertArrayEquals(ofA.snapshot().servant(), ofC.snapshot().servant());
    }

    private OrderedLog log(String id) {
        OrderedLog log = OrderedLogs.open(settings(id, SECRET));
        open.add(log);
        return log;
    }

    private static CompletableFuture<Void> start(OrderedLog log, Recorder recorder) {
        return CompletableFuture.runAsync(() -> log.start(recorder), task -> new Thread(task).start());
    }
}
