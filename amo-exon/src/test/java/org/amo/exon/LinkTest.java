package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the congestion control promises (docs/decisions/0031), over a link of 10 ms and 1.2 bandwidth-delay products of queue. */
class LinkTest {
    private static final int QUEUE = 150_000;

    /** So long a flow is measured that need only be fast. */
    private static final long UNTIL = Boolean.getBoolean("amo.allSeeds") ? 5_000_000 : 3_000_000;

    /** Share of the link's rate that arrives as messages of 1 kB, after a second to start. */
    private static double share(LinkSimulation link, double megabits, long fromMicros, long untilMicros) {
        link.runUntil(fromMicros);
        long before = link.delivered.getOrDefault(1, 0L);
        link.runUntil(untilMicros);
        long bytes = link.delivered.getOrDefault(1, 0L) - before;
        return bytes * 8.0 / (untilMicros - fromMicros) / megabits;
    }

    /** 1 kB of 1,087 on the wire is 0.92 of the rate; at 5 % loss each datagram goes 1.05 times, before the link. */
    @ParameterizedTest
    @CsvSource({"100, 0, 0.88", "100, 0.01, 0.86", "100, 0.05, 0.82", "10, 0, 0.85", "10, 0.05, 0.78"})
    void randomLossDoesNotSlowDown(double megabits, double loss, double least) {
        LinkSimulation link = new LinkSimulation(megabits, 10_000, (int) (QUEUE * megabits / 100), loss, 5);
        link.saturate(2_000, 1_000);
        double share = share(link, megabits, 1_000_000, UNTIL);
        assertTrue(share >= least, "share " + share);
        assertTrue(link.outcomes.stream().allMatch(outcome -> outcome == Outcome.DELIVERED));
    }

    /**
     * Each datagram takes up to so much longer in each direction, the round trip 10 ms on average or more. Loss by gap alone, which
     * is what a path that never learns has, took every overtaken datagram for a lost one: at 5 ms it had an eighth of this.
     */
    @ParameterizedTest
    @CsvSource({
        "9000, 1000, 0, 0.88",
        "5000, 5000, 0, 0.88",
        "5000, 5000, 0.01, 0.75",
        "2000, 8000, 0, 0.85",
        "10000, 20000, 0, 0.7"
    })
    void jitterDoesNotSlowDown(long rttMicros, long jitterMicros, double loss, double least) {
        double share = jittery(rttMicros, jitterMicros, loss, Reordering::new);
        assertTrue(share >= least, "share " + share);
    }

    @Test
    void lossByGapAloneTakesJitterForLoss() {
        double before = jittery(5_000, 5_000, 0, NeverSeen::new);
        double now = jittery(5_000, 5_000, 0, Reordering::new);
        assertTrue(now >= 5 * before, "share " + now + ", by gap " + before);
    }

    private static double jittery(long rttMicros, long jitterMicros, double loss, Supplier<Reordering> reordering) {
        LinkSimulation link = new LinkSimulation(100, rttMicros, QUEUE, loss, 5, reordering);
        link.jitterMicros = jitterMicros;
        link.saturate(2_000, 1_000);
        return share(link, 100, 1_000_000, 3_000_000);
    }

    private static final class NeverSeen extends Reordering {
        @Override
        void onLate(long tookMicros, long rttMicros, long delayMicros) {}
    }

    /** From nothing to nine tenths of what the link carries, with jitter or without. */
    @ParameterizedTest
    @ValueSource(longs = {0, 5_000})
    void aStartFillsTheLinkWithinTenRoundTrips(long jitterMicros) {
        LinkSimulation link = new LinkSimulation(100, 10_000 - jitterMicros, QUEUE, 0, 5);
        link.jitterMicros = jitterMicros;
        link.saturate(2_000, 1_000);
        double share = share(link, 100, 80_000, 100_000);
        assertTrue(share >= 0.9 * 0.92, "share " + share);
    }

    /** A loop that comes late makes good what it missed; else each round measures less than the one before, down to nothing. */
    @ParameterizedTest
    @CsvSource({"1000, 0, 0.85", "3000, 0, 0.8", "3000, 0.05, 0.7"})
    void aBusyProcessorDoesNotSlowDownEither(long lateMicros, double loss, double least) {
        LinkSimulation link = new LinkSimulation(100, 10_000, QUEUE, loss, 8);
        link.wakesLate = () -> lateMicros;
        link.saturate(2_000, 1_000);
        double share = share(link, 100, 1_000_000, UNTIL);
        assertTrue(share >= least, "share " + share);
    }

    /**
     * Every tenth wake-up up to 20 ms late, as beside many busy processes. What a round then brings is the machine's rate,
     * and the acknowledgements come in lumps: taken for the path's, it fell to 0.06, at 5 % loss to 0.03; with half of a
     * round trip to make good at once to 0.5 and 0.2.
     */
    @ParameterizedTest
    @CsvSource({"0.1, 20000, 0, 0.45", "0.1, 20000, 0.05, 0.5"})
    void whatALateMachineBringsIsNotTakenForThePathsBandwidth(double late, long most, double loss, double least) {
        LinkSimulation link = new LinkSimulation(100, 10_000, QUEUE, loss, 1);
        link.share(late, most);
        link.saturate(2_000, 1_000);
        double share = share(link, 100, 1_000_000, 4_000_000);
        assertTrue(share >= least, "share " + share);
    }

    /**
     * Ends that are 3 ms late look like a queue; loss of a path is no reason to shrink for that. Judged over a round, however
     * small, one in eight fell to 0.3 and stayed there.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void lossOfALossyPathIsNotAnsweredBesideWhatLooksLikeAQueue(long seed) {
        LinkSimulation link = new LinkSimulation(100, 10_000, QUEUE, 0.05, seed);
        link.wakesLate = () -> 3_000;
        link.saturate(2_000, 1_000);
        double share = share(link, 100, 500_000, 2_500_000);
        assertTrue(share >= 0.75, "share " + share);
    }

    /**
     * Wake-ups a millisecond late on average: a call over threads of their own at both ends waits for six of them (0.76 of
     * the link), in the loops for two.
     */
    @Test
    void callsInTheLoopsFillTheLinkThoughThreadsComeLate() {
        LinkSimulation link = new LinkSimulation(100, 10_000, QUEUE, 0, 1);
        SplittableRandom chance = new SplittableRandom(99);
        link.wakesLate = () -> (long) (-1_000 * Math.log(1 - chance.nextDouble()));
        link.applicationInLoop = true;
        link.call(200, 1_000);
        link.runUntil(500_000);
        long before = link.answered;
        link.runUntil(2_500_000);
        double share = (link.answered - before) * 8_000.0 / 2_000_000 / 100;
        assertTrue(share >= 0.85, "share " + share);
    }

    /** A machine that stood still for a second measures nearly nothing; the least window leaves once a round trip all the same. */
    @Test
    void aRateOfNearlyNothingIsNotKept() {
        CongestionControl control = new CongestionControl(1_452);
        long now = 0;
        for (int i = 0; i < 40; i++) {
            now += 1_000_000;
            control.onAck(
                    new CongestionControl.Sample((i + 1) * 1_000L, i * 1_000L, 0.001, false, 10_000, 1_000, 0), now);
        }
        assertTrue(control.pacingRate() >= 4 * 1_452 / 10_000.0, control.phase() + " paces at " + control.pacingRate());
        assertTrue(control.bandwidth() <= 0.001, "bandwidth " + control.bandwidth());
    }

    /**
     * Two hundred actors keep both directions full. Datagrams of a call of 1 kB take 1,038 bytes: acknowledgements travel
     * with tokens, and not with each of them, or they would take 1,045.
     */
    @ParameterizedTest
    @CsvSource({"0, 0.9", "0.05, 0.75"})
    void callsFillTheLinkInBothDirections(double loss, double least) {
        LinkSimulation link = new LinkSimulation(100, 10_000, QUEUE, loss, 9);
        link.call(200, 1_000);
        link.runUntil(1_000_000);
        long before = link.answered;
        long sent = link.sentBytes;
        link.runUntil(3_000_000);
        double share = (link.answered - before) * 8_000.0 / 2_000_000 / 100;
        double each = (link.sentBytes - sent) / (double) (link.answered - before);
        assertTrue(share >= least, "share " + share + ", " + each + " bytes a call");
        if (loss == 0) {
            assertTrue(each <= 1_041, each + " bytes of datagrams a call");
        }
    }

    /** A lone flow keeps a third of the queue free on average, and after the start it drops less than one in a thousand. */
    @Test
    void aLoneFlowDoesNotFillTheQueue() {
        LinkSimulation link = new LinkSimulation(100, 10_000, QUEUE, 0, 6);
        link.saturate(2_000, 1_000);
        link.runUntil(1_000_000);
        long before = link.queueDrops;
        long carried = link.carried;
        double waitedMicros = link.waitedMicros;
        link.runUntil(5_000_000);
        assertTrue(link.queueDrops - before < 40, "drops " + (link.queueDrops - before) + " of 45,000");
        double waitMicros = (link.waitedMicros - waitedMicros) / (link.carried - carried);
        assertTrue(waitMicros < 8_000, "a datagram waits " + waitMicros + " us on average, of 12,000 in a full queue");
    }

    /**
     * Beside one cubic flow on a full link each gets between 30 and 70 %: the median of five starts. One start gets 51 to 83 %, as
     * the cuts of both happen to meet.
     */
    @Test
    void aFullQueueIsSharedWithCubic() {
        double[] shares = sharesBeside(QUEUE, 0, CubicFlow::new);
        assertTrue(shares[2] > 0.3 && shares[2] < 0.7, "our shares are " + Arrays.toString(shares));
    }

    /**
     * Beside one flow of BBR's first version, which does not answer loss: the median of five starts. With every cut made, it was 0.20, and 0.12
     * over a real link.
     */
    @Test
    void aFlowThatDoesNotAnswerLossLeavesAQuarter() {
        double[] shares = sharesBeside(QUEUE, 0, link -> new BbrFlow(link, 3));
        assertTrue(shares[2] > 0.25 && shares[2] < 0.7, "our shares are " + Arrays.toString(shares));
    }

    /** With losses of the path in addition, and with one and four bandwidth-delay products of queue. */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"150000, 0.01, 0.25", "125000, 0, 0.25", "500000, 0, 0.25"})
    void aQuarterIsLeftWithLossAndWithOtherQueues(int queue, double loss, double least) {
        double[] shares = sharesBeside(queue, loss, link -> new BbrFlow(link, 3));
        assertTrue(shares[2] > least, "our shares are " + Arrays.toString(shares));
    }

    /** Of Exon's bytes and the other flow's, for five starts, in ascending order. */
    private static double[] sharesBeside(int queue, double loss, Function<LinkSimulation, CompetingFlow> other) {
        double[] shares = new double[5];
        for (int i = 0; i < shares.length; i++) {
            LinkSimulation link = new LinkSimulation(100, 10_000, queue, loss, 1);
            CompetingFlow flow = other.apply(link);
            flow.start();
            link.runUntil(500_000 + i * 71_000L);
            link.saturate(4_000, 1_000);
            link.runUntil(3_000_000);
            long ours = link.delivered.getOrDefault(1, 0L);
            long theirs = flow.delivered;
            link.runUntil(13_000_000);
            ours = link.delivered.getOrDefault(1, 0L) - ours;
            theirs = flow.delivered - theirs;
            shares[i] = (double) ours / (ours + theirs);
        }
        Arrays.sort(shares);
        return shares;
    }

    /** Two flows of Exon, the second begun later: the median of five starts. */
    @Test
    @Tag("slow")
    void twoFlowsShareEvenly() {
        double[] shares = new double[5];
        for (int i = 0; i < shares.length; i++) {
            LinkSimulation link = new LinkSimulation(100, 10_000, QUEUE, 0, 1);
            link.saturate(4_000, 1_000);
            link.runUntil(500_000 + i * 71_000L);
            link.saturateSecondPair(4_000, 1_000);
            link.runUntil(3_000_000);
            long ours = link.delivered.getOrDefault(1, 0L);
            long theirs = link.delivered.getOrDefault(3, 0L);
            link.runUntil(13_000_000);
            ours = link.delivered.getOrDefault(1, 0L) - ours;
            theirs = link.delivered.getOrDefault(3, 0L) - theirs;
            shares[i] = (double) ours / (ours + theirs);
        }
        Arrays.sort(shares);
        assertTrue(shares[2] > 0.3 && shares[2] < 0.7, "shares of the first are " + Arrays.toString(shares));
    }

    /** Row E10: the retry time follows the path. */
    @Test
    void theRetryTimeFollowsTheRoundTripTime() {
        LinkSimulation fast = new LinkSimulation(100, 6_000, QUEUE, 0, 7);
        fast.saturate(10, 100);
        fast.runUntil(1_000_000);
        LinkSimulation slow = new LinkSimulation(100, 100_000, QUEUE, 0, 7);
        slow.saturate(10, 100);
        slow.runUntil(3_000_000);
        long fastRetry = fast.firstRetryMicros();
        long slowRetry = slow.firstRetryMicros();
        assertTrue(fastRetry > 6_000 && fastRetry < 20_000, "retry " + fastRetry);
        assertTrue(slowRetry > 100_000 && slowRetry < 140_000, "retry " + slowRetry);
    }
}
