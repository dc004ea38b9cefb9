package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Section 4.3: which bodies are kept when there is no room for all, what is asked for, and what is sent again. */
class PayloadBuffersTest {
    private static final long SELF = 0xC0;
    private static final long OTHER = 0xA0;

    private final Parts parts = new Parts(2);

    private static Tag tag(int number) {
        return new Tag(OTHER, number);
    }

    private static byte[] body(int number) {
        return new byte[] {(byte) number};
    }

    /** The parts of a site that has its place, with so many ordering buffers. */
    private static final class Parts {
        final SiteContext life;
        final OrderState knowledge;
        final Sites sites;
        final PayloadBuffers bodies;
        final Recovery recovery;

        Parts(int orderingBuffers) {
            DpgOptions options = DpgOptions.builder()
                    .buffers(orderingBuffers, 4)
                    .maxBodyBytes(100)
                    .maxRemulticastBytes(10)
                    .retrievalMicros(25)
                    .reportMicros(10)
                    .deliveryMicros(60, 500)
                    .absence(1_000, 5)
                    .build();
            life = new SiteContext(options, new RecordedEffects(), new SpellParts(), 0);
            knowledge = new OrderState(options, life.parts, SELF);
            sites = new Sites(options, 0);
            bodies = new PayloadBuffers(life, knowledge, sites);
            recovery = new Recovery(life, knowledge, sites, bodies);
            knowledge.order.append(Tag.ROOT, false, 0);
            knowledge.order.allDelivered();
            knowledge.graph.add(Tag.ROOT, 0);
            knowledge.anchored = true;
        }

        /** Vertices in a row behind the root. */
        void follow(int count) {
            List<Arc> arcs = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                knowledge.graph.add(tag(i), 0);
                arcs.add(Arc.plain(i == 1 ? Tag.ROOT : tag(i - 1), tag(i)));
            }
            knowledge.graph.include(arcs);
        }

        void incorporate(int number) {
            knowledge.graph.mark(knowledge.order.latest(), tag(number));
            knowledge.advance(tag(number), true, 0);
        }
    }

    @Test
    void aBodyIsKeptOnceAndFoundAgain() {
        parts.follow(3);
        assertNull(parts.bodies.get(tag(1)));
        assertTrue(parts.bodies.store(tag(1), body(1)));
        assertArrayEquals(body(1), parts.bodies.get(tag(1)));
        assertFalse(parts.bodies.store(tag(1), body(9)), "it is there");
        assertArrayEquals(body(1), parts.bodies.get(tag(1)));
        assertEquals(1, parts.bodies.ofOthers());
    }

    @Test
    void aBodyThatWasDeliveredOrIsPastIsOfNoUse() {
        parts.follow(2);
        parts.incorporate(1);
        parts.knowledge.order.delivered();
        assertFalse(parts.bodies.store(tag(1), body(1)));
        parts.knowledge.passed.add(tag(9), 0);
        assertFalse(parts.bodies.store(tag(9), body(9)));
        parts.knowledge.passed.add(tag(2), 0);
        parts.incorporate(2);
        assertTrue(parts.bodies.store(tag(2), body(2)), "it is in the order, and not delivered");
    }

    /** "Message X is permitted to seize the ordering buffer occupied by any successor Y": the last of them. */
    @Test
    void aMessageTakesTheBufferOfItsLastSuccessor() {
        parts.follow(4);
        parts.bodies.store(tag(3), body(3));
        parts.bodies.store(tag(4), body(4));
        assertTrue(parts.bodies.store(tag(1), body(1)));
        assertNull(parts.bodies.get(tag(4)));
        assertNotNull(parts.bodies.get(tag(3)));
        assertEquals(1, parts.life.counters.seized());
        assertEquals(1, parts.life.counters.overflows());
        assertTrue(parts.bodies.store(tag(4), body(4)), "somebody has it, and there is no room");
        assertNull(parts.bodies.get(tag(4)));
        assertEquals(2, parts.bodies.ofOthers());
    }

    @Test
    void inTheOrderToTheLastUndeliveredYields() {
        parts.follow(4);
        for (int i = 1; i <= 3; i++) {
            parts.incorporate(i);
        }
        parts.bodies.store(tag(2), body(2));
        parts.bodies.store(tag(3), body(3));
        assertTrue(parts.bodies.store(tag(1), body(1)));
        assertNull(parts.bodies.get(tag(3)));
        assertNotNull(parts.bodies.get(tag(2)));
        assertNotNull(parts.bodies.get(tag(1)));
    }

    /** E_DELIV passes through: what waits for it may be held by others for the same reason. */
    @Test
    void theEarliestPassesThroughWithoutABuffer() {
        parts.follow(3);
        parts.bodies.store(tag(1), body(1));
        parts.bodies.store(tag(2), body(2));
        parts.incorporate(1);
        parts.incorporate(2);
        parts.incorporate(3);
        parts.knowledge.order.delivered();
        parts.knowledge.order.delivered();
        assertEquals(tag(3), parts.knowledge.order.earliest());
        assertTrue(parts.bodies.store(tag(3), body(3)));
        assertEquals(3, parts.bodies.ofOthers());
        parts.bodies.onDelivered(tag(3));
        assertNull(parts.bodies.get(tag(3)), "and goes when it was delivered");
        parts.bodies.onDelivered(tag(2));
        assertNotNull(parts.bodies.get(tag(2)), "others may lack it");
    }

    @Test
    void aDeliveredBodyYieldsIfItsSenderIsThere() {
        parts.follow(3);
        parts.bodies.store(tag(1), body(1));
        parts.bodies.store(tag(2), body(2));
        parts.incorporate(1);
        parts.incorporate(2);
        parts.knowledge.order.allDelivered();
        parts.sites.heard(OTHER, 0, 0);
        assertTrue(parts.bodies.store(tag(3), body(3)));
        assertNotNull(parts.bodies.get(tag(3)));
        assertNull(parts.bodies.get(tag(1)), "the oldest");
        assertNotNull(parts.bodies.get(tag(2)));
        assertEquals(1, parts.life.counters.premature());
        assertEquals(0, parts.life.counters.overflows());
    }

    /** What no present site lacks stays for one that comes back, as long as nothing else needs the room. */
    @Test
    void whatIsDoneWithYieldsToAllOthers() {
        parts.follow(4);
        parts.bodies.store(tag(1), body(1));
        parts.bodies.leave(tag(1));
        assertArrayEquals(body(1), parts.bodies.get(tag(1)));
        assertEquals(0, parts.bodies.ofOthers());
        parts.bodies.store(tag(2), body(2));
        assertNotNull(parts.bodies.get(tag(1)));
        parts.bodies.store(tag(3), body(3));
        assertNull(parts.bodies.get(tag(1)));
        parts.bodies.leave(tag(2));
        assertNotNull(parts.bodies.get(tag(2)));
        parts.bodies.forget(tag(2));
        assertNull(parts.bodies.get(tag(2)));
        parts.bodies.leave(tag(4));
        assertNull(parts.bodies.get(tag(4)), "what was not there does not stay");
    }

    @Test
    void whatIsLeftStaysOnlyIfThereIsRoom() {
        Parts one = new Parts(1);
        one.follow(3);
        one.bodies.onSent(new Message(new Tag(SELF, 1), body(1)), 0);
        one.bodies.store(tag(1), body(1));
        one.bodies.leave(new Tag(SELF, 1));
        assertNull(one.bodies.get(new Tag(SELF, 1)));
        assertEquals(0, one.bodies.ownCount());
        assertEquals(0, one.bodies.inFlightCount());
    }

    @Test
    void ownMessagesAreInFlightUntilTheyAreDeliveredHere() {
        Tag own = new Tag(SELF, 1);
        parts.bodies.onSent(new Message(own, body(7)), 5);
        assertEquals(1, parts.bodies.ownCount());
        assertEquals(1, parts.bodies.inFlightCount());
        assertArrayEquals(body(7), parts.bodies.get(own));
        assertFalse(parts.bodies.store(own, body(9)));
        parts.bodies.onDelivered(own);
        assertEquals(0, parts.bodies.inFlightCount());
        assertEquals(1, parts.bodies.ownCount(), "others may lack it");
        assertEquals(5, parts.bodies.own().iterator().next().sentMicros());
    }

    @Test
    void whatWasHeardBeforeTheSiteHadAPlaceStaysIfItHasOne() {
        Parts late = new Parts(9);
        for (int i = 1; i <= 4; i++) {
            late.bodies.store(tag(i), body(i));
        }
        late.follow(3);
        late.incorporate(1);
        late.knowledge.order.delivered();
        late.incorporate(2);
        late.bodies.onAnchored();
        assertNull(late.bodies.get(tag(1)), "delivered before the segment");
        assertNotNull(late.bodies.get(tag(2)), "in the order");
        assertNotNull(late.bodies.get(tag(3)), "in the graph");
        assertNull(late.bodies.get(tag(4)), "nowhere");
    }

    /** LM: the earliest first, again after Retr_Cycle, and nothing that is there or was delivered. */
    @Test
    void whatIsMissingIsAskedForAgainAfterAWhile() {
        Parts roomy = new Parts(100);
        roomy.follow(4);
        roomy.incorporate(1);
        roomy.bodies.store(tag(2), body(2));
        roomy.life.delivered.add(tag(4), 0);
        assertEquals(List.of(tag(1), tag(3)), roomy.recovery.lost(1_000));
        assertEquals(List.of(), roomy.recovery.lost(1_024));
        assertEquals(List.of(tag(1), tag(3)), roomy.recovery.lost(1_025));
        roomy.recovery.onBody(tag(3), body(3));
        assertEquals(List.of(tag(1)), roomy.recovery.lost(1_100));
        assertEquals(1_000 + 500, roomy.recovery.giveUpAtMicros(tag(1), 900, 9_000), "since it was asked for first");
        assertEquals(1_200 + 500, roomy.recovery.giveUpAtMicros(tag(1), 1_200, 9_000), "or became deliverable");
        assertEquals(9_000 + 500, roomy.recovery.giveUpAtMicros(tag(3), 1_200, 9_000), "when it can be asked for");
        roomy.recovery.onDelivered(tag(1));
        assertEquals(9_000 + 500, roomy.recovery.giveUpAtMicros(tag(1), 1_200, 9_000));
    }

    @Test
    void theRootAndWhatWasDeliveredAreNotMissing() {
        parts.follow(1);
        parts.incorporate(1);
        parts.knowledge.order.delivered();
        assertEquals(List.of(), parts.recovery.lost(1_000));
    }

    /** Not much more is asked for than can be stored, and never more than 64. */
    @Test
    void noMoreIsAskedForThanThereIsRoomFor() {
        parts.follow(20);
        assertEquals(8, parts.recovery.lost(1_000).size());
        Parts middle = new Parts(20);
        middle.follow(40);
        for (int i = 1; i <= 3; i++) {
            middle.bodies.store(tag(i), body(i));
        }
        assertEquals(17, middle.recovery.lost(1_000).size());
        Parts large = new Parts(200);
        large.follow(100);
        assertEquals(64, large.recovery.lost(1_000).size());
    }

    /** RM: one body in any case, then as many as a report takes, the first asked for first. */
    @Test
    void bodiesThatOthersLackAreSentAgain() {
        Parts roomy = new Parts(100);
        roomy.follow(4);
        int[] lengths = {8, 2, 1, 90};
        for (int i = 1; i <= 4; i++) {
            roomy.bodies.store(tag(i), new byte[lengths[i - 1]]);
            roomy.recovery.onRequest(tag(i));
        }
        roomy.recovery.onRequest(tag(9));
        assertEquals(
                List.of(tag(1), tag(2)),
                roomy.recovery.remulticasts().stream().map(Message::tag).toList());
        assertEquals(
                List.of(tag(3)),
                roomy.recovery.remulticasts().stream().map(Message::tag).toList());
        assertEquals(
                List.of(tag(4)),
                roomy.recovery.remulticasts().stream().map(Message::tag).toList(),
                "longer than a report takes");
        assertEquals(List.of(), roomy.recovery.remulticasts());
        assertEquals(4, roomy.life.counters.remulticast());
    }

    @Test
    void aBodyThatAnotherHasSentMeanwhileIsNotSentAgain() {
        parts.follow(2);
        parts.bodies.store(tag(1), body(1));
        parts.recovery.onRequest(tag(1));
        parts.recovery.onRemulticast(new Message(tag(1), body(1)));
        assertEquals(List.of(), parts.recovery.remulticasts());
        parts.recovery.onRequest(tag(1));
        parts.recovery.remove(tag(1));
        assertEquals(List.of(), parts.recovery.remulticasts(), "nobody lacks it any more");
    }

    /** A body without its place is of use only if it is known that it has one. */
    @Test
    void aBodyOfAMessageThatNobodyToldOfIsNotTaken() {
        parts.follow(1);
        parts.recovery.onRemulticast(new Message(tag(2), body(2)));
        assertNull(parts.bodies.get(tag(2)));
        parts.recovery.onRemulticast(new Message(Tag.ROOT, body(0)));
        assertNull(parts.bodies.get(Tag.ROOT));
        parts.recovery.onRemulticast(new Message(tag(1), new byte[101]));
        assertNull(parts.bodies.get(tag(1)), "longer than a body may be");
        Tag forged = new Tag(SELF, 77);
        parts.knowledge.graph.add(forged, 0);
        parts.recovery.onRemulticast(new Message(forged, body(7)));
        assertNull(parts.bodies.get(forged), "this site never sent it");
        parts.recovery.onRemulticast(new Message(tag(1), new byte[100]));
        assertNotNull(parts.bodies.get(tag(1)));
        Parts listening = new Parts(2);
        listening.follow(1);
        listening.knowledge.anchored = false;
        listening.recovery.onRemulticast(new Message(tag(1), body(1)));
        assertNull(listening.bodies.get(tag(1)), "who has no place takes none");
    }

    /** An own message that nobody reports gets a place without the medium: after Deliv_Cycle alone, twice that in company. */
    @Test
    void anOwnMessageThatNobodyReportsGetsAPlace() {
        Tag own = parts.knowledge.newTag();
        parts.bodies.onSent(new Message(own, body(1)), 1_000);
        parts.recovery.onTime(1_059);
        assertFalse(parts.knowledge.graph.contains(own));
        parts.sites.heard(OTHER, 0, 1_059);
        parts.recovery.onTime(1_119);
        assertFalse(parts.knowledge.graph.contains(own));
        parts.recovery.onTime(1_120);
        assertEquals(List.of(own), parts.knowledge.graph.floating());
        assertEquals(1, parts.recovery.remulticasts().size(), "and is sent again");
        parts.recovery.onTime(1_130);
        assertEquals(List.of(), parts.recovery.remulticasts(), "once");
        Parts lonely = new Parts(2);
        Tag first = lonely.knowledge.newTag();
        lonely.bodies.onSent(new Message(first, body(1)), 1_000);
        lonely.recovery.onTime(1_060);
        assertTrue(lonely.knowledge.graph.contains(first));
    }

    /** A body of an earlier message is needed earlier: to take its buffer could make all wait for each other. */
    @Test
    void noBufferOfAnEarlierMessageIsTaken() {
        parts.follow(4);
        for (int i = 1; i <= 4; i++) {
            parts.incorporate(i);
        }
        parts.bodies.store(tag(1), body(1));
        parts.bodies.store(tag(4), body(4));
        parts.bodies.store(tag(3), body(3));
        assertNull(parts.bodies.get(tag(4)));
        assertNotNull(parts.bodies.get(tag(1)));
        parts.bodies.store(tag(4), body(4));
        assertNull(parts.bodies.get(tag(4)), "1 and 3 come before it");
        assertNotNull(parts.bodies.get(tag(1)));
        assertNotNull(parts.bodies.get(tag(3)));
    }

    @Test
    void ofTheOrderTheLastMessageThatHasABufferYields() {
        parts.follow(4);
        for (int i = 1; i <= 4; i++) {
            parts.incorporate(i);
        }
        parts.bodies.store(tag(2), body(2));
        parts.bodies.store(tag(3), body(3));
        parts.bodies.store(tag(1), body(1));
        assertNull(parts.bodies.get(tag(3)));
        assertNotNull(parts.bodies.get(tag(2)));
        assertNotNull(parts.bodies.get(tag(1)));
    }

    @Test
    void aMessageWithoutAPlaceInTheOrderTakesNoBufferFromIt() {
        parts.follow(4);
        parts.incorporate(1);
        parts.incorporate(2);
        parts.bodies.store(tag(1), body(1));
        parts.bodies.store(tag(2), body(2));
        parts.bodies.store(tag(4), body(4));
        assertNotNull(parts.bodies.get(tag(1)));
        assertNotNull(parts.bodies.get(tag(2)));
        assertEquals(0, parts.life.counters.seized());
    }

    @Test
    void aSuccessorThatHasNoPlaceYetYieldsFirst() {
        parts.follow(4);
        parts.incorporate(1);
        parts.incorporate(2);
        parts.bodies.store(tag(2), body(2));
        parts.bodies.store(tag(3), body(3));
        parts.bodies.store(tag(1), body(1));
        assertNull(parts.bodies.get(tag(3)));
        assertNotNull(parts.bodies.get(tag(2)));
    }
}
