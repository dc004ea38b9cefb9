package org.amo.replication.order.group;

import org.jgroups.Message;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.PassRegularMessagesUpDirectly;
import org.jgroups.util.SubmitToThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Hands RAFT's messages up in the thread that read them, and all others to JGroups' pool, as JGroups does with all. It
 * saves a wake-up a message, which on the way of an entry is four.
 *
 * <p>A thread that reads must not wait for a message that it alone can read (flow control's credits). RAFT leaves all that may
 * wait to a thread of its own. In the order of its sender such a message may bring along others that waited for it: entries on
 * their way to the leader, for which the same holds.
 */
public final class ReaderDelivery extends SubmitToThreadPool {
    private final PassRegularMessagesUpDirectly direct = new PassRegularMessagesUpDirectly();
    // JGroups makes this before it makes the stack. Found by whichever thread reads first.
    private volatile @Nullable RAFT raft;

    /** For JGroups, which makes it by name. */
    public ReaderDelivery() {}

    @Override
    public void init(TP transport) {
        super.init(transport);
        direct.init(transport);
    }

    @Override
    public boolean process(Message message, boolean outOfBand) {
        return (!outOfBand && isOfRaft(message)) ? direct.process(message, false) : super.process(message, outOfBand);
    }

    @Override
    public boolean process(MessageBatch batch, boolean outOfBand) {
        if (outOfBand) {
            return super.process(batch, true);
        }
        for (Message message : batch) {
            if (!isOfRaft(message)) {
                return super.process(batch, false);
            }
        }
        return direct.process(batch, false);
    }

    private boolean isOfRaft(Message message) {
        RAFT protocol = raft;
        if (protocol == null) {
            protocol = getTransport().getProtocolStack().findProtocol(RAFT.class);
            raft = protocol;
        }
        return protocol != null && message.getHeader(protocol.getId()) != null;
    }
}
