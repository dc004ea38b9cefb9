package org.amo.replication.order.group;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.PerDestinationBundler;
import org.jgroups.protocols.TP;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.Util;

/**
 * Sends the messages for each member in threads of their own, so that a member that does not read holds up no other one.
 *
 * <p>JGroups writes to all members in one thread, or, with a thread for each destination, messages for all of them in
 * one. A socket takes little once the other end is silent (a member that stands still or cannot be heard has filled
 * it within seconds), and then that thread waits, and every other member with it. Here a message for all is put in a
 * queue for each of them.
 *
 * <p>A full queue drops new messages; the protocols above send them again.
 *
 * <p>Messages may come from any thread. Copies for this member itself are handed back at once.
 */
final class PeerBundler extends PerDestinationBundler {
    private static final int MESSAGES = 4_096;

    private final Map<Address, ForAll> forAll = new ConcurrentHashMap<>();

    PeerBundler() {
        use_single_sender_thread = false;
        capacity = MESSAGES;
    }

    @Override
    public void doSend(Message message) throws Exception {
        List<Address> view = members;
        if (message.getDest() != null || view == null) {
            super.doSend(message);
            return;
        }
        for (Address member : view) {
            if (!member.equals(transport.getAddress())) {
                queueFor(member).send(message);
            }
        }
        loopbackUnlessDontLoopbackIsSet(message);
    }

    @Override
    public void viewChange(View view) {
        super.viewChange(view);
        forAll.forEach((member, queue) -> {
            if (!view.containsMember(member) && forAll.remove(member, queue)) {
                queue.stop();
            }
        });
    }

    @Override
    public void stop() {
        super.stop();
        forAll.values().forEach(SendBuffer::stop);
        forAll.clear();
    }

    private ForAll queueFor(Address member) {
        ForAll queue = forAll.get(member);
        if (queue == null) {
            queue = forAll.computeIfAbsent(member, ForAll::new);
            queue.start();
        }
        return queue;
    }

    /** The messages for all members, on their way to one of them. */
    private final class ForAll extends SendBuffer {
        private final Address member;
        private final ByteArrayDataOutputStream bytes = new ByteArrayDataOutputStream(max_size + TP.MSG_OVERHEAD);

        ForAll(Address member) {
            super(member);
            this.member = member;
        }

        // Only here so that the class around it may call it.
        @Override
        protected boolean send(Message message) throws Exception {
            return super.send(message);
        }

        @Override
        protected void sendMessages(Address to, Address from, List<Message> messages) {
            bytes.position(0);
            try {
                if (messages.size() == 1) {
                    Util.writeMessage(messages.get(0), bytes, true);
                } else {
                    byte[] cluster = transport.getClusterNameAscii().val();
                    Util.writeMessageList(null, from, cluster, messages, bytes, true);
                }
                transport.doSend(bytes.buffer(), 0, bytes.position(), member);
            } catch (Exception e) {
                log.trace(FMT, transport.getAddress(), member, e.getMessage());
            }
        }
    }
}
