package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** When entries are submitted: the edges of the pauses, and submissions that are certainly ordered. */
final class SubmitterTest {
    private static final FinishedNumbers ONE = FinishedNumbers.of(1);

    // ------------------------------------------------- entries of the leader alone

    @Test
    void theLeaderTriesAgainToStartTheGroupAfter100Milliseconds() {
        ReplicaRig rig = unstartedLeader();
        rig.tick();
        assertEquals(1, rig.submitted.size());
        rig.now += 60;
        rig.replica.onRejected(rig.submitted.remove().number(), rig.now);
        rig.now += 39;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
        rig.now += 1;
        rig.tick();
        assertEquals(1, rig.submitted.size());
    }

    @Test
    void thePauseAfterARejectionIs20MillisecondsForTheLeaderToo() {
        ReplicaRig rig = unstartedLeader();
        rig.tick();
        rig.now += 80;
        rig.replica.onRejected(rig.submitted.remove().number(), rig.now);
        rig.now += 20;
        rig.tick();
        assertEquals(1, rig.submitted.size());
    }

    /** Two of three clocks are one majority if they differ by half the skew at most. */
    @Test
    void aGroupStartsWhereTwoClocksAgreeWithinHalfTheSkew() {
        for (long apart : new long[] {50, 51}) {
            ReplicaRig rig = new ReplicaRig("a");
            rig.replica.onLeader("a", rig.now);
            rig.reportClock("b", 5_000_000 + apart);
            rig.replica.onTick(rig.now, 5_000_000);
            assertEquals(apart == 50 ? 1 : 0, rig.submitted.size(), apart + " ms");
        }
    }

    @Test
    void theGroupIsSteppedWhenItIsMoreThanHalfASecondBehind() {
        for (long behind : new long[] {500, 501}) {
            ReplicaRig rig = ReplicaRig.started("a", "a");
            long wall = rig.groupTime() + behind;
            rig.reportClock("b", wall);
            rig.reportClock("c", wall);
            rig.replica.onTick(rig.now, wall);
            assertEquals(behind == 501 ? 1 : 0, rig.submitted.size(), behind + " ms");
        }
    }

    @Test
    void aStepThatIsNotDeliveredIsRepeatedAfterASecond() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        long ahead = rig.groupTime() + 10_000;
        rig.reportClock("b", ahead);
        rig.reportClock("c", ahead);
        rig.tick();
        assertEquals(1, rig.submitted.size());
        rig.now += 999;
        rig.tick();
        assertEquals(1, rig.submitted.size());
        rig.now += 1;
        rig.tick();
        assertEquals(2, rig.submitted.size());
        assertEquals(ahead + 1_000, rig.submitted.getLast().entry().stampMillis());
    }

    @Test
    void aTickIsOrderedInTheMillisecondInWhichAnEntryExpires() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        Request request = rig.request(1);
        rig.copy("1", request);
        rig.deliverNext();
        rig.executeAll();
        // It lives until its deadline and the skew, that millisecond included.
        rig.now += request.deadlineMillis() + 100 - rig.groupTime() - 99;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
        rig.now += 100;
        rig.tick();
        assertEquals(1, rig.submitted.size());
        rig.deliverNext();
        assertEquals(0, rig.replica.status().entries());
    }

    private static ReplicaRig unstartedLeader() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onLeader("a", rig.now);
        rig.reportClock("b", ReplicaRig.EPOCH);
        return rig;
    }

    // ------------------------------------------------- batches

    @Test
    void anEntryOfAcknowledgementsHoldsTheNextOnlyUntilItIsDelivered() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onFinished(ReplicaRig.C, ONE, rig.now);
        rig.copy("1", rig.request(2));
        assertEquals(1, rig.submitted.size());
        rig.deliverNext();
        assertEquals(List.of(2L), rig.numbersSubmitted());
    }

    @Test
    void anEntryOfWhichTheLeaderSaysThatItIsOrderedIsNotSubmittedAgain() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onFinished(ReplicaRig.C, ONE, rig.now);
        rig.results("b", rig.submitted.remove().number());
        rig.now += 3_000;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
    }

    /** The attempt waits for its other submission; the entries behind it do not. */
    @Test
    void aHeldRefusalHoldsUpNoFurtherEntry() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        long timestamp = rig.groupTime() + 4_000;
        rig.copy("too early", ReplicaRig.request(ReplicaRig.C, 1, "op1", timestamp, timestamp + 5_000));
        rig.now += 2_001;
        rig.tick();
        assertEquals(List.of(1L, 1L), rig.numbersSubmitted());
        OrderedEntry second = rig.submitted.removeLast().entry();
        rig.submitted.clear();
        rig.deliver(EntryBuilder.entry(
                "a",
                second.incarnation(),
                second.submission(),
                rig.groupTime() - 1_500,
                Optional.empty(),
                second.items()));
        assertEquals("-", rig.answer("too early"), "its first submission may still be delivered");
        rig.copy("other", rig.request(ReplicaRig.D, 1, "other"));
        assertEquals(1, rig.submitted.size());
    }

    /** Some of its own entries may be among those that the snapshot jumped over. */
    @Test
    void acknowledgementsThatASnapshotMayHaveJumpedOverGoAgainAtOnce() {
        ReplicaRig donor = ReplicaRig.started("b", "b");
        donor.copy("1", donor.request(1));
        donor.deliverNext();
        donor.executeAll();
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onFinished(ReplicaRig.C, ONE, rig.now);
        rig.submitted.clear();
        rig.replica.snapshots().install(donor.replica.snapshots().take(), rig.now);
        assertEquals(ONE, rig.submitted.element().entry().items().get(0).finished());
    }
}
