package org.amo.benchmarks.order;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.jgroups.JChannel;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;

/** JGroups over TCP with nothing of amo, the part that the bare stacks have in common. */
final class BareStack {
    private static final long JOIN_SECONDS = 60;
    private static final int CREDITS = 8_000_000;

    private BareStack() {}

    /** A channel that is not connected; {@code top} goes above reliable multicast, lowest first. */
    static JChannel channel(String id, List<Member> members, List<Protocol> top) throws Exception {
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
        stack.addAll(top);
        JChannel channel = new JChannel(stack);
        channel.getProtocolStack().getTransport().getDiagnosticsHandler().setEnabled(false);
        channel.setName(id);
        return channel;
    }

    /** Connects, and waits for all members. */
    static void join(JChannel channel, int members) throws Exception {
        channel.connect("bench");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(JOIN_SECONDS);
        while (channel.getView().size() < members) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("only " + channel.getView() + " after " + JOIN_SECONDS + " s");
            }
            Thread.sleep(50);
        }
    }
}
