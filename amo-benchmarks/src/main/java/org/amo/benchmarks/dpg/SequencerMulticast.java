package org.amo.benchmarks.dpg;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.amo.replication.order.group.QuietJGroups;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FD_SOCK2;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.PING;
import org.jgroups.protocols.SEQUENCER;
import org.jgroups.protocols.UDP;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.Protocol;

/** JGroups' SEQUENCER over a UDP multicast group of the loopback, with its views. Site 0 is the first and orders. */
final class SequencerMulticast implements Multicast {
    private static final int CREDITS = 8_000_000;

    private final InetAddress loopback = InetAddress.getLoopbackAddress();
    private final InetAddress group;
    private final int port;
    private final String cluster;

    SequencerMulticast() throws Exception {
        QuietJGroups.install();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        group = InetAddress.getByAddress(new byte[] {(byte) 239, 77, 4, (byte) random.nextInt(1, 255)});
        port = random.nextInt(20_000, 32_000);
        cluster = "bench-" + port;
    }

    @Override
    public String name() {
        return "sequencer";
    }

    @Override
    public Member join(int site, DeliveryLog deliveries) throws Exception {
        UDP udp = new UDP();
        udp.setMulticastAddress(group);
        udp.setMulticastPort(port);
        udp.setBindAddress(loopback);
        List<Protocol> stack = new ArrayList<>(List.of(
                udp,
                new PING(),
                new MERGE3().setMinInterval(1_000).setMaxInterval(3_000),
                new FD_SOCK2(),
                new FD_ALL3().setTimeout(10_000),
                new VERIFY_SUSPECT2().setTimeout(500),
                new NAKACK2().setXmitInterval(100),
                new UNICAST3().setXmitInterval(100),
                new STABLE(),
                new GMS().printLocalAddress(false).setJoinTimeout(500),
                new UFC().setMaxCredits(CREDITS),
                new MFC().setMaxCredits(CREDITS),
                new FRAG4(),
                new SEQUENCER()));
        JChannel channel = new JChannel(stack);
        channel.getProtocolStack().getTransport().getDiagnosticsHandler().setEnabled(false);
        channel.setName("site-" + site);
        deliveries.segment();
        channel.setReceiver(new Receiver() {
            @Override
            public void receive(Message message) {
                deliveries.delivered(message.getArray(), message.getOffset());
            }
        });
        try {
            channel.connect(cluster);
        } catch (Exception e) {
            channel.close();
            throw e;
        }
        return new Member() {
            @Override
            public boolean send(byte[] message) throws Exception {
                try {
                    channel.send(new BytesMessage(null, message));
                    return true;
                } catch (IllegalStateException closed) {
                    return false;
                }
            }

            @Override
            public void close() {
                channel.close();
            }
        };
    }

    @Override
    public void close() {
        // Every member is on its own.
    }
}
