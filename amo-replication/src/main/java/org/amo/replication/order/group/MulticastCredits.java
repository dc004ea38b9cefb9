package org.amo.replication.order.group;

import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MFC;

/** JGroups' flow control of messages to all members. It also tells whether such a message would wait for a member. */
final class MulticastCredits extends MFC {
    MulticastCredits() {
        // Its messages are those of its parent.
        setId(ClassConfigurator.getProtocolId(MFC.class));
    }

    /** Whether each member lets so many more bytes pass now. Any thread. */
    boolean hasRoomFor(long bytes) {
        return credits.getMinCredits() >= bytes;
    }
}
