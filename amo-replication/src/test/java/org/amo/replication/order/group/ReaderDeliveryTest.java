package org.amo.replication.order.group;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.raft.AppendEntriesResponse;
import org.jgroups.protocols.raft.AppendResult;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.MessageBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Real channels; each message tells which thread brought it. */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
final class ReaderDeliveryTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int MESSAGES = 20;
    private static final String READER = "Connection.Receiver";

    private final List<JChannel> channels = new ArrayList<>();
    private final List<String> toRaft = new CopyOnWriteArrayList<>();
    private final List<String> toOthers = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        channels.forEach(JChannel::close);
    }

    @Test
    void raftsMessagesComeInTheThreadThatReadThemAndOthersInThePool() throws Exception {
        open(true);
        sendToRaft();
        assertTrue(toRaft.stream().allMatch(thread -> thread.contains(READER)), toRaft.toString());
        sendToOthers();
        assertFalse(toOthers.stream().anyMatch(thread -> thread.contains(READER)), toOthers.toString());
    }

    /** The control: what JGroups does by itself. */
    @Test
    void withoutItNothingComesInTheThreadThatRead() throws Exception {
        open(false);
        sendToRaft();
        assertFalse(toRaft.stream().anyMatch(thread -> thread.contains(READER)), toRaft.toString());
    }

    private void sendToRaft() throws Exception {
        JChannel sender = channels.get(0);
        short raft = sender.getProtocolStack().findProtocol(SpyRaft.class).getId();
        Address to = channels.get(1).getAddress();
        for (int i = 0; i < MESSAGES; i++) {
            AppendResult result = new AppendResult(AppendResult.Result.OK, i);
            sender.send(new BytesMessage(to, new byte[] {1}).putHeader(raft, new AppendEntriesResponse(1, result)));
        }
        await().atMost(BOUND).until(() -> toRaft.size() >= MESSAGES);
    }

    private void sendToOthers() throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            channels.get(0).send(channels.get(1).getAddress(), "text".getBytes(StandardCharsets.UTF_8));
        }
        await().atMost(BOUND).until(() -> toOthers.size() >= MESSAGES);
    }

    private void open(boolean inReader) throws Exception {
        List<Member> members = FreePorts.members(2);
        List<PhysicalAddress> hosts = new ArrayList<>();
        for (Member member : members) {
            hosts.add(new IpAddress(InetAddress.getByName(member.host()), member.orderPort()));
        }
        for (Member member : members) {
            TCP tcp = new TCP();
            tcp.setBindAddr(InetAddress.getByName(member.host()))
                    .setBindPort(member.orderPort())
                    .setPortRange(0);
            if (inReader) {
                tcp.setMessageProcessingPolicy(ReaderDelivery.class.getName());
            }
            JChannel channel = new JChannel(
                    tcp,
                    new TCPPING().setInitialHosts2(hosts).setPortRange(0),
                    new NAKACK2().useMcastXmit(false).setXmitInterval(100),
                    new UNICAST3().setXmitInterval(100),
                    new GMS().setJoinTimeout(1_000).printLocalAddress(false),
                    new SpyRaft());
            tcp.getDiagnosticsHandler().setEnabled(false);
            channel.setReceiver(new Receiver() {
                @Override
                public void receive(Message message) {
                    toOthers.add(Thread.currentThread().getName());
                }
            });
            channels.add(channel);
            channel.connect("reader");
        }
        await().atMost(BOUND).until(() -> channels.stream()
                .allMatch(channel -> channel.getView().size() == members.size()));
    }

    /** Has the header, and nothing else, of a RAFT. */
    private final class SpyRaft extends RAFT {
        SpyRaft() {
            setId(RAFT_ID);
        }

        @Override
        public void init() {
            // No log.
        }

        @Override
        public void start() {
            // No thread.
        }

        @Override
        public void stop() {
            // None was started.
        }

        @Override
        public void destroy() {
            // None was made.
        }

        @Override
        public Object down(org.jgroups.Event event) {
            return down_prot.down(event);
        }

        @Override
        public Object up(org.jgroups.Event event) {
            return up_prot.up(event);
        }

        @Override
        public Object up(Message message) {
            if (message.getHeader(getId()) == null) {
                return up_prot.up(message);
            }
            toRaft.add(Thread.currentThread().getName());
            return this;
        }

        @Override
        public void up(MessageBatch batch) {
            for (Message message : batch) {
                up(message);
            }
        }
    }
}
