package org.amo.replication.order.dpg;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.dpg.Tag;
import org.amo.dpg.udp.DpgNodeOptions;
import org.amo.replication.FreePorts;
import org.amo.replication.order.group.QuietJGroups;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.SHARED_LOOPBACK;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.UDP;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** DPG in a JGroups stack without membership. */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
class DpgProtocolTest {
    static {
        QuietJGroups.install();
    }

    private static final DpgNodeOptions OPTIONS = DpgNodeOptions.builder("a secret of tests")
            // A busy machine must not take a member for absent, nor a message for lost.
            .core(DpgNodeOptions.coreFor(3)
                    .deliveryMicros(600_000, 15_000_000)
                    .absence(2_000_000, 4)
                    .build())
            .patience(Duration.ofMillis(400))
            .sequencerPatience(Duration.ofMillis(20), Duration.ofMillis(1_000))
            .sequencers(2)
            .build();

    private final List<Node> open = new ArrayList<>();
    private final String cluster = "dpg-" + FreePorts.find(1).get(0);

    /** A channel and what it received. */
    private final class Node implements Receiver, DpgProtocol.Events {
        final String name;
        final DpgProtocol dpg = new DpgProtocol(OPTIONS, this);
        final JChannel channel;
        final List<String> received = new CopyOnWriteArrayList<>();
        final List<Tag> segments = new CopyOnWriteArrayList<>();
        volatile CountDownLatch gate = new CountDownLatch(0);
        volatile boolean throwsAtSegments;

        Node(String name, TP transport, int sequencer) throws Exception {
            this(name, transport, sequencer, false);
        }

        Node(String name, TP transport, int sequencer, boolean throwsAtSegments) throws Exception {
            this.name = name;
            this.throwsAtSegments = throwsAtSegments;
            if (sequencer >= 0) {
                dpg.sequencer(sequencer);
            }
            channel = new JChannel(transport, dpg, new FRAG4().setFragSize(8_000));
            channel.getProtocolStack().getTransport().getDiagnosticsHandler().setEnabled(false);
            channel.setName(name);
            channel.setReceiver(this);
            channel.connect(cluster);
            open.add(this);
        }

        @Override
        public void receive(Message message) {
            String text = new String(message.getArray(), message.getOffset(), message.getLength(), UTF_8);
            received.add(text.substring(0, Math.min(20, text.length())));
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void onSegment(Tag after) {
            segments.add(after);
            if (throwsAtSegments) {
                throw new NoClassDefFoundError("planted");
            }
        }

        void say(int first, int count) throws Exception {
            for (int i = first; i < first + count; i++) {
                channel.send(new BytesMessage(null, (name + "-" + i).getBytes(UTF_8)));
            }
        }
    }

    @AfterEach
    void closeAll() {
        open.forEach(node -> node.channel.close());
    }

    private void awaitAnchored() {
        await().until(() -> {
            for (Node node : open) {
                if (!node.dpg.anchored().get(5, TimeUnit.SECONDS)) {
                    return false;
                }
            }
            return true;
        });
    }

    private static void awaitCount(int count, List<Node> nodes) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> nodes.stream().allMatch(node -> node.received.size() >= count));
    }

    private static void assertSame(List<Node> nodes) {
        nodes.forEach(node -> assertEquals(nodes.get(0).received, node.received));
    }

    private void threeSendAndReceive() throws Exception {
        awaitAnchored();
        for (Node node : open) {
            node.say(0, 100);
        }
        awaitCount(300, open);
        assertSame(open);
        assertEquals(300, new HashSet<>(open.get(0).received).size());
        for (Node node : open) {
            assertEquals(1, node.channel.getView().size(), "there is no view but the own");
        }
    }

    @Test
    void multicastsAreDeliveredInOneOrderWithoutAView() throws Exception {
        new Node("a", new SHARED_LOOPBACK(), 0);
        new Node("b", new SHARED_LOOPBACK(), 1);
        new Node("c", new SHARED_LOOPBACK(), -1);
        threeSendAndReceive();
    }

    @Test
    void overUdpToo() throws Exception {
        int port = FreePorts.find(1).get(0);
        for (int i = 0; i < 3; i++) {
            UDP udp = new UDP();
            udp.setMulticastAddress(InetAddress.getByName("239.77.5." + (1 + port % 250)));
            udp.setMulticastPort(port);
            udp.setBindAddress(InetAddress.getLoopbackAddress());
            new Node(String.valueOf((char) ('a' + i)), udp, i < 2 ? i : -1);
        }
        threeSendAndReceive();
    }

    @Test
    void aMemberGoesTheSequencerAndTheOthersGoOnAndANewOneDeliversASegment() throws Exception {
        Node first = new Node("a", new SHARED_LOOPBACK(), 0);
        Node second = new Node("b", new SHARED_LOOPBACK(), 1);
        Node third = new Node("c", new SHARED_LOOPBACK(), -1);
        threeSendAndReceive();
        first.channel.close();
        open.remove(first);
        second.say(100, 50);
        third.say(100, 50);
        awaitCount(400, open);
        assertSame(open);
        Node fourth = new Node("d", new SHARED_LOOPBACK(), -1);
        awaitAnchored();
        fourth.say(0, 20);
        second.say(150, 20);
        awaitCount(440, List.of(second, third));
        await().until(() -> fourth.received.contains("d-19") && fourth.received.contains("b-169"));
        assertSame(List.of(second, third));
        int at = Collections.indexOfSubList(second.received, fourth.received);
        assertTrue(at >= 0, () -> fourth.received + " is no part of " + second.received);
        assertEquals(1, fourth.segments.size());
        assertTrue(second.dpg.figures().get(5, TimeUnit.SECONDS).digestsCompared() > 0);
        assertEquals(0, second.dpg.figures().get(5, TimeUnit.SECONDS).violations());
    }

    @Test
    void largeMessagesAreFragmentedAboveIt() throws Exception {
        new Node("a", new SHARED_LOOPBACK(), 0);
        new Node("b", new SHARED_LOOPBACK(), -1);
        awaitAnchored();
        byte[] large = "x".repeat(100_000).getBytes(UTF_8);
        open.get(0).channel.send(new BytesMessage(null, large));
        awaitCount(1, open);
        assertSame(open);
    }

    /** A class of the application that cannot be loaded must not end the only thread. */
    @Test
    void aReceiverThatThrowsEndsNoDelivery() throws Exception {
        Node first = new Node("a", new SHARED_LOOPBACK(), 0);
        Node second = new Node("b", new SHARED_LOOPBACK(), -1);
        awaitAnchored();
        first.say(0, 10);
        awaitCount(10, List.of(first, second));
        Node third = new Node("c", new SHARED_LOOPBACK(), -1, true);
        awaitAnchored();
        third.say(0, 300);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> first.received.contains("c-299") && third.received.contains("c-299"));
        assertEquals(1, third.segments.size());
    }

    /** No sender may wait for a thread that has ended; a question about the member fails. */
    @Test
    void anErrorThatEndsTheThreadEndsAllWaits() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        Node node = new Node(
                "a",
                new SHARED_LOOPBACK() {
                    @Override
                    public Object down(Message message) {
                        if (broken.get()) {
                            throw new LinkageError("planted");
                        }
                        return super.down(message);
                    }
                },
                0);
        awaitAnchored();
        broken.set(true);
        assertThrows(Exception.class, () -> node.say(0, 300));
        ExecutionException failed =
                assertThrows(ExecutionException.class, () -> node.dpg.figures().get(30, TimeUnit.SECONDS));
        assertTrue(failed.getMessage().contains("stopped"), failed::toString);
    }

    @Test
    void allSendersThatWaitLearnOfTheEnd() throws Exception {
        Node node = new Node("a", new SHARED_LOOPBACK(), 0);
        awaitAnchored();
        node.gate = new CountDownLatch(1);
        node.say(0, 1);
        awaitCount(1, List.of(node));
        node.say(1, 256); // all that may wait
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Thread sender = new Thread(() -> {
                try {
                    node.say(257, 1);
                } catch (Exception e) {
                    assertTrue(e.toString().contains("closed"), e::toString);
                }
            });
            sender.setDaemon(true);
            sender.start();
            senders.add(sender);
        }
        await().until(() -> senders.stream().allMatch(each -> each.getState() == Thread.State.WAITING));
        Thread stopping = new Thread(node.dpg::stop);
        stopping.start();
        try {
            for (Thread each : senders) {
                each.join(Duration.ofSeconds(30).toMillis());
                assertEquals(Thread.State.TERMINATED, each.getState());
            }
        } finally {
            node.gate.countDown();
            stopping.join();
        }
    }

    /** Datagrams may be lost; before, a receiver that waited let them fill the heap. */
    @Test
    void datagramsThatComeWhileAReceiverWaitsTakeNoMoreRoomThanThereIs() throws Exception {
        Node first = new Node("a", new SHARED_LOOPBACK(), 0);
        Node second = new Node("b", new SHARED_LOOPBACK(), -1);
        awaitAnchored();
        second.gate = new CountDownLatch(1);
        first.say(0, 1);
        awaitCount(1, List.of(second));
        hear(second.dpg, 10_000, 100);
        long dropped = second.dpg.droppedDatagrams();
        second.gate.countDown();
        assertTrue(dropped >= 10_000 - 4_096, () -> dropped + " were dropped");
        long handled = second.dpg.figures().get(30, TimeUnit.SECONDS).malformed();
        // Datagrams of the other member may be among those that were dropped.
        assertTrue(
                handled >= 10_000 - dropped && handled <= 4_096, () -> handled + " were handled, dropped " + dropped);
        long droppedBefore = second.dpg.droppedDatagrams();
        for (int i = 0; i < 8; i++) {
            hear(second.dpg, 1_000, 100);
            second.dpg.figures().get(30, TimeUnit.SECONDS);
        }
        assertEquals(droppedBefore, second.dpg.droppedDatagrams(), "datagrams that were taken still count");
        first.say(1, 50);
        await().atMost(Duration.ofSeconds(30)).until(() -> second.received.contains("a-50"));
    }

    @Test
    void longDatagramsThatNoThreadTakesAreBoundedInBytes() {
        DpgProtocol dpg = new DpgProtocol(OPTIONS, DpgProtocol.Events.NONE);
        hear(dpg, 1_000, 60_000);
        long kept = 1_000 - dpg.droppedDatagrams();
        assertTrue(kept > 10 && kept * 60_000 <= 16 << 20, () -> kept + " are kept");
    }

    private static void hear(DpgProtocol dpg, int count, int bytes) {
        for (int i = 0; i < count; i++) {
            dpg.up(new BytesMessage(null, new byte[bytes]).putHeader(dpg.getId(), new DpgHeader()));
        }
    }

    @Test
    void anIndexThatTheOptionsDoNotKnowIsRefused() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> new DpgProtocol(OPTIONS, DpgProtocol.Events.NONE).sequencer(2));
        assertTrue(refused.getMessage().contains("0 to 1"), refused::toString);
    }
}
