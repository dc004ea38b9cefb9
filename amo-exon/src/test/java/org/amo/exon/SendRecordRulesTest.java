package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Slots;
import org.junit.jupiter.api.Test;

/** The sending half: which slots it asks for, what becomes of its messages, and which outcome each of them has. */
class SendRecordRulesTest {
    private static final long FIRST = 100;
    private static final long NEVER = Long.MAX_VALUE;

    private final Map<Long, Outcome> outcomes = new TreeMap<>();
    private final NodeClock clock = new NodeClock(FIRST, FIRST + 1_000, 1_000);
    private final SendRecord record = record(clock);

    private SendRecord record(NodeClock ofNode) {
        ExonOptions options = ExonOptions.builder()
                .standbySlots(4, 16)
                .maxSlots(10, 100)
                .maxMessageBytes(100)
                .build();
        return new SendRecord(options, ofNode, new ExonEffects() {
            @Override
            public void transmit(Address to, byte[] datagram) {}

            @Override
            public void deliver(MessageName delivery, byte[] message) {}

            @Override
            public void completed(long message, Outcome outcome) {
                assertEquals(null, outcomes.put(message, outcome), "told twice");
            }

            @Override
            public void reserveClock(long bound) {}
        });
    }

    private static OutgoingMessage message(long number, int pieces, long deadline) {
        return new OutgoingMessage(number, new byte[10 * pieces], deadline, 10);
    }

    private void send(long number, int pieces) {
        record.send(message(number, pieces, NEVER));
    }

    private static Ack ack(long incarnation, long from, long end, long... holes) {
        return new Ack(incarnation, from, end, holes);
    }

    private RequestSlots asked() {
        return record.takeRequest().orElseThrow();
    }

    /** Lines 36 to 43: the pieces that wait, and N in reserve; of use is what the first message needs. */
    @Test
    void aRequestIsForWhatWaitsAndForWhatComesNext() {
        send(1, 3);
        assertTrue(record.hasRequest());
        assertTrue(record.asking());
        assertTrue(record.starving());
        assertEquals(new RequestSlots(FIRST, 7, FIRST, 3), asked());
        assertFalse(record.hasRequest(), "once");
        assertEquals(Optional.empty(), record.takeRequest());
        record.onSlots(new Slots(FIRST, 7, 7));
        assertFalse(record.asking());
        assertFalse(record.starving());
        assertEquals(7, record.envelopes());
        assertEquals(FIRST + 7, record.sck());
        assertEquals(30, record.pendingBytes());
    }

    @Test
    void noMoreSlotsAreAskedForThanARecordMayHave() {
        send(1, 3);
        send(2, 9);
        assertEquals(10, asked().count());
    }

    @Test
    void noSlotIsAskedForWhoseNumberIsNotReserved() {
        NodeClock small = new NodeClock(FIRST, FIRST + 3, 1_000);
        SendRecord first = record(small);
        first.send(message(1, 1, NEVER));
        assertEquals(3, first.takeRequest().orElseThrow().count());
        first.onSlots(new Slots(FIRST, 7, 4));
        assertFalse(first.canBind(), "numbers beyond the bound are none of this life");
        first.onSlots(new Slots(FIRST, 7, 3));
        for (int i = 0; i < 3; i++) {
            assertTrue(first.canBind());
            first.bind();
            first.send(message(2 + i, 1, NEVER));
        }
        first.requestAgain();
        assertFalse(first.hasRequest(), "none is left");
        small.onReserved(FIRST + 4);
        first.requestAgain();
        assertEquals(
                new RequestSlots(FIRST + 3, 1, FIRST, 1), first.takeRequest().orElseThrow());
    }

    /** The low watermark: envelopes are asked for when fewer than half of N are left beyond what waits. */
    @Test
    void slotsAreAskedForAtHalfOfTheReserve() {
        send(1, 1);
        asked();
        record.onSlots(new Slots(FIRST, 7, 5));
        record.bind();
        for (int i = 2; i <= 3; i++) {
            send(i, 1);
            record.bind();
            assertFalse(record.hasRequest(), "message " + i + " leaves " + record.envelopes());
        }
        send(4, 1);
        assertEquals(new RequestSlots(FIRST + 5, 3, FIRST, 0), asked());
    }

    /** N follows what the path carries, within the settings. */
    @Test
    void theReserveStaysWithinItsLimits() {
        record.standby(1_000);
        send(1, 1);
        assertEquals(10, asked().count());
        SendRecord other = record(clock);
        other.standby(0);
        other.send(message(1, 1, NEVER));
        assertEquals(5, other.takeRequest().orElseThrow().count());
    }

    @Test
    void aReceiverWithoutRoomIsNotAskedAgainBeforeItsTime() {
        send(1, 1);
        asked();
        record.onSlots(new Slots(FIRST, 7, 0));
        send(2, 1);
        assertFalse(record.hasRequest());
        record.requestAgain();
        assertEquals(6, asked().count());
        record.onSlots(new Slots(FIRST, 7, 2));
        assertFalse(record.hasRequest(), "it gave what it has");
        record.bind();
        assertFalse(record.hasRequest());
    }

    /** Two requests from one slot may be under way: the longer answer extends the shorter. */
    @Test
    void aLongerAnswerOfTheSameRecordExtendsAShorterOne() {
        send(1, 1);
        record.onSlots(new Slots(FIRST, 7, 2));
        record.onSlots(new Slots(FIRST, 7, 5));
        assertEquals(5, record.envelopes());
        record.onSlots(new Slots(FIRST, 7, 4));
        assertEquals(5, record.envelopes(), "the shorter one again");
        record.onSlots(new Slots(FIRST, 8, 6));
        assertEquals(5, record.envelopes(), "of another record it says nothing");
    }

    /** A message takes the envelopes of all its pieces or none, and its pieces take consecutive slots. */
    @Test
    void aMessageWaitsUntilAllItsPiecesHaveSlots() {
        send(1, 3);
        record.onSlots(new Slots(FIRST, 7, 2));
        assertFalse(record.canBind());
        record.onSlots(new Slots(FIRST, 7, 4));
        assertEquals(10, record.nextLength());
        for (int i = 0; i < 3; i++) {
            assertTrue(record.canBind());
            SentToken token = record.bind();
            assertEquals(i, token.index);
            assertEquals(FIRST + i, token.slot);
            assertEquals(7, token.incarnation);
        }
        assertFalse(record.canBind());
        assertFalse(record.idle(), "tokens are under way");
    }

    @Test
    void onlyWholeMessagesJoinWholeMessages() {
        send(1, 1);
        send(2, 1);
        send(3, 2);
        record.onSlots(new Slots(FIRST, 7, 8));
        SentToken first = record.bind();
        assertTrue(record.joins(first));
        SentToken second = record.bind();
        assertFalse(record.joins(second), "a piece comes next");
        SentToken piece = record.bind();
        assertFalse(record.joins(piece));
    }

    /** Tokens reach back no further than an acknowledgement does: four times the slots of a record. */
    @Test
    void tokensSpanNoMoreThanAnAcknowledgementCovers() {
        long next = FIRST;
        for (int i = 1; i <= 41; i++) {
            send(i, 1);
            record.requestAgain();
            record.takeRequest().ifPresent(request -> record.onSlots(new Slots(request.from(), 7, request.count())));
            assertEquals(i <= 40, record.canBind(), "token " + i);
            if (i <= 40) {
                assertEquals(next++, record.bind().slot);
            }
        }
        record.onAck(ack(7, FIRST, FIRST + 1));
        assertTrue(record.canBind());
    }

    /** Lines 82 to 86: what an acknowledgement covers is delivered, once all pieces are. */
    @Test
    void aMessageIsDeliveredWhenAllItsPiecesAre() {
        send(1, 2);
        send(2, 1);
        record.onSlots(new Slots(FIRST, 7, 7));
        for (int i = 0; i < 3; i++) {
            record.bind();
        }
        assertEquals(List.of(), record.onAck(ack(6, FIRST, FIRST + 3)), "of another incarnation");
        assertEquals(
                2, record.onAck(ack(7, FIRST, FIRST + 3, FIRST + 1, FIRST + 2)).size());
        assertEquals(Map.of(2L, Outcome.DELIVERED), outcomes);
        assertEquals(20, record.pendingBytes());
        assertEquals(1, record.onAck(ack(7, FIRST, FIRST + 3)).size());
        assertEquals(Map.of(1L, Outcome.DELIVERED, 2L, Outcome.DELIVERED), outcomes);
        assertEquals(0, record.pendingBytes());
        assertTrue(record.idle());
    }

    /** At the deadline: what never left was certainly not delivered; of what left nobody knows. */
    @Test
    void theDeadlineTellsWhatLeftFromWhatDidNot() {
        record.send(message(1, 1, 50));
        record.send(message(2, 2, 50));
        record.send(message(3, 1, 50));
        record.send(message(4, 1, 70));
        record.onSlots(new Slots(FIRST, 7, 3));
        record.bind();
        record.bind();
        assertEquals(50, record.earliestDeadline());
        record.expire(49);
        assertEquals(Map.of(), outcomes);
        record.expire(50);
        assertEquals(Map.of(1L, Outcome.UNKNOWN, 2L, Outcome.UNKNOWN, 3L, Outcome.NOT_SENT), outcomes);
        assertEquals(10, record.pendingBytes());
        assertEquals(70, record.earliestDeadline());
        assertEquals(List.of(), record.onAck(ack(7, FIRST, FIRST + 9)));
        record.bind();
        record.expire(70);
        assertEquals(Outcome.UNKNOWN, outcomes.get(4L));
        assertEquals(NEVER, record.earliestDeadline());
    }

    /** Lines 30 to 33 in their right order: the frontier of a request never passes over a slot that a message just took. */
    @Test
    void aRequestThatATokenGivesRiseToDoesNotWaiveItsSlot() {
        send(1, 1);
        asked();
        record.onSlots(new Slots(FIRST, 7, 5));
        record.standby(10);
        assertFalse(record.hasRequest());
        SentToken token = record.bind();
        assertEquals(FIRST, token.slot);
        assertEquals(new RequestSlots(FIRST + 5, 6, FIRST, 0), asked());
    }

    @Test
    void aMessageThatLeftInPartNeedsSlotsForTheRestOnly() {
        send(1, 3);
        record.onSlots(new Slots(FIRST, 7, 3));
        record.bind();
        record.requestAgain();
        assertEquals(0, asked().need());
    }

    @Test
    void aSecondCopyOfAnAnswerChangesNothing() {
        send(1, 1);
        asked();
        record.onSlots(new Slots(FIRST, 7, 5));
        for (int i = 2; i <= 6; i++) {
            send(i, 1);
        }
        assertTrue(record.hasRequest());
        record.onSlots(new Slots(FIRST, 7, 5));
        assertTrue(record.hasRequest(), "the next request stands");
        assertEquals(5, record.envelopes());
    }

    @Test
    void aMessageThatLeftInPartIsUnknownWhenANewRecordReplacesItsSlots() {
        send(1, 3);
        record.onSlots(new Slots(FIRST, 7, 3));
        record.bind();
        record.onSlots(new Slots(FIRST + 3, 8, 4));
        assertEquals(Map.of(1L, Outcome.UNKNOWN), outcomes);
        assertEquals(List.of(), record.onAck(ack(7, FIRST, FIRST + 3)), "its token counts no more");
        assertTrue(record.idle());
    }

    @Test
    void aNewLifeMayHaveRoomThatTheFormerHadNot() {
        send(1, 1);
        asked();
        record.onSlots(new Slots(FIRST, 7, 0));
        assertFalse(record.hasRequest());
        record.onNewLife(8);
        assertTrue(record.hasRequest());
    }

    @Test
    void aMessageThatExpiredInPartLeavesNoPieceToAskFor() {
        record.send(message(1, 2, 50));
        record.onSlots(new Slots(FIRST, 7, 2));
        record.bind();
        record.expire(50);
        record.requestAgain();
        assertEquals(new RequestSlots(FIRST + 2, 3, FIRST + 1, 0), asked());
    }

    @Test
    void theNextDeadlineIsThatOfATokenToo() {
        record.send(message(1, 1, 50));
        record.send(message(2, 1, 70));
        record.onSlots(new Slots(FIRST, 7, 2));
        record.bind();
        record.bind();
        record.expire(50);
        assertEquals(70, record.earliestDeadline());
    }

    /** What expired needs no slots any more, and the frontier passes over the slots that it had. */
    @Test
    void whatExpiredIsNotAskedForAndItsSlotsAreWaived() {
        record.send(message(1, 1, 50));
        record.send(message(2, 3, 50));
        record.onSlots(new Slots(FIRST, 7, 1));
        record.bind();
        record.expire(50);
        record.requestAgain();
        assertEquals(new RequestSlots(FIRST + 1, 4, FIRST + 1, 0), asked());
    }

    /** The receiver knows nothing of the incarnation: what left under it is UNKNOWN, the rest takes new slots. */
    @Test
    void whatLeftUnderAnUnknownIncarnationIsUnknownAndTheRestIsSent() {
        send(1, 1);
        send(2, 1);
        record.onSlots(new Slots(FIRST, 7, 6));
        record.bind();
        record.onUnknown(Set.of(6L));
        assertEquals(Map.of(), outcomes);
        assertEquals(5, record.envelopes());
        record.onUnknown(Set.of(7L));
        assertEquals(Map.of(1L, Outcome.UNKNOWN), outcomes);
        assertEquals(0, record.envelopes());
        assertEquals(new RequestSlots(FIRST + 6, 5, FIRST + 6, 1), asked());
    }

    @Test
    void aNewLifeOfTheReceiverEndsAllIncarnationsBeforeIt() {
        send(1, 1);
        send(2, 1);
        record.onSlots(new Slots(FIRST, 7, 6));
        record.bind();
        record.onNewLife(7);
        assertEquals(Map.of(), outcomes, "7 is of that life");
        assertEquals(5, record.envelopes());
        record.onNewLife(8);
        assertEquals(Map.of(1L, Outcome.UNKNOWN), outcomes);
        assertEquals(0, record.envelopes());
        assertEquals(1, asked().need());
    }

    /** A message that left in part can not become whole without its slots. */
    @Test
    void aMessageThatLeftInPartIsUnknownWhenItsSlotsAreGone() {
        send(1, 3);
        send(2, 1);
        record.onSlots(new Slots(FIRST, 7, 7));
        record.bind();
        record.onUnknown(Set.of(7L));
        assertEquals(Map.of(1L, Outcome.UNKNOWN), outcomes);
        assertEquals(10, record.pendingBytes());
        assertEquals(new RequestSlots(FIRST + 7, 5, FIRST + 7, 1), asked());
    }

    /** Line 46: a later record must not use the numbers again. */
    @Test
    void aRecordThatGoesRaisesTheClock() {
        send(1, 1);
        record.onSlots(new Slots(FIRST, 7, 5));
        assertEquals(new RequestSlots(FIRST + 5, 0, FIRST + 5, 0), record.close());
        assertEquals(FIRST + 5, clock.value());
    }
}
