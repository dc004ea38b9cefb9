package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.Token;
import org.junit.jupiter.api.Test;

/** Values of Exon: names of nodes, the clock's values, room, pieces of messages, settings. */
class ExonValuesTest {

    @Test
    void aNodesNameIsWrittenWithAllItsDigits() {
        NodeId id = new NodeId(0xAB, 0xF000_0000_0000_0001L);
        assertEquals("00000000000000abf000000000000001", id.toString());
        assertEquals(id, NodeId.parse(id.toString()));
        assertEquals(id, NodeId.parse("00000000000000ABF000000000000001"));
        assertThrows(IllegalArgumentException.class, () -> NodeId.parse("ab"));
        assertThrows(IllegalArgumentException.class, () -> NodeId.parse("g".repeat(32)));
    }

    /** A table searches names of one hash by their order, if they have one. */
    @Test
    void namesOfOneHashHaveAnOrder() {
        Set<NodeId> ids = new TreeSet<>();
        for (long low = 0; low < 20_000; low++) {
            ids.add(new NodeId(7, low * ((1L << 32) + 1)));
        }
        assertEquals(20_000, ids.size());
        assertEquals(1, ids.stream().mapToInt(NodeId::hashCode).distinct().count());
        assertEquals(0, new NodeId(7, 8).compareTo(new NodeId(7, 8)));
        assertTrue(new NodeId(7, 9).compareTo(new NodeId(-1, 8)) < 0);
    }

    @Test
    void theClockStartsBelowItsBound() {
        assertEquals(1, new NodeClock(1, 2, 10).value());
        assertThrows(IllegalArgumentException.class, () -> new NodeClock(0, 2, 10));
        assertThrows(IllegalArgumentException.class, () -> new NodeClock(5, 5, 10));
    }

    /** The bound is on disk: a value at or above it could be used by the next life, too. */
    @Test
    void noValueAtTheBoundOrAboveIsUsed() {
        NodeClock clock = new NodeClock(5, 8, 10);
        assertTrue(clock.canAdvance());
        assertEquals(5, clock.takeIncarnation());
        assertTrue(clock.canAdvance());
        assertEquals(6, clock.takeIncarnation());
        assertFalse(clock.canAdvance(), "7 would leave nothing below 8");
        clock.onReserved(7);
        assertEquals(8, clock.reserved(), "the bound does not fall");
        clock.onReserved(9);
        assertTrue(clock.canAdvance());
        assertEquals(5, clock.incarnation());
    }

    @Test
    void theClockIsRaisedAndNeverSetBack() {
        NodeClock clock = new NodeClock(5, 100, 10);
        clock.raise(20);
        clock.raise(10);
        assertEquals(20, clock.value());
    }

    /** When half of the range is used, the next bound is stored: a whole range further. */
    @Test
    void theNextBoundIsStoredWhenHalfOfTheRangeIsUsed() {
        NodeClock clock = new NodeClock(1, 100, 20);
        assertEquals(0, clock.boundToStore(89));
        assertEquals(120, clock.boundToStore(90));
        assertEquals(0, clock.boundToStore(109), "it was asked for");
        assertEquals(140, clock.boundToStore(110));
        assertEquals(520, clock.boundToStore(500), "values far ahead are wanted");
        clock.raise(510);
        assertEquals(540, clock.boundToStore(0), "the clock's own value counts, too");
    }

    /** A slot is a promise of room: open, held, released. */
    @Test
    void roomIsWhatIsNeitherPromisedNorHeld() {
        ReceiveBudget budget = new ReceiveBudget(100);
        budget.opened(30);
        assertEquals(70, budget.room());
        budget.consumed();
        assertEquals(70, budget.room());
        assertEquals(29, budget.open());
        assertEquals(1, budget.held());
        budget.closed(9);
        assertEquals(79, budget.room());
        budget.released(1);
        assertEquals(80, budget.room());
        assertEquals(20, budget.open());
        assertEquals(0, budget.held());
    }

    @Test
    void aMessageIsCutIntoPiecesThatMakeItWhole() {
        byte[] body = new byte[25];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) i;
        }
        OutgoingMessage message = new OutgoingMessage(1, body, 9, 10);
        assertEquals(3, message.pieces);
        assertEquals(25, message.bytes());
        assertArrayEquals(Arrays.copyOfRange(body, 0, 10), message.piece(0));
        assertArrayEquals(Arrays.copyOfRange(body, 10, 20), message.piece(1));
        assertArrayEquals(Arrays.copyOfRange(body, 20, 25), message.piece(2));
        assertEquals(5, new SentToken(message, 2, 7, 3).length());
        assertEquals(2, new OutgoingMessage(1, new byte[20], 9, 10).pieces, "two full pieces");
        assertEquals(3, new OutgoingMessage(1, new byte[21], 9, 10).pieces);
        assertEquals(1, new OutgoingMessage(1, new byte[0], 9, 10).pieces, "an empty message is one piece");
        byte[] short10 = new byte[10];
        assertArrayEquals(short10, new OutgoingMessage(1, short10, 9, 10).piece(0));
    }

    @Test
    void tokensAndAcknowledgementsAreEqualIfAllTheirFieldsAre() {
        Token token = new Token(1, 2, 0, 3, new byte[] {4});
        assertEquals(token, new Token(1, 2, 0, 3, new byte[] {4}));
        assertEquals(token.hashCode(), new Token(1, 2, 0, 3, new byte[] {4}).hashCode());
        for (Token other : new Token[] {
            new Token(9, 2, 0, 3, new byte[] {4}),
            new Token(1, 9, 0, 3, new byte[] {4}),
            new Token(1, 2, 9, 3, new byte[] {4}),
            new Token(1, 2, 0, 9, new byte[] {4}),
            new Token(1, 2, 0, 3, new byte[] {9})
        }) {
            assertNotEquals(token, other);
        }
        Ack ack = new Ack(1, 2, 9, new long[] {5, 6});
        assertEquals(ack, new Ack(1, 2, 9, new long[] {5, 6}));
        assertEquals(ack.hashCode(), new Ack(1, 2, 9, new long[] {5, 6}).hashCode());
        for (Ack other : new Ack[] {
            new Ack(8, 2, 9, new long[] {5, 6}),
            new Ack(1, 3, 9, new long[] {5, 6}),
            new Ack(1, 2, 8, new long[] {5, 6}),
            new Ack(1, 2, 9, new long[] {5, 7})
        }) {
            assertNotEquals(ack, other);
        }
    }

    @Test
    void anAcknowledgementCoversItsRangeButForTheHoles() {
        Ack ack = new Ack(1, 10, 20, new long[] {16, 18, 12, 13});
        for (long slot = 8; slot < 22; slot++) {
            boolean hole = slot == 16 || slot == 17 || slot == 12;
            assertEquals(slot >= 10 && slot < 20 && !hole, AckTest.covers(ack, slot), "slot " + slot);
        }
    }

    private static void refused(Consumer<ExonOptions.Builder> setting) {
        ExonOptions.Builder builder = least();
        setting.accept(builder);
        assertThrows(IllegalArgumentException.class, builder::build);
    }

    /** The smallest settings that fit each other. */
    private static ExonOptions.Builder least() {
        return ExonOptions.builder()
                .datagramBytes(256)
                .maxMessageBytes(192)
                .standbySlots(1, 1)
                .maxSlots(2, 2)
                .maxRecords(1)
                .maxQueuedBytes(192)
                .idleMicros(1)
                .abandonMicros(2)
                .maxRetryMicros(1)
                .clockRange(2);
    }

    @Test
    void settingsThatDoNotFitAreRefused() {
        ExonOptions options = least().build();
        assertEquals(96, options.fragmentBytes());
        assertEquals(192, options.maxMessageBytes());
        assertEquals(192, options.maxQueuedBytes());
        assertEquals(2, options.clockRange());
        refused(each -> each.datagramBytes(255));
        refused(each -> each.datagramBytes(65_001));
        assertEquals(
                65_000 - ExonCodec.MAX_OVERHEAD,
                least().datagramBytes(65_000).build().fragmentBytes());
        refused(each -> each.standbySlots(0, 1));
        refused(each -> each.standbySlots(2, 1).maxSlots(4, 4));
        refused(each -> each.standbySlots(2, 2).maxSlots(3, 3));
        refused(each -> each.maxSlots(3, 2));
        refused(each -> each.maxRecords(0));
        refused(each -> each.maxMessageBytes(-1));
        refused(each -> each.maxQueuedBytesInAll(192 + OutgoingMessage.OVERHEAD - 1));
        assertEquals(0, least().maxMessageBytes(0).build().maxMessageBytes());
        refused(each -> each.maxMessageBytes(193).maxQueuedBytes(193)); // three pieces, two slots
        refused(each ->
                each.maxMessageBytes((64 << 20) + 1).maxQueuedBytes(1 << 30).maxSlots(1 << 24, 1 << 24));
        assertEquals(
                64 << 20,
                least().maxMessageBytes(64 << 20)
                        .maxQueuedBytes(1 << 30)
                        .maxSlots(1 << 24, 1 << 24)
                        .build()
                        .maxMessageBytes());
        refused(each -> each.maxQueuedBytes(191));
        refused(each -> each.idleMicros(0));
        refused(each -> each.abandonMicros(1));
        refused(each -> each.idleMicros(3).abandonMicros(5));
        refused(each -> each.clockRange(1));
        refused(each -> each.maxRetryMicros(0));
    }

    /** RFC 6298: the smoothed time moves by an eighth, the variation by a quarter. */
    @Test
    void theRetryTimeIsTheSmoothedTimeAndFourVariations() {
        RttEstimator rtt = new RttEstimator();
        assertEquals(200_000, rtt.retryMicros(2_000), "nothing is known yet");
        assertFalse(rtt.known());
        rtt.sample(1_000, 11_000, 0);
        assertTrue(rtt.known());
        assertEquals(10_000, rtt.smoothed());
        assertEquals(10_000 + 4 * 5_000 + 2_000, rtt.retryMicros(2_000));
        rtt.sample(20_000, 38_000 + 500, 500);
        assertEquals(18_000, rtt.latest(), "what the peer held back does not count");
        assertEquals(11_000, rtt.smoothed());
        assertEquals(11_000 + 4 * (5_000 + (8_000 - 5_000) / 4), rtt.retryMicros(0));
        for (int i = 0; i < 200; i++) {
            rtt.sample(0, 8_000, 0);
        }
        assertTrue(rtt.retryMicros(0) >= rtt.smoothed() + 1_000, "at least a millisecond of patience");
    }

    @Test
    void aDelayThatThePeerClaimsNeverMakesASampleNegative() {
        RttEstimator rtt = new RttEstimator();
        rtt.sample(1_000, 1_400, 400);
        assertEquals(400, rtt.latest());
        rtt.sample(1_000, 1_400, 399);
        assertEquals(1, rtt.latest());
        rtt.sample(1_000, 900, 0);
        assertEquals(1, rtt.latest(), "a clock that stands still");
    }
}
