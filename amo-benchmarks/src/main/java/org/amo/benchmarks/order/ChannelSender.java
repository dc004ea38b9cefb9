package org.amo.benchmarks.order;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.SEQUENCER;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;

/** JGroups alone over TCP: reliable multicast (NAKACK2, no total order: the floor), or SEQUENCER on top of it. */
final class ChannelSender implements Sender, Receiver {
    private static final long JOIN_SECONDS = 60;
    private static final int CREDITS = 8_000_000;

    private final JChannel channel;
    private final String id;
    private final List<Member> members;
    private final long tag;
    /** The next message follows from a delivery, and JGroups' delivering thread must not wait in a send. */
    private final ExecutorService sends = Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-bench-sends"));

    private volatile LongConsumer completed = sequence -> {};

    ChannelSender(String id, List<Member> members, boolean sequencer) throws Exception {
        this.id = id;
        this.members = members;
        this.tag = id.hashCode();
        Member self = members.stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow();
        TCP tcp = new TCP();
        tcp.setBindAddress(InetAddress.getByName(self.host()));
        tcp.setBindPort(self.orderPort());
        tcp.setPortRange(0);
        // The default leaves Nagle's delay on, which costs 40 ms where somebody waits for an answer.
        tcp.tcpNodelay(true);
        List<PhysicalAddress> hosts = new ArrayList<>();
        for (Member member : members) {
            hosts.add(new IpAddress(member.host(), member.orderPort()));
        }
        List<Protocol> stack = new ArrayList<>(List.of(
                tcp,
                new TCPPING().setInitialHosts2(hosts).setPortRange(0),
                // Members that start at the same moment begin as groups of one each.
                new MERGE3().setMinInterval(500).setMaxInterval(1_500),
                new FD_ALL3().setTimeout(60_000),
                new NAKACK2().useMcastXmit(false),
                new UNICAST3(),
                new STABLE(),
                new GMS().printLocalAddress(false).setJoinTimeout(2_000),
                new UFC().setMaxCredits(CREDITS),
                new MFC().setMaxCredits(CREDITS),
                new FRAG4()));
        if (sequencer) {
            stack.add(new SEQUENCER());
        }
        channel = new JChannel(stack);
        channel.getProtocolStack().getTransport().getDiagnosticsHandler().setEnabled(false);
        channel.setName(id);
        channel.setReceiver(this);
    }

    @Override
    public void start(LongConsumer toTell) throws Exception {
        completed = toTell;
        channel.connect("bench");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(JOIN_SECONDS);
        while (channel.getView().size() < members.size()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("only " + channel.getView() + " after " + JOIN_SECONDS + " s");
            }
            Thread.sleep(50);
        }
    }

    @Override
    public void send(long sequence, byte[] payload) {
        ByteBuffer.wrap(payload).putLong(tag).putLong(sequence);
        sends.execute(() -> sendNow(payload));
    }

    private void sendNow(byte[] payload) {
        try {
            channel.send(new BytesMessage(null, payload));
        } catch (Exception e) {
            System.err.println("not sent: " + e);
            Runtime.getRuntime().halt(1);
        }
    }

    @Override
    public void receive(Message message) {
        ByteBuffer bytes = ByteBuffer.wrap(message.getArray(), message.getOffset(), message.getLength());
        if (bytes.getLong() == tag) {
            completed.accept(bytes.getLong());
        }
    }

    @Override
    public long repeats() {
        return 0;
    }

    @Override
    public boolean leads() {
        return channel.getView().getCoord().equals(channel.getAddress());
    }

    @Override
    public void close() {
        sends.shutdownNow();
        channel.close();
    }

    @Override
    public String toString() {
        return id;
    }
}
