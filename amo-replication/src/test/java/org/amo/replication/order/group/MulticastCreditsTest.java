package org.amo.replication.order.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.MFC;
import org.jgroups.stack.Protocol;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

final class MulticastCreditsTest {
    private static final Address SELF = UUID.randomUUID();
    private static final Address OTHER = UUID.randomUUID();

    private final MulticastCredits credits = new MulticastCredits();

    @Test
    void itKnowsWhatIsLeftUntilAMemberHasRead() throws Exception {
        credits.setMaxCredits(1_000);
        credits.setDownProtocol(new Protocol() {
            @Override
            public Object down(Event event) {
                return this;
            }

            @Override
            public Object down(Message message) {
                return this;
            }
        });
        credits.init();
        credits.down(new Event(Event.VIEW_CHANGE, View.create(SELF, 1, SELF, OTHER)));
        assertTrue(credits.hasRoomFor(1_000));
        credits.down(new BytesMessage(null, new byte[600]));
        assertFalse(credits.hasRoomFor(401));
        assertTrue(credits.hasRoomFor(400));
        List.of(SELF, OTHER).forEach(member -> credits.replenish(member, 600));
        assertTrue(credits.hasRoomFor(1_000));
    }

    @Test
    void itsMessagesAreThoseOfJGroups() {
        assertEquals(new MFC().getId(), credits.getId());
    }
}
