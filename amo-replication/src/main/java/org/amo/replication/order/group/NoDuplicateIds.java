package org.amo.replication.order.group;

import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.raft.NO_DUPES;

/**
 * Refuses a member whose id another process of the group has, but not one that asks a second time.
 *
 * <p>Who hears no answer to its join within a second asks again, though its first request may be in the view by then. The
 * original refuses that as a duplicate of itself. It would come again under a new address, and find its own first one
 * in its way for as long as it takes to be missed. GMS answers a repeated join with the view as it is.
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
