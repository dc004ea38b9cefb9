package org.amo.replication.order.group;

import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.raft.NO_DUPES;

/**
 * Refuses a member with an id that another process of the group has, but not a member that repeats its join.
 *
 * <p>If a member hears no answer to its join within a second, it repeats the join, and may be in the view by then. The
 * original refuses the repeated join as a duplicate of the member itself. The member would come again under a new address,
 * and be refused until its first address has left the view. GMS answers a repeated join with the view as it is.
 */
final class NoDuplicateIds extends NO_DUPES {
    @Override
    protected boolean handleGmsHeader(GMS.GmsHeader header, Address sender) {
        boolean join = header.getType() == GMS.GmsHeader.JOIN_REQ
                || header.getType() == GMS.GmsHeader.JOIN_REQ_WITH_STATE_TRANSFER;
        View current = view;
        if (join && current != null && current.containsMember(header.getMember())) {
            return true;
        }
        return super.handleGmsHeader(header, sender);
    }
}
