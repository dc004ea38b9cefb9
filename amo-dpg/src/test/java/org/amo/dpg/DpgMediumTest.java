package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.amo.dpg.ContiguityDetector.Arrival;
import org.amo.dpg.TagSequencer.Numbered;
import org.junit.jupiter.api.Test;

/** The 1C services and their detectors at their limits (section 3). */
class DpgMediumTest {
    private final List<String> seen = new ArrayList<>();
    private final SequencedReception.Receiver<String> receiver = new SequencedReception.Receiver<>() {
        @Override
        public void receive(String pdu, boolean contiguous) {
            seen.add((contiguous ? "=>" : "->") + pdu);
        }

        @Override
        public void late(String pdu) {
            seen.add("late " + pdu);
        }
    };

    private static Arrival message(long sent, long began, long ended) {
        return new Arrival(true, false, sent, began, ended);
    }

    private static Arrival report(long sent, long began, long ended) {
        return new Arrival(false, false, sent, began, ended);
    }

    private static PduTag tag(long nonce) {
        return new PduTag(nonce, 31 * nonce);
    }

    private static Numbered numbered(long epoch, long first, long... nonces) {
        return new Numbered(
                epoch, first, LongStream.of(nonces).mapToObj(DpgMediumTest::tag).toList());
    }

    private SequencedReception<String> sequenced(int window) {
        return new SequencedReception<>(nonce -> 31 * nonce, 1_000, window, receiver);
    }

    @Test
    void limitsArePositive() {
        assertThrows(IllegalArgumentException.class, () -> new TimingDetector(0));
        assertTrue(heardTwice(new TimingDetector(1)));
        assertThrows(IllegalArgumentException.class, () -> new BoundedDelayDetector(0, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new BoundedDelayDetector(1, 0, 0));
        BoundedDelayDetector least = new BoundedDelayDetector(1, 1, 0);
        assertThrows(IllegalArgumentException.class, () -> new BoundedDelayReception<>(0, 1, least, receiver));
        assertThrows(IllegalArgumentException.class, () -> new BoundedDelayReception<>(1, 0, least, receiver));
        new BoundedDelayReception<>(1, 1, least, receiver).onPdu(0, 1, "a", true, 0);
        assertThrows(IllegalArgumentException.class, () -> new SequencedReception<>(nonce -> nonce, 0, 1, receiver));
        assertThrows(IllegalArgumentException.class, () -> new SequencedReception<>(nonce -> nonce, 1, 0, receiver));
        assertEquals(Long.MAX_VALUE, new SequencedReception<>(nonce -> nonce, 1, 1, receiver).nextDeadline());
        assertThrows(IllegalArgumentException.class, () -> new TagSequencer(1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new TagSequencer(1, 2, 1));
        assertEquals(0, new TagSequencer(1, 1, 1).numbered());
    }

    private static boolean heardTwice(ContiguityDetector detector) {
        detector.onReception(message(0, 0, 10));
        return detector.onReception(message(10, 10, 20));
    }

    /** A report is no message: nothing is told of it, and what was missed before it stays missed. */
    @Test
    void aReportNeitherIsContiguousNorMakesGood() {
        OverwriteDetector overwrite = new OverwriteDetector();
        assertFalse(overwrite.onReception(report(0, 0, 10)));
        assertFalse(overwrite.onReception(message(0, 10, 20)), "the first message");
        assertFalse(overwrite.onReception(report(0, 20, 30)));
        assertTrue(overwrite.onReception(message(0, 30, 40)));
        TimingDetector timing = new TimingDetector(10);
        timing.onReception(message(0, 0, 20));
        assertFalse(timing.onReception(report(0, 40, 50)), "room for a message before it");
        assertFalse(timing.onReception(message(0, 55, 60)));
        assertFalse(timing.onReception(report(0, 69, 70)));
        assertTrue(timing.onReception(message(0, 79, 80)));
        BoundedDelayDetector bounded = new BoundedDelayDetector(100, 1_000, 0);
        bounded.onDelay(0, 10);
        bounded.onReception(message(0, 10, 10));
        assertFalse(bounded.onReception(report(5, 20, 20)));
        assertTrue(bounded.onReception(message(10, 30, 30)));
        bounded.onReception(new Arrival(false, true, 20, 40, 40));
        assertFalse(bounded.onReception(message(30, 50, 50)), "a PDU was overwritten before the report");
    }

    @Test
    void aDelayOfTheBoundAndASilenceOfTheProbeAreNoMiss() {
        BoundedDelayDetector bounded = new BoundedDelayDetector(100, 1_000, 0);
        bounded.onDelay(0, 100);
        bounded.onReception(message(0, 100, 100));
        bounded.onDelay(1_000, 1_100);
        assertTrue(bounded.onReception(message(1_000, 1_100, 1_100)));
        bounded.onDelay(1_100, 1_150);
        bounded.onDelay(1_050, 1_140);
        bounded.onDelay(2_100, 2_150);
        assertTrue(bounded.onReception(message(2_100, 2_150, 2_200)), "counted from the last that came");
        bounded.onDelay(2_200, 2_250);
        assertFalse(bounded.onReception(message(2_200, 2_250, 2_301)), "it was read too late");
    }

    /** What is sent at the same time is received by increasing senders, each once. */
    @Test
    void sendersDecideBetweenEqualTimes() {
        BoundedDelayReception<String> reception =
                new BoundedDelayReception<>(100, 8, new BoundedDelayDetector(100, 1_000, 0), receiver);
        reception.onPdu(10, 3, "c", true, 20);
        reception.onPdu(10, 1, "a", true, 20);
        reception.onPdu(10, 2, "b", true, 20);
        reception.onTick(110);
        assertEquals(List.of("->a", "=>b", "=>c"), seen);
        reception.onPdu(10, 3, "again", true, 111);
        reception.onPdu(10, 2, "before", true, 111);
        reception.onPdu(10, 4, "d", true, 111);
        reception.onPdu(9, 9, "earlier", true, 111);
        reception.onTick(120);
        assertEquals(List.of("late again", "late before", "late earlier", "->d"), seen.subList(3, 7));
    }

    /** Each multicast holds as many tags as are wanted, the one that came in the middle of them. */
    @Test
    void aNumberIsRepeatedByTheMulticastsAroundIt() {
        TagSequencer sequencer = new TagSequencer(4, 3, 5);
        for (long nonce = 1; nonce <= 6; nonce++) {
            Numbered latest = sequencer.onTag(tag(nonce));
            assertEquals(numbered(4, Math.max(1, nonce - 2), last(nonce)), latest);
        }
        assertEquals(numbered(4, 3, 3, 4, 5), sequencer.onTag(tag(4)), "one before it and one after it");
        assertEquals(numbered(4, 4, 4, 5, 6), sequencer.onTag(tag(6)));
        assertEquals(numbered(4, 2, 2, 3), sequencer.onTag(tag(2)), "1 is not remembered");
        assertEquals(6, sequencer.numbered());
        assertEquals(numbered(4, 5, 5, 6, 1), sequencer.onTag(tag(1)), "and has another number now");
        assertEquals(7, sequencer.numbered());
    }

    private static long[] last(long nonce) {
        return LongStream.rangeClosed(Math.max(1, nonce - 2), nonce).toArray();
    }

    /** Reception begins with the first number that is heard, and no number is taken twice. */
    @Test
    void receptionBeginsWithTheFirstNumberHeard() {
        SequencedReception<String> reception = sequenced(10);
        reception.onPdu(8, "h", true, 0);
        reception.onPdu(7, "g", true, 0);
        reception.onNumbered(new Numbered(1, 5, List.of()), 0);
        reception.onNumbered(numbered(1, 7, 7, 8), 0);
        reception.onNumbered(numbered(1, 7, 7, 8), 0);
        reception.onPdu(6, "f", true, 0);
        reception.onNumbered(numbered(1, 6, 6), 0);
        assertEquals(List.of("->g", "=>h", "late f"), seen);
        assertEquals(Long.MAX_VALUE, reception.nextDeadline());
    }

    @Test
    void aTagThatIsNotThisGroupsIsPassedOver() {
        SequencedReception<String> reception = sequenced(10);
        reception.onPdu(1, "a", true, 0);
        reception.onPdu(2, "b", true, 0);
        reception.onNumbered(new Numbered(1, 1, List.of(tag(1), new PduTag(2, 77), tag(3))), 0);
        assertEquals(List.of("->a"), seen, "a proof that does not fit");
        assertEquals(1_000, reception.nextDeadline());
        reception.onPdu(3, "c", true, 0);
        assertEquals(List.of("->a", "=>c"), seen);
    }

    /** Patience counts from when the number was heard; what was missed breaks contiguity once. */
    @Test
    void aPduThatDoesNotComeIsWaitedForAsLongAsItsNumberIsKnown() {
        SequencedReception<String> reception = sequenced(10);
        reception.onPdu(2, "b", true, 0);
        reception.onPdu(3, "c", true, 0);
        reception.onNumbered(numbered(1, 1, 1), 500);
        reception.onNumbered(numbered(1, 2, 2, 3), 600);
        reception.onTick(1_499);
        assertEquals(List.of(), seen);
        reception.onTick(1_500);
        assertEquals(List.of("->b", "=>c"), seen);
    }

    @Test
    void moreNumbersThanTheWindowEndThePatience() {
        SequencedReception<String> reception = sequenced(2);
        reception.onPdu(3, "c", true, 0);
        reception.onNumbered(numbered(1, 1, 1, 2), 0);
        assertEquals(List.of(), seen);
        reception.onNumbered(numbered(1, 3, 3), 0);
        assertEquals(List.of(), seen, "2 may still come");
        assertEquals(1_000, reception.nextDeadline());
        reception.onNumbered(numbered(1, 4, 4), 0);
        assertEquals(List.of("->c"), seen);
    }

    @Test
    void morePdusThanTheWindowDropTheOldest() {
        SequencedReception<String> reception = sequenced(2);
        for (long nonce = 1; nonce <= 3; nonce++) {
            reception.onPdu(nonce, "p" + nonce, true, 0);
        }
        reception.onNumbered(numbered(1, 2, 2, 3), 0);
        assertEquals(List.of("->p2", "=>p3"), seen);
        reception.onNumbered(numbered(1, 1, 1), 0);
        assertEquals(2, seen.size(), "1 had no room");
    }
}
