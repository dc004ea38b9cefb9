package org.amo.benchmarks.order;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongConsumer;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.SEQUENCER;

/** JGroups alone over TCP: reliable multicast (NAKACK2, no total order: the floor), or SEQUENCER on top of it. */
final class ChannelSender implements Sender, Receiver {
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
        channel = BareStack.channel(id, members, sequencer ? List.of(new SEQUENCER()) : List.of());
        channel.setReceiver(this);
    }

    @Override
    public void start(LongConsumer toTell) throws Exception {
        completed = toTell;
        BareStack.join(channel, members.size());
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
