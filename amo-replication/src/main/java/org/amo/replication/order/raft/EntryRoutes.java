package org.amo.replication.order.raft;

import java.util.function.Consumer;
import org.amo.replication.order.group.GroupChannel;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.raft.AppendEntriesRequest;
import org.jgroups.stack.Protocol;

/**
 * Sends a leader's entries to each member by itself, and to none that has not taken what it was sent before.
 *
 * <p>The original multicasts them. Flow control then makes the leader wait until the slowest member has read, and a
 * member that stands still stops the group until it is taken out of the view. Here it misses entries instead; RAFT
 * keeps them, and {@link GuardedRaft} feeds them in pieces to a member that lags.
 *
 * <p>It stands right below RAFT, whose thread alone sends entries.
 */
final class EntryRoutes extends Protocol {
    private final short raftId;
    private final Consumer<Address> missed;
    private volatile View view = new View();

    /** @param missed told of each member that was left out, in the sending thread */
    EntryRoutes(short raftId, Consumer<Address> missed) {
        this.raftId = raftId;
        this.missed = missed;
    }

    @Override
    public Object up(Event event) {
        if (event.getType() == Event.VIEW_CHANGE) {
            view = event.getArg();
        }
        return up_prot.up(event);
    }

    @Override
    public Object down(Message message) {
        if (!(message.getHeader(raftId) instanceof AppendEntriesRequest)) {
            return down_prot.down(message);
        }
        if (message.getDest() != null) {
            route(message);
        } else {
            for (Address member : view.getMembersRaw()) {
                if (!member.equals(local_addr)) {
                    route(message.copy(true, true).setDest(member));
                }
            }
        }
        return message;
    }

    private void route(Message message) {
        if (GroupChannel.hasRoom(getProtocolStack(), message.getDest(), message.getLength())) {
            down_prot.down(message);
        } else {
            missed.accept(message.getDest());
        }
    }
}
