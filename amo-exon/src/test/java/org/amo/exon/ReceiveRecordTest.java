package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.amo.exon.ReceiveRecord.Verdict;
import org.junit.jupiter.api.Test;

/** The receiving half: which slots it grants, what a token meets, and what it gives back. */
class ReceiveRecordTest {
    private static final long RCK = 5;
    private static final int PER_RECORD = 8;
    private static final int MOST_PIECES = 4;

    private final ReceiveBudget budget = new ReceiveBudget(10);
    private final ReceiveRecord record = newRecord();

    private ReceiveRecord newRecord() {
        ExonOptions options = ExonOptions.builder()
                .standbySlots(1, 4)
                .maxSlots(PER_RECORD, 64)
                .datagramBytes(256)
                .maxMessageBytes(350)
                .build();
        assertEquals(MOST_PIECES, options.maxPieces());
        return new AtReceiptNode.AtReceiptRecord(options, budget, 100, RCK);
    }

    private static RequestSlots request(long from, int count, long frontier, int need) {
        return new RequestSlots(from, count, frontier, need);
    }

    private static Token token(long slot) {
        return new Token(RCK, slot, 0, 1, new byte[] {(byte) slot});
    }

    private static Token piece(long slot, int index, int pieces, byte... body) {
        return new Token(RCK, slot, index, pieces, body);
    }

    /** Lines 48 to 58: the slots that were asked for, once, however often the request comes. */
    @Test
    void aRepeatedRequestIsAnsweredAlikeAndOpensNothing() {
        Slots answer = record.onRequest(request(100, 4, 100, 0));
        assertEquals(new Slots(100, RCK, 4), answer);
        assertEquals(4, record.openSlots());
        assertEquals(answer, record.onRequest(request(100, 4, 100, 0)));
        assertEquals(new Slots(100, RCK, 2), record.onRequest(request(100, 2, 100, 0)), "a shorter one from before");
        assertEquals(4, record.openSlots());
        assertEquals(4, budget.open());
        assertEquals(new Slots(100, RCK, 6), record.onRequest(request(100, 6, 100, 0)), "a longer one extends it");
        assertEquals(6, record.openSlots());
        assertFalse(record.wants());
    }

    /** What was asked for from further on is opened from there: below it nobody uses anything. */
    @Test
    void slotsBelowTheRequestAreNotOpened() {
        assertEquals(new Slots(103, RCK, 2), record.onRequest(request(103, 2, 103, 0)));
        assertEquals(2, record.openSlots());
        assertEquals(Verdict.GONE, record.onToken(token(102)));
        assertEquals(Verdict.CONSUMED, record.onToken(token(103)));
    }

    @Test
    void whatFindsNoRoomInTheRecordIsWanted() {
        assertEquals(new Slots(100, RCK, PER_RECORD), record.onRequest(request(100, 9, 100, 0)));
        assertTrue(record.wants());
        assertNull(record.grantWanted(), "still no room");
        assertTrue(record.wants());
        record.onToken(token(100));
        assertEquals(new Slots(108, RCK, 1), record.grantWanted());
        assertFalse(record.wants());
    }

    @Test
    void whatFindsNoRoomAtTheNodeIsWantedAndComesInParts() {
        budget.opened(8);
        assertEquals(new Slots(100, RCK, 2), record.onRequest(request(100, 5, 100, 0)));
        budget.closed(1);
        assertEquals(new Slots(102, RCK, 1), record.grantWanted());
        assertTrue(record.wants());
        budget.closed(7);
        assertEquals(new Slots(103, RCK, 2), record.grantWanted());
        assertFalse(record.wants());
        assertFalse(record.empty());
    }

    /** Fewer than a whole message needs would be held for nothing. */
    @Test
    void fewerSlotsThanAreOfUseAreNotGranted() {
        budget.opened(8);
        assertEquals(new Slots(100, RCK, 0), record.onRequest(request(100, 5, 100, 3)));
        assertEquals(0, record.openSlots());
        assertTrue(record.wants());
        assertFalse(record.empty(), "it waits for room");
        assertEquals(new Slots(100, RCK, 2), record.onRequest(request(100, 5, 100, 2)));
    }

    @Test
    void aRefusalIsRememberedUntilTheFrontierHasPassedIt() {
        ReceiveRecord plain = new ReceiveRecord(
                ExonOptions.builder()
                        .standbySlots(1, 4)
                        .maxSlots(8, 64)
                        .maxMessageBytes(350)
                        .build(),
                budget,
                100,
                RCK);
        plain.onRequest(request(100, 4, 100, 0));
        for (long slot = 100; slot < 102; slot++) {
            plain.onToken(token(slot));
            assertTrue(plain.refuse(slot));
        }
        assertFalse(plain.refuse(99), "never granted");
        assertEquals(new Frame.Refused(RCK, 100, 2), plain.refusal(100));
        assertEquals(Verdict.UNSETTLED, plain.onToken(token(101)));
        assertEquals(new Ack(RCK, 70, 102, new long[] {100, 102}), plain.ack());
        plain.onRequest(request(104, 0, 101, 0));
        assertFalse(plain.isRefused(100));
        assertTrue(plain.isRefused(101));
        assertEquals(Verdict.GONE, plain.onToken(token(100)));
    }

    @Test
    void aNodeThatPromisedTooMuchGrantsNothing() {
        budget.opened(12);
        assertEquals(new Slots(100, RCK, 0), record.onRequest(request(100, 5, 100, 0)));
        assertEquals(0, record.openSlots());
        assertEquals(12, budget.open());
    }

    @Test
    void aRequestForNothingEndsTheWish() {
        record.onRequest(request(100, 9, 100, 0));
        assertTrue(record.wants());
        record.onRequest(request(108, 0, 108, 0));
        assertFalse(record.wants());
        assertTrue(record.empty());
        assertEquals(0, budget.open());
    }

    /** Lines 75 to 80: a slot takes one token, of its own incarnation. */
    @Test
    void aSlotIsConsumedOnce() {
        record.onRequest(request(100, 3, 100, 0));
        assertFalse(record.hasConsumed());
        assertEquals(Verdict.GONE, record.onToken(new Token(RCK + 1, 100, 0, 1, new byte[0])));
        assertEquals(Verdict.CONSUMED, record.onToken(token(101)));
        assertEquals(Verdict.GONE, record.onToken(token(101)));
        assertTrue(record.hasConsumed());
        assertEquals(new Ack(RCK, 70, 102, new long[] {100, 101}), record.ack());
        record.onToken(token(100));
        assertEquals(new Ack(RCK, 70, 102, new long[0]), record.ack(), "the highest was consumed before");
        assertEquals(1, budget.open());
        assertEquals(2, budget.held());
    }

    @Test
    void piecesInAnyOrderMakeTheMessageWhole() {
        record.onRequest(request(100, 4, 100, 0));
        Token last = piece(102, 2, 3, (byte) 3);
        Token first = piece(100, 0, 3, (byte) 1);
        Token middle = piece(101, 1, 3, (byte) 2, (byte) 9);
        for (Token each : new Token[] {last, first}) {
            assertEquals(Verdict.CONSUMED, record.onToken(each));
            assertNull(record.messageOf(each));
        }
        assertEquals(Verdict.CONSUMED, record.onToken(middle));
        assertArrayEquals(new byte[] {1, 2, 9, 3}, record.messageOf(middle));
        assertEquals(3, budget.held(), "until the application has taken it");
        record.release();
        assertEquals(0, budget.open());
        assertEquals(3, budget.held());
    }

    /** A sender that contradicts itself: nothing is consumed for it. */
    @Test
    void aPieceThatContradictsTheOthersChangesNothing() {
        record.onRequest(request(100, 8, 100, 0));
        Token first = piece(100, 0, 3, (byte) 1);
        record.onToken(first);
        record.messageOf(first);
        assertEquals(Verdict.ABSURD, record.onToken(piece(101, 1, 4, (byte) 2)));
        assertEquals(Verdict.ABSURD, record.onToken(piece(104, 0, MOST_PIECES + 1, (byte) 2)));
        assertEquals(7, record.openSlots());
        assertEquals(Verdict.CONSUMED, record.onToken(piece(104, 0, MOST_PIECES, (byte) 2)));
        assertEquals(Verdict.CONSUMED, record.onToken(piece(101, 1, 3, (byte) 2)));
    }

    /** The number of pieces is only what a sender says: a token takes the memory of what it brings. */
    @Test
    void aPieceTakesNoMemoryForThoseThatItAnnounces() {
        int slots = 1 << 20;
        int claims = 100;
        ExonOptions options = ExonOptions.builder()
                .datagramBytes(256)
                .maxSlots(slots, slots)
                .maxMessageBytes(64 << 20)
                .maxQueuedBytes(64 << 20)
                .build();
        ReceiveRecord large = new AtReceiptNode.AtReceiptRecord(options, new ReceiveBudget(slots), 1, RCK);
        large.onRequest(request(1, claims, 1, 0));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (int slot = 1; slot <= claims; slot++) {
            Token claim = piece(slot, 0, options.maxPieces(), (byte) slot);
            assertEquals(Verdict.CONSUMED, large.onToken(claim));
            assertNull(large.messageOf(claim));
        }
        long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assertTrue(bytes < 1 << 20, bytes + " bytes for " + claims + " pieces of " + options.maxPieces());
    }

    /** Line 53: below the frontier the sender holds nothing; a message that lost a piece there never becomes whole. */
    @Test
    void whatTheFrontierWaivesIsGivenBack() {
        record.onRequest(request(100, 6, 100, 0));
        Token second = piece(101, 1, 2, (byte) 2);
        Token other = piece(103, 0, 2, (byte) 3);
        for (Token each : new Token[] {second, other}) {
            record.onToken(each);
            record.messageOf(each);
        }
        record.onToken(token(102));
        assertEquals(3, budget.held());
        record.onRequest(request(106, 0, 100, 0));
        assertEquals(3, budget.held(), "100 may still come");
        record.onRequest(request(106, 0, 101, 0));
        assertEquals(2, budget.held(), "the message of 100 and 101 is given up");
        assertEquals(2, budget.open());
        Token end = piece(104, 1, 2, (byte) 4);
        assertEquals(Verdict.CONSUMED, record.onToken(end));
        assertArrayEquals(new byte[] {3, 4}, record.messageOf(end));
        record.release();
        assertEquals(0, budget.open());
        assertEquals(3, budget.held());
    }

    @Test
    void aReleasedRecordHoldsNoPieces() {
        record.onRequest(request(100, 6, 100, 0));
        Token first = piece(100, 0, 3, (byte) 1);
        record.onToken(first);
        record.messageOf(first);
        record.release();
        assertEquals(0, budget.held());
        assertEquals(0, budget.open());
    }

    /** Line 93. */
    @Test
    void aProbeNamesTheRecordAndNoSlots() {
        assertEquals(new Slots(100, RCK, 0), record.probe());
        record.onRequest(request(100, 6, 100, 0));
        assertEquals(new Slots(106, RCK, 0), record.probe());
        assertEquals(RCK, record.incarnation());
        ReceiveRecord first =
                new AtReceiptNode.AtReceiptRecord(ExonOptions.builder().build(), budget, 0, RCK);
        assertNotNull(first.probe());
        assertEquals(1, first.probe().from(), "no frame names slot 0");
    }

    /** More holes than a frame takes: below the lowest that is named nothing is acknowledged. */
    @Test
    void moreHolesThanAFrameTakesLeaveTheRestUnsaid() {
        ReceiveBudget large = new ReceiveBudget(1_000);
        ReceiveRecord many =
                new AtReceiptNode.AtReceiptRecord(ExonOptions.builder().build(), large, 1, RCK);
        many.onRequest(request(1, 200, 1, 0));
        for (int slot = 2; slot <= 200; slot += 2) {
            many.onToken(token(slot));
        }
        Ack ack = many.ack();
        assertEquals(ExonCodec.MAX_HOLES, ack.holes().length / 2);
        assertEquals(201, ack.end());
        assertEquals(199 - 2 * (ExonCodec.MAX_HOLES - 1), ack.from());
        for (int slot = 1; slot <= 200; slot++) {
            assertEquals(slot % 2 == 0 && slot > ack.from(), AckTest.covers(ack, slot), "slot " + slot);
        }
    }
}
