package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Suspended Delivery: what becomes of inferences across own messages that others have put into the order. */
class SuspicionsTest {
    private static final long NOW = 0;

    private final IncorporatedOrder order = new IncorporatedOrder();
    private final PrecedenceGraph graph = new PrecedenceGraph(64);
    private final Suspicions suspicions = new Suspicions();
    private final Suspicions.Order known = new Suspicions.Order() {
        @Override
        public boolean precedes(Tag x, Tag y) {
            return graph.precedes(x, y);
        }

        @Override
        public boolean isKnownBefore(Tag x, Tag y) {
            return order.isKnownBefore(x, y);
        }

        @Override
        public boolean isIncorporated(Tag tag) {
            return order.contains(tag);
        }
    };

    private static Tag own(int number) {
        return new Tag(0xC0, number);
    }

    private static Tag tag(int number) {
        return new Tag(0xA0, number);
    }

    /** 1 and 2 are received in a row while an own message is on its way, and so are 2 and 3. */
    private void receive() {
        suspicions.sent(own(1));
        assertFalse(suspicions.infer(tag(1), tag(2)));
        assertFalse(suspicions.infer(tag(2), tag(3)));
        order.append(Tag.ROOT, false, NOW);
    }

    @Test
    void anOwnMessageOfWhichTheOrderKnowsThatItComesBeforeSuspectsNothingBehind() {
        receive();
        order.append(own(1), true, NOW);
        order.append(tag(1), true, NOW);
        assertEquals(List.of(Arc.marked(tag(1), tag(2)), Arc.marked(tag(2), tag(3))), suspicions.certain(known));
    }

    @Test
    void whereThatWasDecidedTheInferenceIsDropped() {
        receive();
        order.append(own(1), true, NOW);
        order.append(tag(1), false, NOW);
        assertEquals(List.of(), suspicions.certain(known));
        graph.add(tag(1), NOW);
        graph.add(tag(2), NOW);
        graph.include(List.of(Arc.plain(tag(1), tag(2))));
        assertEquals(List.of(), suspicions.certain(known));
    }

    @Test
    void anInferenceWaitsUntilItIsKnownWhereItsFirstMessageIs() {
        receive();
        order.append(own(1), true, NOW);
        assertEquals(List.of(), suspicions.certain(known));
        order.append(tag(1), true, NOW);
        assertEquals(2, suspicions.certain(known).size());
    }

    @Test
    void anOwnMessageBetweenMakesTheInferenceWrong() {
        receive();
        order.append(tag(1), true, NOW);
        order.append(own(1), true, NOW);
        order.append(tag(2), true, NOW);
        assertEquals(List.of(Arc.marked(tag(2), tag(3))), suspicions.certain(known));
    }

    @Test
    void whatIsKnownBeforeIsSoAlongMessagesThatFollowRightOnEachOther() {
        order.append(Tag.ROOT, false, NOW);
        order.append(tag(1), true, NOW);
        order.append(tag(2), true, NOW);
        order.append(tag(3), false, NOW);
        order.append(tag(4), true, NOW);
        assertTrue(order.isKnownBefore(Tag.ROOT, tag(2)));
        assertTrue(order.isKnownBefore(tag(3), tag(4)));
        assertFalse(order.isKnownBefore(tag(2), tag(4)));
        assertFalse(order.isKnownBefore(tag(2), tag(1)));
        assertFalse(order.isKnownBefore(tag(2), tag(9)));
        assertEquals(List.of(tag(3)), order.decided(3));
        assertEquals(List.of(Tag.ROOT, tag(3)), order.decided(5));
    }

    /** That an own message lies before one of the pairs counts for all pairs behind, whether or not this one is of use. */
    @Test
    void anOwnMessageBeforeAnEarlierPairIsBeforeALaterOne() {
        suspicions.sent(own(1));
        assertFalse(suspicions.infer(tag(1), tag(2)));
        assertFalse(suspicions.infer(tag(4), tag(5)));
        order.append(tag(1), false, NOW);
        order.append(own(1), true, NOW);
        order.append(tag(2), true, NOW);
        graph.add(tag(4), NOW);
        graph.add(tag(5), NOW);
        assertEquals(List.of(Arc.marked(tag(4), tag(5))), suspicions.certain(known));
    }

    @Test
    void anOwnMessageOfWhichOnlyItsPlaceWasDecidedMakesNoLaterPairCertain() {
        suspicions.sent(own(1));
        assertFalse(suspicions.infer(tag(1), tag(2)));
        assertFalse(suspicions.infer(tag(4), tag(5)));
        order.append(tag(1), false, NOW);
        order.append(own(1), true, NOW);
        order.append(tag(2), false, NOW);
        graph.add(tag(4), NOW);
        graph.add(tag(5), NOW);
        assertEquals(List.of(), suspicions.certain(known));
    }
}
