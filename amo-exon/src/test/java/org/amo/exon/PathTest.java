package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When tokens leave, what counts as lost, and how long silence lasts until it means loss. */
class PathTest {
    private static final int DATAGRAM = 1_000;
    private static final int ON_WIRE = 1_028;
    private static final long RTT = 10_000;

    private final Path path = new Path(ExonOptions.builder()
            .datagramBytes(DATAGRAM)
            .maxRetryMicros(1_000_000)
            .build());
    private long packet;
    private long slot;

    private SentToken token() {
        return new SentToken(new OutgoingMessage(++slot, new byte[10], Long.MAX_VALUE, 100), 0, slot, 1);
    }

    /** One datagram with a token. */
    private SentToken sent(long now) {
        SentToken token = token();
        path.onSent(++packet, DATAGRAM, List.of(token), false, now);
        return token;
    }

    private List<SentToken> sent(int count, long now) {
        List<SentToken> tokens = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tokens.add(sent(now));
        }
        return tokens;
    }

    private void seen(long highest, long now) {
        path.onFeedback(List.of(), highest, 0, now);
    }

    private void acknowledged(SentToken token, long now) {
        token.gone = true;
        path.onFeedback(List.of(token), token.packet, 0, now);
    }

    @Test
    void whatIsUnderWayIsWhatWasSentAndNotAcknowledged() {
        SentToken first = sent(100);
        assertEquals(ON_WIRE, path.inFlight());
        assertTrue(first.inFlight);
        assertEquals(1, first.transmissions);
        assertEquals(100, first.sentMicros);
        SentToken second = sent(200);
        assertEquals(2 * ON_WIRE, path.inFlight());
        acknowledged(first, 300);
        assertEquals(ON_WIRE, path.inFlight());
        acknowledged(first, 400);
        assertEquals(ON_WIRE, path.inFlight(), "once");
        acknowledged(second, 500);
        assertEquals(0, path.inFlight());
    }

    @Test
    void tokensOfOneDatagramShareItsBytes() {
        List<SentToken> tokens = List.of(token(), token());
        path.onSent(1, DATAGRAM, tokens, false, 100);
        assertEquals(ON_WIRE / 2, tokens.get(0).bytes);
        assertEquals(ON_WIRE, path.inFlight());
    }

    @Test
    void nothingIsLimitedBeforeTheFirstAnswerButByTheWindow() {
        int sent = 0;
        while (path.open(0)) {
            sent(0);
            sent++;
        }
        assertEquals(32, sent, "32 datagrams, the last of which goes beyond");
        assertEquals(Long.MAX_VALUE, path.opensMicros());
    }

    /** A token is lost when the peer has got a datagram three numbers later. */
    @Test
    void aGapOfThreeIsALoss() {
        List<SentToken> tokens = sent(5, 100);
        seen(3, 1_000);
        assertFalse(path.hasLost());
        seen(4, 1_100);
        assertTrue(path.hasLost());
        assertEquals(4 * ON_WIRE, path.inFlight());
        assertSame(tokens.get(0), path.peekLost());
        assertSame(tokens.get(0), path.takeLost());
        assertFalse(path.hasLost());
        seen(2, 1_200);
        seen(5, 1_300);
        assertSame(tokens.get(1), path.takeLost());
    }

    @Test
    void aTokenThatWentAgainIsNotLostForItsFirstDatagram() {
        SentToken token = sent(100);
        sent(3, 100);
        seen(4, 1_000);
        assertSame(token, path.takeLost());
        path.onSent(++packet, DATAGRAM, List.of(token), false, 1_100);
        assertEquals(2, token.transmissions);
        seen(5, 2_000);
        assertTrue(path.hasLost());
        assertFalse(path.takeLost() == token, "of packet 5, it is the one before that is lost");
    }

    @Test
    void aTokenThatIsGoneIsNotSentAgain() {
        List<SentToken> tokens = sent(4, 100);
        seen(4, 1_000);
        tokens.get(0).gone = true;
        assertFalse(path.hasLost());
    }

    @Test
    void tokensThatWentForAnotherReasonAreUnderWayNoMore() {
        List<SentToken> tokens = sent(3, 100);
        tokens.get(1).gone = true;
        path.forgetGone();
        assertEquals(2 * ON_WIRE, path.inFlight());
        path.forgetGone();
        assertEquals(2 * ON_WIRE, path.inFlight());
        seen(4, 1_000);
        assertSame(tokens.get(0), path.takeLost(), "the others are watched for");
        seen(6, 1_100);
        assertSame(tokens.get(2), path.takeLost());
        sent(2_000);
        SentToken last = sent(2_000);
        last.gone = true;
    }

    /** RFC 6298 in microseconds: 200 ms at first, twice as long after each silence, up to the limit. */
    @Test
    void theRetryTimeDoublesAfterEachSilence() {
        assertEquals(Long.MAX_VALUE, path.retryAtMicros(false));
        sent(3, 1_000);
        long at = 1_000;
        long[] waits = {200_000, 400_000, 800_000, 1_000_000, 1_000_000};
        for (int i = 0; i < waits.length; i++) {
            assertEquals(at + waits[i], path.retryAtMicros(false));
            assertEquals(i, path.backOff());
            assertEquals(i > 0, path.silent());
            at = path.retryAtMicros(false);
            path.onRetry(at);
        }
        for (int i = 0; i < 80; i++) {
            path.onRetry(at);
        }
        assertEquals(at + 1_000_000, path.retryAtMicros(false), "however long it lasts");
    }

    /** At the first silence the two oldest go again, past the window; at the second all. */
    @Test
    void silenceSendsTheOldestAgain() {
        List<SentToken> tokens = sent(40, 1_000);
        assertFalse(path.open(1_000));
        path.onRetry(300_000);
        assertEquals(38 * ON_WIRE, path.inFlight());
        for (int i = 0; i < 2; i++) {
            assertTrue(path.hasLost());
            assertTrue(path.open(300_000), "past the window");
            SentToken again = path.takeLost();
            assertSame(tokens.get(i), again);
            path.onSent(++packet, DATAGRAM, List.of(again), false, 300_000);
        }
        assertFalse(path.hasLost());
        assertFalse(path.open(300_000));
        path.onRetry(900_000);
        assertEquals(0, path.inFlight());
        for (int i = 0; i < 40; i++) {
            assertTrue(path.hasLost());
            path.takeLost();
        }
        assertFalse(path.hasLost());
    }

    @Test
    void aSilenceWithOneTokenUnderWaySendsThatOne() {
        SentToken only = sent(1_000);
        path.onRetry(300_000);
        assertSame(only, path.takeLost());
        assertFalse(path.hasLost());
    }

    @Test
    void anAnswerEndsTheSilence() {
        SentToken token = sent(1_000);
        sent(1_000);
        path.onRetry(300_000);
        path.onRetry(700_000);
        assertTrue(path.silent());
        acknowledged(token, 800_000);
        assertFalse(path.silent());
    }

    /** A request for slots is waited for like a token. */
    @Test
    void aRequestThatWasNotSeenIsRepeated() {
        path.onSent(7, 100, List.of(), true, 5_000);
        assertEquals(Long.MAX_VALUE, path.retryAtMicros(false), "nothing waits for its answer");
        assertEquals(205_000, path.retryAtMicros(true));
        assertFalse(path.requestSeen());
        assertEquals(0, path.inFlight());
        path.onRetry(205_000);
        assertTrue(path.silent());
        path.onFeedback(List.of(), 7, 100, 5_000 + RTT);
        assertTrue(path.requestSeen());
        assertFalse(path.silent());
        assertEquals(RTT - 100, path.rtt().smoothed(), "its time counts, too");
    }

    @Test
    void aDatagramThatOnlyAnsweredIsNotWaitedFor() {
        path.onSent(7, 100, List.of(), false, 5_000);
        assertEquals(Long.MAX_VALUE, path.retryAtMicros(false));
        assertEquals(200_000, path.retryAtMicros(true), "as if nothing had been sent");
    }

    /** Karn's rule by packet numbers: the datagram that the peer names, and none that was named before. */
    @Test
    void theRoundTripTimeIsThatOfTheNamedDatagram() {
        SentToken first = sent(1_000);
        SentToken second = sent(2_000);
        first.gone = true;
        second.gone = true;
        path.onFeedback(List.of(first, second), 2, 500, 12_000);
        assertEquals(9_500, path.rtt().latest());
        SentToken third = sent(20_000);
        third.gone = true;
        path.onFeedback(List.of(third), 2, 0, 90_000);
        assertEquals(9_500, path.rtt().latest(), "3 is acknowledged, and its arrival was not told");
        sent(100_000);
        seen(4, 110_000);
        assertEquals(9_500, path.rtt().latest(), "4 arrived, and nothing in it is acknowledged");
    }

    /** Paced at 2.89 times 32 datagrams a round trip while the bandwidth is not known. */
    @Test
    void whatLeavesIsPacedOnceTheRoundTripTimeIsKnown() {
        path.onSent(++packet, 100, List.of(), true, 0);
        path.onFeedback(List.of(), 1, 0, RTT);
        double rate = 2.89 * 32 * DATAGRAM / RTT;
        long gap = (long) (ON_WIRE / rate);
        long now = 50_000;
        assertTrue(path.open(now));
        sent(now);
        long next = path.opensMicros();
        assertTrue(next <= now, "10 ms may be made good");
        long sent = 1;
        while (path.open(now)) {
            sent(now);
            sent++;
        }
        long credit = sent * gap;
        assertTrue(
                (credit > RTT && credit <= RTT + 2 * gap) || path.opensMicros() == Long.MAX_VALUE,
                sent + " datagrams at once");
    }

    @Test
    void asManySlotsAreInReserveAsFourProductsHold() {
        int initial = path.standbySlots();
        assertEquals(2 * 32 * DATAGRAM / 1_000, initial);
        for (int i = 0; i < 30; i++) {
            path.onSent(++packet, 72, List.of(token()), false, 0);
        }
        assertTrue(path.standbySlots() > 4 * initial, "small tokens, more of them: " + path.standbySlots());
    }

    @Test
    void asManyBytesAsTheWindowFillIt() {
        for (int i = 0; i < 32; i++) {
            assertTrue(path.open(0), "datagram " + i);
            path.onSent(++packet, DATAGRAM - 28, List.of(token()), false, 0);
        }
        assertEquals(control().window(), path.inFlight());
        assertFalse(path.open(0));
        assertEquals(Long.MAX_VALUE, path.opensMicros());
    }

    private CongestionControl control() {
        return path.control();
    }

    /** The round-trip time is known, the bandwidth is not: 9.248 bytes a microsecond. */
    private long paced() {
        path.onSent(++packet, 100, List.of(), true, 0);
        path.onFeedback(List.of(), packet, 0, RTT);
        return (long) (ON_WIRE / control().pacingRate());
    }

    /** A loop that comes late makes good a round trip, and what it measures after more than that is not the path's. */
    @Test
    void aLateLoopMakesGoodARoundTrip() {
        long gap = paced();
        sent(50_000);
        assertEquals(40_000 + gap, path.opensMicros());
        SentToken late = sent(60_000);
        assertFalse(late.limitedAtSend);
        long next = 50_000 + gap;
        assertEquals(next + 500, path.opensMicros(), "what is to leave is gathered while wake-ups are late");
        assertTrue(sent(60_000).limitedAtSend);
        assertEquals(next + gap + 500, path.opensMicros());
    }

    @Test
    void aLoopThatIsInTimeGathersNothing() {
        long gap = paced();
        sent(50_000);
        long next = path.opensMicros();
        sent(next + 1_000);
        assertEquals(next + gap, path.opensMicros(), "a millisecond is in time");
        SentToken after = sent(next + gap);
        assertFalse(after.limitedAtSend);
        sent(next + 2 * gap + 1_001);
        assertEquals(next + 3 * gap + 500, path.opensMicros(), "and a little more is late");
    }

    /** What the window held back is not made good: it was never allowed to leave. */
    @Test
    void whatTheWindowHeldBackIsNotMadeGood() {
        long gap = paced();
        List<SentToken> tokens = sent(32, 20_000);
        assertEquals(Long.MAX_VALUE, path.opensMicros());
        tokens.forEach(token -> token.gone = true);
        path.forgetGone();
        sent(900_000);
        assertEquals(900_000 - 1_000 + gap, path.opensMicros());
    }

    /** A sender that has nothing more to send measures itself until all of that is acknowledged. */
    @Test
    void whatLeavesAfterTheQueueRanEmptyIsLimitedByTheApplication() {
        List<SentToken> tokens = sent(3, 1_000);
        path.onNothingToSend();
        SentToken fourth = sent(1_000);
        assertTrue(fourth.limitedAtSend);
        tokens.forEach(token -> acknowledged(token, 20_000));
        assertFalse(sent(21_000).limitedAtSend);
        Path full = new Path(ExonOptions.builder().datagramBytes(DATAGRAM).build());
        for (int i = 0; i < 32; i++) {
            full.onSent(i + 1, DATAGRAM, List.of(token()), false, 0);
        }
        full.onNothingToSend();
        SentToken beyond = token();
        full.onSent(99, DATAGRAM, List.of(beyond), false, 0);
        assertFalse(beyond.limitedAtSend, "it was the window");
    }

    @Test
    void theSizeOfTokensIsAMovingAverage() {
        path.onSent(1, 72, List.of(token()), false, 0);
        assertEquals(2 * 32 * DATAGRAM / 888, path.standbySlots(), "an eighth of the way from 1,000 to 100");
    }

    @Test
    void aDatagramThatIsNamedTwiceIsMeasuredOnce() {
        path.onSent(1, 100, List.of(), true, 1_000);
        path.onFeedback(List.of(), 1, 0, 11_000);
        path.onFeedback(List.of(), 1, 0, 91_000);
        assertEquals(10_000, path.rtt().latest());
    }

    @Test
    void nothingIsWaitedForOnceItIsGone() {
        SentToken token = sent(1_000);
        token.gone = true;
        assertEquals(Long.MAX_VALUE, path.retryAtMicros(false));
    }

    /** An idle time is no time of delivery. */
    @Test
    void theBandwidthAfterAPauseIsMeasuredFromItsEnd() {
        List<SentToken> few = sent(5, 1_000_000);
        few.forEach(token -> token.gone = true);
        path.onFeedback(few, 5, 0, 1_000_000 + RTT);
        assertEquals(5.0 * ON_WIRE / RTT, control().bandwidth(), 1e-9);
        List<SentToken> more = sent(10, 9_000_000);
        more.forEach(token -> token.gone = true);
        path.onFeedback(more, 15, 0, 9_000_000 + RTT);
        assertEquals(10.0 * ON_WIRE / RTT, control().bandwidth(), 1e-9);
    }

    /** Acknowledgements may come in a lump: the slower of sending and of being acknowledged counts. */
    @Test
    void theBandwidthIsNotMoreThanWasSent() {
        SentToken first = sent(1_000_000);
        SentToken second = sent(1_009_000);
        acknowledged(first, 1_010_000);
        assertEquals(ON_WIRE / 10_000.0, control().bandwidth(), 1e-9);
        SentToken third = sent(1_012_000);
        second.gone = true;
        third.gone = true;
        path.onFeedback(List.of(third, second), 3, 0, 1_020_000);
        assertEquals(2 * ON_WIRE / 12_000.0, control().bandwidth(), 1e-9);
    }

    /** The rate of delivery is measured over the time in which it was delivered. */
    @Test
    void theBandwidthIsWhatWasAcknowledgedInTheTimeItTook() {
        List<SentToken> tokens = sent(10, 0);
        tokens.forEach(token -> token.gone = true);
        path.onFeedback(tokens, 10, 0, RTT);
        assertEquals(10.0 * ON_WIRE / RTT, path.control().bandwidth(), 1e-9);
        assertEquals(RTT, path.control().delayMicros());
    }

    @Test
    void anAcknowledgementOfARepeatedTokenTellsNoBandwidth() {
        SentToken token = sent(0);
        path.onRetry(200_000);
        path.takeLost();
        path.onSent(++packet, DATAGRAM, List.of(token), false, 200_000);
        acknowledged(token, 200_000 + RTT);
        assertEquals(0, path.control().bandwidth());
        assertEquals(RTT, path.control().delayMicros());
    }
}
