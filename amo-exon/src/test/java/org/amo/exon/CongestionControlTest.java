package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.exon.CongestionControl.Phase;
import org.amo.exon.CongestionControl.Sample;
import org.junit.jupiter.api.Test;

/**
 * What the congestion control concludes from acknowledgements, in figures (docs/decisions/0031). The path has a delay of
 * 10 ms and a bandwidth of 10 bytes a microsecond, so that 100,000 bytes fill it; a datagram has 1,000.
 */
@SuppressWarnings({"LongDoubleConversion", "LongFloatConversion"}) // bytes and microseconds far below 2^53
class CongestionControlTest {
    private static final int DATAGRAM = 1_000;
    private static final long DELAY = 10_000;
    private static final double BANDWIDTH = 10;
    private static final double PRODUCT = BANDWIDTH * DELAY;

    /** The most that is gathered without a large lump: what 2 ms bring. */
    private static final double SLACK = BANDWIDTH * 2_000;

    private final CongestionControl control = new CongestionControl(DATAGRAM);
    private long now;
    private long delivered;

    /** An acknowledgement that ends a round. */
    private void round(double rate, long rttMicros, long bytes, long inFlight, boolean limited) {
        now += DELAY;
        long prior = delivered;
        delivered += bytes;
        control.onAck(new Sample(delivered, prior, rate, limited, rttMicros, bytes, inFlight), now);
    }

    private void round(double rate) {
        round(rate, DELAY, DATAGRAM, 0, false);
    }

    /** The path is known, its queue empty, and loss was just judged. */
    private void settle() {
        for (int i = 0; i < 4; i++) {
            round(BANDWIDTH, DELAY, 16 * DATAGRAM, 0, false);
        }
        assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
    }

    /** A round of as many bytes as loss is judged over. */
    private void judged(long lost, long rttMicros, long inFlight) {
        control.onLoss(lost);
        round(BANDWIDTH, rttMicros, 64 * DATAGRAM - lost, inFlight, false);
    }

    private double slackOf(long lump) {
        return Math.max(SLACK, lump);
    }

    @Test
    void whatIsNotKnownLimitsNothingBut32Datagrams() {
        assertEquals(Phase.STARTUP, control.phase());
        assertEquals(32 * DATAGRAM, control.window());
        assertEquals(0, control.pacingRate());
        assertEquals(0, control.delayMicros());
        assertEquals(0, control.bandwidth());
        round(0);
        assertEquals(DELAY, control.delayMicros());
        assertEquals(32 * DATAGRAM, control.window(), "the bandwidth is not known");
        assertEquals(2.89 * 32 * DATAGRAM / DELAY, control.pacingRate(), 1e-9);
    }

    /** Startup paces at 2.89 times what was measured, so that the rate doubles each round. */
    @Test
    void startupPacesAtMoreThanTwiceWhatWasMeasured() {
        round(BANDWIDTH);
        assertEquals(BANDWIDTH, control.bandwidth());
        assertEquals(2.89 * BANDWIDTH, control.pacingRate(), 1e-9);
        assertEquals(2.89 * PRODUCT + SLACK, control.window(), 1);
        CongestionControl slow = new CongestionControl(DATAGRAM);
        slow.onAck(new Sample(10, 0, 0.001, false, DELAY, 10, 0), DELAY);
        assertEquals(32.0 * DATAGRAM / DELAY, slow.pacingRate(), 1e-9, "no less than 32 datagrams a round trip");
        assertEquals(32 * DATAGRAM, slow.window());
    }

    @Test
    void startupEndsAfterThreeRoundsWithoutAQuarterOfGrowth() {
        round(8);
        round(10); // a quarter
        for (int i = 0; i < 2; i++) {
            round(12.4, DELAY, DATAGRAM, 2 * (long) PRODUCT, false);
            assertEquals(Phase.STARTUP, control.phase());
        }
        round(12.5, DELAY, DATAGRAM, 2 * (long) PRODUCT, false);
        for (int i = 0; i < 3; i++) {
            assertEquals(Phase.STARTUP, control.phase(), "12.5 was another quarter");
            round(12.5, DELAY, DATAGRAM, 2 * (long) PRODUCT, false);
        }
        assertEquals(Phase.DRAIN, control.phase());
    }

    @Test
    void roundsInWhichTheSenderHadLittleToSendDoNotEndStartup() {
        round(BANDWIDTH);
        for (int i = 0; i < 10; i++) {
            round(BANDWIDTH, DELAY, DATAGRAM, 0, true);
        }
        assertEquals(Phase.STARTUP, control.phase());
    }

    /** What startup queued runs out at the inverse of its gain; then the rate is the path's. */
    @Test
    void theQueueOfStartupIsDrained() {
        for (int i = 0; i < 4; i++) {
            round(BANDWIDTH, DELAY, DATAGRAM, (long) PRODUCT + 1, false);
        }
        assertEquals(Phase.DRAIN, control.phase());
        assertEquals(BANDWIDTH / 2.89, control.pacingRate(), 1e-9);
        assertEquals(2 * PRODUCT + SLACK, control.window(), 1);
        round(BANDWIDTH, DELAY, DATAGRAM, (long) PRODUCT + 1, false);
        assertEquals(Phase.DRAIN, control.phase());
        round(BANDWIDTH, DELAY, DATAGRAM, (long) PRODUCT, false);
        assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
        assertEquals(BANDWIDTH, control.pacingRate(), 1e-9);
    }

    /** One phase in eight a quarter faster, the next a quarter slower until the queue of the first has gone. */
    @Test
    void theBandwidthIsProbedOnceInEightPhases() {
        settle();
        double[] expected = {1, 1, 1, 1, 1, 1, 1.25, 0.75};
        for (int turn = 0; turn < 2; turn++) {
            for (double each : expected) {
                assertEquals(each * BANDWIDTH, control.pacingRate(), 1e-9);
                now += 1;
                round(BANDWIDTH, DELAY, DATAGRAM, (long) PRODUCT + 1, false);
            }
        }
        assertEquals(BANDWIDTH, control.pacingRate(), 1e-9);
    }

    @Test
    void aPhaseLastsLongerThanTheDelayAndADrainedOneEndsAtOnce() {
        settle();
        for (int i = 0; i < 7; i++) {
            now += 1;
            round(BANDWIDTH, DELAY, DATAGRAM, (long) PRODUCT + 1, false);
        }
        assertEquals(0.75 * BANDWIDTH, control.pacingRate(), 1e-9);
        round(BANDWIDTH, DELAY, DATAGRAM, (long) PRODUCT + 1, false);
        assertEquals(0.75 * BANDWIDTH, control.pacingRate(), 1e-9, "exactly the delay, and a queue stands");
        now -= DELAY - 1;
        round(BANDWIDTH, DELAY, DATAGRAM, (long) PRODUCT, false);
        assertEquals(BANDWIDTH, control.pacingRate(), 1e-9);
        now -= DELAY - 1;
        round(BANDWIDTH, DELAY, DATAGRAM, 0, false);
        assertEquals(BANDWIDTH, control.pacingRate(), 1e-9);
    }

    /** The bandwidth is the highest of ten rounds that tell of it, the present one among them. */
    @Test
    void aRateIsForgottenAfterTenRounds() {
        settle();
        for (int i = 0; i < 8; i++) {
            round(BANDWIDTH / 2);
            assertEquals(BANDWIDTH, control.bandwidth(), "after " + i);
        }
        round(BANDWIDTH / 2);
        assertEquals(BANDWIDTH / 2, control.bandwidth());
    }

    @Test
    void aRoundWithoutEnoughToSendSaysNothingAgainstEarlierOnes() {
        settle();
        for (int i = 0; i < 30; i++) {
            round(BANDWIDTH / 2, DELAY, DATAGRAM, 0, true);
        }
        assertEquals(BANDWIDTH, control.bandwidth());
        round(2 * BANDWIDTH, DELAY, DATAGRAM, 0, true);
        assertEquals(2 * BANDWIDTH, control.bandwidth(), "a higher rate is true all the same");
    }

    /** Acknowledgements of tokens that left in an earlier round end none. */
    @Test
    void aRoundEndsWithATokenThatLeftInIt() {
        settle();
        for (int i = 0; i < 30; i++) {
            delivered += DATAGRAM;
            control.onAck(new Sample(delivered, 0, BANDWIDTH / 2, false, DELAY, DATAGRAM, 0), ++now);
        }
        assertEquals(BANDWIDTH, control.bandwidth());
    }

    /** The delay is the lowest round-trip time of ten seconds. */
    @Test
    void theDelayIsSeenAgainAfterTenSeconds() {
        settle();
        long seen = now;
        while (now - seen < 10_000_000) {
            round(BANDWIDTH, DELAY + 2_000, DATAGRAM, (long) PRODUCT, false);
            assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
        }
        round(BANDWIDTH, DELAY + 2_000, DATAGRAM, (long) PRODUCT, false);
        assertEquals(Phase.PROBE_DELAY, control.phase());
        assertEquals(PRODUCT / 2, control.window(), 1);
        assertEquals(BANDWIDTH, control.pacingRate(), 1e-9);
        long begun = now;
        round(BANDWIDTH, DELAY + 500, DATAGRAM, 0, false);
        while (now - begun < 100_000) {
            assertEquals(Phase.PROBE_DELAY, control.phase());
            assertEquals(DELAY, control.delayMicros());
            round(BANDWIDTH, DELAY + 1_000, DATAGRAM, 0, false);
        }
        assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
        assertEquals(DELAY + 500, control.delayMicros(), "the lowest that was seen meanwhile");
    }

    @Test
    void aPathLongerThan50MillisecondsIsProbedForTwoRoundTrips() {
        long far = 80_000;
        for (int i = 0; i < 4; i++) {
            round(BANDWIDTH, far, DATAGRAM, 0, false);
        }
        while (control.phase() != Phase.PROBE_DELAY) {
            round(BANDWIDTH, far + 1_000, DATAGRAM, 0, false);
        }
        long begun = now;
        while (now - begun < 2 * far) {
            assertEquals(Phase.PROBE_DELAY, control.phase());
            round(BANDWIDTH, far + 1_000, DATAGRAM, 0, false);
        }
        assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
    }

    @Test
    void aProbeThatSawNoPacketKeepsTheDelay() {
        settle();
        now += 10_000_001;
        round(BANDWIDTH, DELAY + 1_000, DATAGRAM, 0, false);
        assertEquals(Phase.PROBE_DELAY, control.phase());
        now += 100_000;
        round(BANDWIDTH, 0, DATAGRAM, 0, false);
        assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
        assertEquals(DELAY, control.delayMicros());
    }

    /** What comes in a lump must be under way in addition, or the window stands in the way between two lumps. */
    @Test
    void lumpsOfAcknowledgementsAddToTheWindow() {
        settle();
        round(BANDWIDTH, DELAY, 60_000, 0, false);
        assertEquals(2 * PRODUCT + 60_000, control.window(), 1);
        now -= DELAY - 1_000;
        round(BANDWIDTH, DELAY, 20_000, 0, false);
        assertEquals(2 * PRODUCT + 70_000, control.window(), 1, "a millisecond would bring 10,000 of 80,000");
        for (int i = 0; i < 8; i++) {
            round(BANDWIDTH);
            assertEquals(2 * PRODUCT + 70_000, control.window(), 1, "after " + i);
        }
        round(BANDWIDTH);
        assertEquals(2 * PRODUCT + SLACK, control.window(), 1, "ten rounds later");
    }

    @Test
    void aLumpCountsForNoMoreThan50Milliseconds() {
        settle();
        round(BANDWIDTH, DELAY, 900_000, 0, false);
        assertEquals(2 * PRODUCT + 50_000 * BANDWIDTH, control.window(), 1);
    }

    @Test
    void aSlowPathHasThreeDatagramsOfSlack() {
        for (int i = 0; i < 4; i++) {
            round(1, DELAY, 100, 0, false);
        }
        assertEquals(2 * DELAY + 3 * DATAGRAM, control.window(), 1.0);
    }

    /** Loss without a queue is the path's: the window stays. */
    @Test
    void lossWithoutAQueueDoesNotShrinkTheWindow() {
        settle();
        judged(4_000, DELAY + 1_000, 30_000);
        assertEquals(2 * PRODUCT + slackOf(60_000), control.window(), 1);
        judged(4_000, DELAY + 2_500, 30_000);
        assertEquals(2 * PRODUCT + slackOf(60_000), control.window(), 1, "up to a quarter more is no queue");
    }

    /** Loss while a queue stands: the window shrinks to 0.7 of what was under way, then grows by a datagram a round. */
    @Test
    void lossBesideAQueueShrinksTheWindow() {
        settle();
        judged(4_000, DELAY + 2_501, 30_000);
        double ceiling = 0.7 * (30_000 + 60_000);
        assertEquals(ceiling, control.window(), 1);
        judged(0, DELAY + 2_501, 30_000);
        assertEquals(ceiling + DATAGRAM, control.window(), 1);
        judged(4_000, DELAY + 2_501, 300_000);
        assertEquals(0.7 * (ceiling + DATAGRAM), control.window(), 1, "of the window, if more is under way");
    }

    @Test
    void withoutAQueueTheWindowGrowsByAQuarterUntilTheCeilingIsOfNoUse() {
        settle();
        judged(4_000, DELAY + 2_501, 30_000);
        double ceiling = 63_000;
        while (ceiling * 1.25 <= 4 * PRODUCT) {
            judged(0, DELAY, 30_000);
            ceiling *= 1.25;
            assertEquals(Math.min(ceiling, 2 * PRODUCT + slackOf(64_000)), control.window(), 1);
        }
        judged(0, DELAY, 30_000);
        judged(4_000, DELAY + 2_501, 900_000);
        assertEquals(2 * PRODUCT + slackOf(64_000), control.window(), 1, "0.7 of 960,000 is no limit");
    }

    @Test
    void theWindowNeverShrinksBelowFourDatagrams() {
        settle();
        for (int i = 0; i < 3; i++) {
            control.onLoss(64_000);
            round(BANDWIDTH, DELAY + 2_501, 10, 0, false);
        }
        assertTrue(control.window() >= 4 * DATAGRAM, "window " + control.window());
    }

    /** On a path shorter than 4 ms a millisecond of waiting is no queue either. */
    @Test
    void onAShortPathAMillisecondOfWaitingIsNoQueue() {
        for (int i = 0; i < 4; i++) {
            round(BANDWIDTH, 1_000, DATAGRAM, 0, false);
        }
        judged(0, 1_000, 3_000);
        judged(4_000, 2_000, 3_000);
        long free = control.window();
        judged(4_000, 2_001, 3_000);
        assertEquals(0.7 * 63_000, control.window(), 1);
        assertTrue(free > 63_000, "free " + free);
    }

    @Test
    void twoInAThousandAreNoReasonToShrink() {
        settle();
        judged(128, DELAY + 3_000, 30_000);
        assertTrue(control.window() > 2 * PRODUCT);
        judged(129, DELAY + 3_000, 30_000);
        assertEquals(0.7 * (30_000 + 64_000 - 129), control.window(), 1);
    }

    /** Of fewer than 64 datagrams a few losses are chance. */
    @Test
    void lossIsJudgedOver64Datagrams() {
        settle();
        control.onLoss(4_000);
        round(BANDWIDTH, DELAY + 3_000, 59_999, 30_000, false);
        assertTrue(control.window() > 2 * PRODUCT, "63,999 bytes");
        round(BANDWIDTH, DELAY + 3_000, 1, 30_000, false);
        assertTrue(control.window() < PRODUCT);
    }

    @Test
    void lossEndsStartup() {
        round(BANDWIDTH);
        control.onLoss(4_000);
        round(2 * BANDWIDTH, 2 * DELAY, 64_000, 3 * (long) PRODUCT, false);
        assertEquals(Phase.STARTUP, control.phase(), "of that round the least time was without queue");
        control.onLoss(4_000);
        round(4 * BANDWIDTH, 2 * DELAY, 64_000, 9 * (long) PRODUCT, false);
        assertEquals(Phase.DRAIN, control.phase());
    }

    /** Loss that four judgements in turn saw is the path's, queue or not. */
    @Test
    void steadyLossIsNotAnsweredAfterFourJudgements() {
        settle();
        double ceiling = Double.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            judged(3_200, DELAY + 3_000, 30_000);
            ceiling = 0.7 * Math.min(ceiling, 90_800);
            assertEquals(ceiling, control.window(), 1, "judgement " + i);
        }
        judged(3_200, DELAY + 3_000, 30_000);
        assertEquals(ceiling + DATAGRAM, control.window(), 1);
    }

    private static final long QUEUED = DELAY + 3_000;

    /** Loss beside a queue, and no loss of datagrams that left after the cut. */
    private void lossAt(long inFlight) {
        judged(4_000, QUEUED, inFlight - 60_000);
        judged(0, QUEUED, 0);
    }

    /** Each less than 0.85 of the one before, or of what has faded to that from earlier ones. */
    private void threeCutsInVain() {
        settle();
        lossAt(240_000);
        lossAt(200_000);
        lossAt(172_000);
        assertTrue(control.window() < PRODUCT, "window " + control.window());
        lossAt(145_000);
    }

    /** Loss comes back, cut for cut, long before what was under way is under way again: another flow takes the room. */
    @Test
    void afterThreeCutsInVainLossIsNotAnswered() {
        threeCutsInVain();
        assertEquals(2 * PRODUCT + slackOf(64_000), control.window(), 1);
        lossAt(70_000);
        assertEquals(2 * PRODUCT + slackOf(64_000), control.window(), 1);
    }

    /** A flow that answers loss made room, too. */
    @Test
    void aCutThatGrewAgainWasNotInVain() {
        settle();
        lossAt(240_000);
        lossAt(200_000);
        lossAt(172_000);
        lossAt(148_000); // 0.85 of 240,000, faded twice, is 147,390
        lossAt(120_000);
        lossAt(100_000);
        assertTrue(control.window() < PRODUCT, "window " + control.window());
        lossAt(85_000);
        assertTrue(control.window() > 2 * PRODUCT, "window " + control.window());
    }

    /** What is lost in the judgement after a cut had left before the cut. */
    @Test
    void lossOfTheSameRoundIsNoCutInVain() {
        settle();
        judged(4_000, QUEUED, 180_000);
        lossAt(180_000);
        lossAt(170_000);
        lossAt(140_000);
        assertTrue(control.window() < PRODUCT, "window " + control.window());
    }

    /** The other flow may have gone: one cut a second finds out. */
    @Test
    void aTrialFindsThatCutsHelpAgain() {
        threeCutsInVain();
        for (int i = 0; i < 60; i++) {
            judged(0, QUEUED, 100_000);
        }
        lossAt(240_000);
        assertEquals(2 * PRODUCT + slackOf(64_000), control.window(), 1, "64 judgements after the last cut");
        lossAt(240_000);
        assertEquals(0.7 * 240_000 + DATAGRAM, control.window(), 1, "the trial");
        lossAt(240_000);
        assertEquals(0.7 * (0.7 * 240_000 + DATAGRAM) + DATAGRAM, control.window(), 1, "cuts help");
    }

    @Test
    void lossOfTheSameRoundDoesNotEndATrial() {
        threeCutsInVain();
        for (int i = 0; i < 64; i++) {
            judged(0, QUEUED, 100_000);
        }
        judged(4_000, QUEUED, 180_000);
        judged(4_000, QUEUED, 180_000);
        assertEquals(0.7 * 0.7 * 240_000, control.window(), 1);
    }

    @Test
    void aTrialInVainEndsAtOnce() {
        threeCutsInVain();
        for (int i = 0; i < 64; i++) {
            judged(0, QUEUED, 100_000);
        }
        lossAt(240_000);
        assertTrue(control.window() < 2 * PRODUCT, "the trial");
        lossAt(180_000);
        assertEquals(2 * PRODUCT + slackOf(64_000), control.window(), 1);
    }

    /** A path that is shorter than it seemed: what was learnt of its loss was learnt beside a queue. */
    @Test
    void aShorterDelayForgetsTheUsualLoss() {
        settle();
        for (int i = 0; i < 20; i++) {
            judged(3_200, DELAY + 3_000, 30_000);
        }
        double before = control.window();
        judged(6_300, DELAY + 3_000, 30_000);
        assertTrue(control.window() > before, "twice the usual may be chance");
        judged(3_200, DELAY * 8 / 10, 30_000);
        before = control.window();
        judged(6_300, DELAY + 3_000, 30_000);
        assertTrue(control.window() < before, "it is answered again");
    }

    /** Unusual loss and no queue: perhaps there always was one, and the delay is not the path's. */
    @Test
    void unusualLossWithoutAQueueLetsTheDelayBeSeenAgain() {
        settle();
        judged(4_000, DELAY + 500, 30_000);
        long seen = now - DELAY;
        while (now - seen < 500_000) {
            round(BANDWIDTH, DELAY + 500, DATAGRAM, 0, false);
            assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
        }
        round(BANDWIDTH, DELAY + 500, DATAGRAM, 0, false);
        assertEquals(Phase.PROBE_DELAY, control.phase());
        for (int i = 0; i < 10; i++) {
            round(BANDWIDTH, DELAY + 500, DATAGRAM, 0, false);
        }
        assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
        seen = now;
        while (now - seen < 2_000_000) {
            round(BANDWIDTH, DELAY + 600, DATAGRAM, 0, false);
            assertEquals(Phase.PROBE_BANDWIDTH, control.phase(), "once");
        }
    }

    @Test
    void oneInAHundredIsNotUnusual() {
        settle();
        judged(640, DELAY + 500, 30_000);
        for (int i = 0; i < 60; i++) {
            round(BANDWIDTH, DELAY + 500, DATAGRAM, 0, false);
        }
        assertEquals(Phase.PROBE_BANDWIDTH, control.phase());
    }
}
