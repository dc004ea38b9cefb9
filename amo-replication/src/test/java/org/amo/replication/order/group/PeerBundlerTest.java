package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.protocols.Bundler;
import org.jgroups.protocols.PerDestinationBundler;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Real channels; a write to one member does not come back, as when its socket is full. */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
final class PeerBundlerTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    /** Of each kind: to all, and to one. */
    private static final int MESSAGES = 50;

    private final List<JChannel> channels = new ArrayList<>();
    private final List<List<String>> received = new ArrayList<>();
    private final CountDownLatch reads = new CountDownLatch(1);
    private final CountDownLatch waits = new CountDownLatch(1);

    @AfterEach
    void close() {
        reads.countDown();
        channels.forEach(JChannel::close);
    }

    @Test
    void aMemberThatDoesNotReadHoldsUpNobodyAndGetsAllLater() throws Exception {
        open(new PeerBundler());
        blockWritesTo(2);
        send();
        List<String> sent = received("all");
        await().atMost(BOUND).untilAsserted(() -> assertEquals(sent, only("all", 1)));
        await().atMost(BOUND).untilAsserted(() -> assertEquals(received("one"), only("one", 1)));
        assertEquals(List.of(), only("all", 2));
        assertEquals(sent, only("all", 0), "its own copies, in order");

        reads.countDown();
        await().atMost(BOUND).untilAsserted(() -> assertEquals(sent, only("all", 2)));
    }

    /** The control: with JGroups' own way to send, the same does hold up the others. */
    @Test
    void oneThreadForAllWouldHoldUpTheOthers() throws Exception {
        open(new PerDestinationBundler());
        blockWritesTo(2);
        send();
        await().during(Duration.ofMillis(500))
                .atMost(BOUND)
                .until(() -> only("all", 1).size() < MESSAGES);
        reads.countDown();
        await().atMost(BOUND).untilAsserted(() -> assertEquals(received("all"), only("all", 1)));
    }

    private void send() throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            channels.get(0).send(new BytesMessage(null, ("all " + i).getBytes(UTF_8)));
            channels.get(0).send(new BytesMessage(channels.get(1).getAddress(), ("one " + i).getBytes(UTF_8)));
        }
    }

    private static List<String> received(String kind) {
        return IntStream.range(0, MESSAGES).mapToObj(i -> kind + " " + i).toList();
    }

    private List<String> only(String kind, int at) {
        return received.get(at).stream().filter(text -> text.startsWith(kind)).toList();
    }

    private void blockWritesTo(int member) throws Exception {
        SlowTcp tcp = channels.get(0).getProtocolStack().findProtocol(SlowTcp.class);
        tcp.slow = (PhysicalAddress) channels.get(member)
                .down(new org.jgroups.Event(
                        org.jgroups.Event.GET_PHYSICAL_ADDRESS,
                        channels.get(member).getAddress()));
        assertTrue(tcp.slow != null);
        channels.get(0).send(new BytesMessage(channels.get(member).getAddress(), "unread".getBytes(UTF_8)));
        assertTrue(waits.await(30, TimeUnit.SECONDS), "a write to it is under way");
    }

    private void open(Bundler bundlerOfFirst) throws Exception {
        List<Member> members = FreePorts.members(3);
        List<PhysicalAddress> hosts = new ArrayList<>();
        for (Member member : members) {
            hosts.add(new IpAddress(InetAddress.getByName(member.host()), member.orderPort()));
        }
        for (int i = 0; i < members.size(); i++) {
            TCP tcp = i == 0 ? new SlowTcp().setBundler(bundlerOfFirst) : new TCP();
            tcp.setBindAddr(InetAddress.getByName(members.get(i).host()))
                    .setBindPort(members.get(i).orderPort())
                    .setPortRange(0);
            JChannel channel = new JChannel(
                    tcp,
                    new TCPPING().setInitialHosts2(hosts).setPortRange(0),
                    new NAKACK2().useMcastXmit(false).setXmitInterval(100),
                    new UNICAST3().setXmitInterval(100),
                    new STABLE(),
                    new GMS().setJoinTimeout(1_000).printLocalAddress(false));
            channel.getProtocolStack().getTransport().getDiagnosticsHandler().setEnabled(false);
            List<String> texts = new CopyOnWriteArrayList<>();
            received.add(texts);
            channel.setReceiver(new Receiver() {
                @Override
                public void receive(Message message) {
                    texts.add(new String(message.getArray(), message.getOffset(), message.getLength(), UTF_8));
                }
            });
            channels.add(channel);
            channel.connect("bundler");
        }
        await().atMost(BOUND).until(() -> channels.stream()
                .allMatch(channel -> channel.getView().size() == members.size()));
    }

    private final class SlowTcp extends TCP {
        private volatile PhysicalAddress slow;

        @Override
        public void send(Address to, byte[] data, int offset, int length) throws Exception {
            if (to.equals(slow)) {
                waits.countDown();
                reads.await();
            }
            super.send(to, data, offset, length);
        }
    }
}
