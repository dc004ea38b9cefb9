package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The chain of incorporated messages: what is known of it, what is delivered, and what of it is still told. */
class IncorporatedOrderTest {
    private final IncorporatedOrder order = new IncorporatedOrder();

    private static Tag tag(long number) {
        return new Tag(7, number);
    }

    private static List<Tag> tags(long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(IncorporatedOrderTest::tag)
                .toList();
    }

    private void append(long from, long to) {
        for (long number = from; number <= to; number++) {
            order.append(tag(number), true, number);
        }
    }

    @Test
    void positionsCountFromTheFirst() {
        append(1, 3);
        assertEquals(3, order.size());
        assertEquals(3, order.end());
        assertEquals(tag(3), order.latest());
        assertEquals(0, order.positionOf(tag(1)));
        assertEquals(2, order.positionOf(tag(3)));
        assertEquals(-1, order.positionOf(tag(4)));
        assertTrue(order.contains(tag(2)));
        assertFalse(order.contains(tag(4)));
    }

    /** E_DELIV is the first that was not delivered here. */
    @Test
    void whatIsDeliverableIsDeliveredInOrder() {
        append(1, 3);
        assertEquals(tag(1), order.earliest());
        assertEquals(1, order.earliestSinceMicros());
        assertEquals(tag(1), order.lastDelivered(), "none yet: the oldest");
        order.delivered();
        assertEquals(tag(2), order.earliest());
        assertEquals(2, order.earliestSinceMicros());
        assertEquals(tag(1), order.lastDelivered());
        assertEquals(tags(2, 3), order.undelivered());
        assertEquals(tags(1, 1), order.kept());
        assertTrue(order.isDelivered(tag(1)));
        assertFalse(order.isDelivered(tag(2)));
        assertFalse(order.isDelivered(tag(9)));
        order.allDelivered();
        assertNull(order.earliest());
        assertEquals(3, order.deliveredEnd());
        assertEquals(tag(3), order.lastDelivered());
        assertEquals(List.of(), order.undelivered());
    }

    /** A place that was decided is not known: what comes right after the one before it is. */
    @Test
    void onlyWhatNoDecisionPartsIsKnownToComeBefore() {
        order.append(tag(1), false, 0);
        order.append(tag(2), true, 0);
        order.append(tag(3), false, 0);
        order.append(tag(4), true, 0);
        assertTrue(order.isKnownBefore(tag(1), tag(2)));
        assertTrue(order.isKnownBefore(tag(2), tag(2)), "itself");
        assertFalse(order.isKnownBefore(tag(2), tag(1)));
        assertFalse(order.isKnownBefore(tag(2), tag(3)));
        assertFalse(order.isKnownBefore(tag(1), tag(4)));
        assertTrue(order.isKnownBefore(tag(3), tag(4)));
        assertFalse(order.isKnownBefore(tag(9), tag(4)));
        assertFalse(order.isKnownBefore(tag(1), tag(9)));
        assertEquals(List.of(tag(1), tag(3)), order.decided(4));
        assertEquals(List.of(tag(3)), order.decided(2));
        assertEquals(List.of(), order.decided(1));
        assertEquals(List.of(tag(1), tag(3)), order.decided(9));
        assertEquals(tags(3, 4), order.newest(2));
        assertEquals(tags(1, 4), order.newest(9));
    }

    @Test
    void theOldestLeavesWhenItIsDeliveredAndBelowTheBound() {
        append(1, 4);
        assertNull(order.leaveOldestBelow(4), "nothing is delivered");
        order.delivered();
        order.delivered();
        assertNull(order.leaveOldestBelow(0));
        assertEquals(tag(1), order.leaveOldestBelow(1));
        assertNull(order.leaveOldestBelow(1));
        assertEquals(tag(2), order.leaveOldestBelow(9));
        assertNull(order.leaveOldestBelow(9), "3 is not delivered");
        assertEquals(2, order.inUse());
        assertEquals(List.of(), order.kept());
        order.allDelivered();
        assertEquals(tag(3), order.leaveOldestBelow(9));
        assertNull(order.leaveOldestBelow(9), "L_DELIV stays");
        assertEquals(1, order.inUse());
        assertEquals(4, order.size(), "the trail stays too");
    }

    /** A trail of 64 shows a site that comes back where the orders parted. */
    @Test
    void theTrailIs64Messages() {
        append(1, 70);
        order.allDelivered();
        for (int i = 1; i <= 64; i++) {
            order.leaveOldestBelow(70);
            assertNull(order.forgetOldest(), "after " + i);
        }
        order.leaveOldestBelow(70);
        assertEquals(tag(1), order.forgetOldest());
        assertNull(order.forgetOldest());
        assertFalse(order.contains(tag(1)));
        assertEquals(1, order.positionOf(tag(2)), "positions do not change");
        assertEquals(70, order.end());
        assertEquals(tags(69, 70), order.newest(2));
        assertEquals(List.of(), order.decided(3));
        assertEquals(tags(66, 70), order.kept());
        assertEquals(tag(70), order.lastDelivered());
        append(71, 71);
        assertEquals(tag(71), order.earliest());
        assertTrue(order.isKnownBefore(tag(2), tag(71)));
    }

    @Test
    void ordersAgreeFromWhereTheyMeetToWhereOneOfThemEnds() {
        append(1, 4);
        assertTrue(order.agrees(tags(2, 3)));
        assertTrue(order.agrees(tags(3, 9)), "theirs goes on");
        assertTrue(order.agrees(List.of(tag(9), tag(1), tag(2))), "before its first message anything may be");
        assertFalse(order.agrees(List.of(tag(9), tag(2), tag(3))), "another one is before the message where they meet");
        assertFalse(order.agrees(List.of(tag(2), tag(4))));
        assertFalse(order.agrees(List.of(tag(8), tag(9))), "they do not meet");
    }
}
