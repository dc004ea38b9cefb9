package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.DivergenceMarks.Change;
import org.amo.core.replica.ExecutionTrail.Step;
import org.amo.core.replica.PeerMessage.Trail;
import org.amo.core.replica.PeerMessage.TrailQuestion;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** When member c of a, b and c orders marks and votes, and its steps after a verdict. */
final class DivergenceMarksTest {
    private static final List<String> ABC = List.of("a", "b", "c");
    private static final boolean LEADER = true;
    private static final boolean FOLLOWER = false;
    private static final long NOW = 50_000;

    /** Up to position 10, with one execution. */
    private static final Trail OTHER = new Trail(10, 0, List.of(new Step(new Place(9, 0), 4)));

    private final ReplicaRig shell = new ReplicaRig("c", Divergence.STOP);
    private final ExecutionProgress progress = new ExecutionProgress(false);
    private final DivergenceDetector detector = new DivergenceDetector("c", MarkRule.MAJORITY);
    private final DivergenceMarks marks = new DivergenceMarks(options(Divergence.STOP), shell, progress, detector);

    // ------------------------------------------------- marks

    @Test
    void theLeaderMarksHalfASecondAfterTheLastMarkIfARequestWasAccepted() {
        markDelivered(1);
        assertFalse(marks.takeMark(LEADER, NOW + 500), "nothing was accepted");
        requestDelivered(2);
        assertFalse(marks.takeMark(LEADER, NOW + 499));
        assertFalse(marks.takeMark(FOLLOWER, NOW + 500));
        assertTrue(marks.takeMark(LEADER, NOW + 500));
    }

    @Test
    void aMarkThatIsOnItsWayIsNotOrderedTwice() {
        requestDelivered(1);
        assertTrue(marks.takeMark(LEADER, NOW));
        assertFalse(marks.takeMark(LEADER, NOW + 499));
        assertTrue(marks.takeMark(LEADER, NOW + 500), "it may be lost");
    }

    @Test
    void aWantedMarkIsOrderedByAnyMemberAfterAMoment() {
        markDelivered(1);
        requestDelivered(2);
        marks.want(2);
        assertFalse(marks.takeMark(FOLLOWER, NOW + 39));
        assertTrue(marks.takeMark(FOLLOWER, NOW + 40));
        assertFalse(marks.takeMark(FOLLOWER, NOW + 1_000), "it is on its way");
    }

    @Test
    void aMarkIsNotWantedWhereTheMembersAreKnownToAgree() {
        marks.want(0);
        assertFalse(marks.takeMark(FOLLOWER, NOW));
    }

    @Test
    void aMarkWaitsAMomentForAnEntryThatGoesAnyway() {
        requestDelivered(1);
        assertFalse(marks.isOverdue(LEADER, NOW));
        assertFalse(marks.isOverdue(LEADER, NOW + 39));
        assertTrue(marks.isOverdue(LEADER, NOW + 40));
        assertTrue(marks.takeMark(LEADER, NOW + 40));
        assertFalse(marks.isOverdue(LEADER, NOW + 41));
        assertFalse(marks.isOverdue(LEADER, NOW + 540), "the next mark waits anew");
        assertTrue(marks.isOverdue(LEADER, NOW + 580));
    }

    // ------------------------------------------------- votes

    @Test
    void aVoteThatIsNotDeliveredIsOrderedAgainAfterASecond() {
        mark(10, 7);
        assertEquals(10, marks.takeVote(NOW).orElseThrow().mark());
        assertEquals(Optional.empty(), marks.takeVote(NOW + 999));
        assertEquals(10, marks.takeVote(NOW + 1_000).orElseThrow().mark());
        assertEquals(Optional.empty(), marks.takeVote(NOW + 1_999));
        vote("c", 10, 7);
        assertEquals(Optional.empty(), marks.takeVote(NOW + 2_000));
    }

    @Test
    void theVoteOnTheNextMarkDoesNotWaitForThat() {
        mark(10, 7);
        marks.takeVote(NOW);
        mark(20, 8);
        assertEquals(20, marks.takeVote(NOW + 1).orElseThrow().mark());
    }

    @Test
    void aVoteWaitsAMomentForAnEntryThatGoesAnyway() {
        mark(10, 7);
        assertFalse(marks.isOverdue(FOLLOWER, NOW));
        assertFalse(marks.isOverdue(FOLLOWER, NOW + 39));
        assertTrue(marks.isOverdue(FOLLOWER, NOW + 40));
        marks.takeVote(NOW + 40);
        assertFalse(marks.isOverdue(FOLLOWER, NOW + 41));
    }

    // ------------------------------------------------- confirmed positions

    @Test
    void aPositionIsConfirmedByALaterMarkOrIfNothingRanSinceAnEarlierOne() {
        requestDelivered(8);
        assertFalse(marks.isConfirmed(8));
        mark(10, 7);
        vote("a", 10, 7);
        vote("b", 10, 7);
        assertTrue(marks.isConfirmed(8));
        assertTrue(marks.isConfirmed(15), "no request since");
        requestDelivered(16);
        assertTrue(marks.isConfirmed(10));
        assertFalse(marks.isConfirmed(15));
        assertFalse(marks.isConfirmed(16));
        assertFalse(marks.isConfirmed(17));
    }

    @Test
    void withoutAComparisonEveryPositionIsConfirmed() {
        DivergenceMarks off = new DivergenceMarks(options(Divergence.OFF), shell, progress, detector);
        off.onDelivered(8, false, true, NOW);
        assertTrue(off.isConfirmed(8));
        assertFalse(off.isDisputed());
    }

    @Test
    void theStateOfASnapshotIsConfirmed() {
        requestDelivered(8);
        marks.restored(20);
        assertTrue(marks.isConfirmed(20));
        assertTrue(marks.isConfirmed(8));
    }

    // ------------------------------------------------- verdicts

    @Test
    void theShellIsToldOfAVerdictOnce() {
        diverge();
        assertEquals(List.of("diverged at 10 from [a, b]"), shell.diverged);
        assertTrue(marks.isSuspended());
        assertEquals(Change.NONE, marks.settle(NOW + 1));
        assertEquals(1, shell.diverged.size());
    }

    @Test
    void aMemberThatIsEqualAgainIsTrusted() {
        diverge();
        mark(20, 8);
        for (String member : ABC) {
            vote(member, 20, 8);
        }
        assertEquals(Change.TRUSTED, marks.settle(NOW));
        assertFalse(marks.isSuspended());
        assertEquals("trusted", shell.diverged.get(1));
        assertEquals(1, marks.divergedCount());
        assertEquals(1, marks.equalAgainCount());
    }

    @Test
    void aMemberThatIsDistrustedFromTheStartAnswersNoClient() {
        marks.distrust(10);
        assertTrue(marks.isSuspended());
        assertEquals(Change.NONE, marks.settle(NOW), "the shell knows");
        marks.restored(10);
        assertEquals(Change.TRUSTED, marks.settle(NOW));
    }

    // ------------------------------------------------- disputes

    @Test
    void aDisputeIsToldOnceIfTheMissingMemberDoesNotDecideItWithinTwoSeconds() {
        mark(10, 7);
        vote("c", 10, 7);
        assertFalse(marks.isDisputed());
        vote("a", 10, 1);
        assertTrue(marks.isDisputed());
        marks.onTick(NOW);
        marks.onTick(NOW + 1_999);
        assertEquals(List.of(), shell.diverged);
        assertFalse(marks.isStopped());
        marks.onTick(NOW + 2_000);
        assertEquals(List.of("disputed at 10"), shell.diverged);
        assertTrue(marks.isStopped());
        marks.onTick(NOW + 4_000);
        assertEquals(1, shell.diverged.size());
        vote("b", 10, 7);
        assertFalse(marks.isDisputed());
        marks.onTick(NOW + 4_001);
        assertEquals(List.of("disputed at 10", "agreed"), shell.diverged);
        assertFalse(marks.isStopped());
        marks.onTrail("a", OTHER);
        assertEquals(2, shell.diverged.size(), "there is no dispute any more");
    }

    @Test
    void aDisputeThatNoMemberCanDecideIsToldAtOnce() {
        mark(10, 7);
        vote("c", 10, 7);
        vote("a", 10, 1);
        vote("b", 10, 2);
        marks.onTick(NOW);
        assertEquals(List.of("disputed at 10"), shell.diverged);
    }

    // ------------------------------------------------- the first difference

    @Test
    void aDivergedMemberAsksTheMajorityInTurnsAndGivesUpAfterFourQuestions() {
        diverge();
        assertEquals(List.of("a"), asked(), "at once");
        for (String member : List.of("b", "a", "b")) {
            marks.onTick(shell.now += 499);
            assertEquals(List.of(), asked());
            marks.onTick(shell.now += 1);
            assertEquals(List.of(member), asked());
        }
        assertEquals(1, shell.diverged.size());
        marks.onTick(shell.now += 500);
        assertEquals("first at - - or earlier", shell.diverged.get(1));
        marks.onTick(shell.now += 500);
        assertEquals(List.of(), asked());
        assertEquals(2, shell.diverged.size());
    }

    @Test
    void theFirstAnswerOfTheMajorityNamesTheDifference() {
        run(9, 5);
        diverge();
        asked();
        List<Step> steps = List.of(new Step(new Place(9, 0), 4));
        marks.onTrail("a", new Trail(11, 0, steps));
        marks.onTrail("c", new Trail(10, 0, steps));
        assertEquals(1, shell.diverged.size(), "neither of the verdict's mark nor of the majority");
        marks.onTrail("b", new Trail(10, 0, steps));
        assertEquals("first at 9/0 op", shell.diverged.get(1));
        marks.onTrail("a", new Trail(10, 0, List.of()));
        marks.onTick(NOW + 500);
        assertEquals(2, shell.diverged.size());
        assertEquals(List.of(), asked());
    }

    @Test
    void aMemberWithoutAVerdictNamesNoDifference() {
        marks.onTrail("a", OTHER);
        assertEquals(List.of(), shell.diverged);
    }

    // ------------------------------------------------- the first difference without a majority

    @Test
    void inADisputeAMemberAsksThoseWithAnotherDigestInTurnsUntilOneAnswers() {
        run(9, 5);
        mark(10, 7);
        vote("c", 10, 7);
        vote("a", 10, 1);
        vote("b", 10, 2);
        assertEquals(List.of(), asked(), "before the dispute is told");
        marks.onTick(shell.now);
        assertEquals(List.of("a"), asked(), "at once");
        for (String member : List.of("b", "a", "b", "a", "b")) {
            marks.onTick(shell.now += 499);
            assertEquals(List.of(), asked());
            marks.onTick(shell.now += 1);
            assertEquals(List.of(member), asked());
        }
        marks.onTrail("c", OTHER);
        marks.onTrail("a", new Trail(11, 0, OTHER.steps()));
        assertEquals(1, shell.diverged.size(), "neither of another member nor of the mark");
        marks.onTrail("b", OTHER);
        assertEquals(List.of("disputed at 10", "disputed first at 9/0 op with b"), shell.diverged);
        marks.onTrail("a", OTHER);
        marks.onTick(shell.now += 500);
        assertEquals(List.of(), asked());
        assertEquals(2, shell.diverged.size());
    }

    @Test
    void inADisputeAMemberAsksOnceItHasExecutedUpToTheMark() {
        marks.onMark(10, new byte[0]);
        vote("a", 10, 1);
        vote("b", 10, 2);
        marks.onTick(NOW);
        marks.onTick(NOW + 2_000);
        assertEquals(List.of("disputed at 10"), shell.diverged, "this member may decide, and is slow");
        assertEquals(List.of(), asked());
        marks.reached(10, 7);
        marks.onTick(NOW + 2_050);
        assertEquals(List.of("a"), asked());
    }

    @Test
    void theSearchOfADisputeBeginsWhereTheMembersAgreedLast() {
        mark(8, 6);
        vote("a", 8, 6);
        vote("b", 8, 6);
        mark(10, 7);
        vote("c", 10, 7);
        vote("a", 10, 1);
        vote("b", 10, 2);
        marks.onTick(NOW);
        assertEquals(List.of(new TrailQuestion(8, 10)), trails());
    }

    @Test
    void aVerdictTakesThePlaceOfADispute() {
        run(9, 5);
        mark(10, 7);
        vote("c", 10, 7);
        vote("a", 10, 1);
        marks.onTick(NOW);
        marks.onTick(NOW + 2_000);
        assertEquals(List.of("a"), asked());
        vote("b", 10, 1);
        assertEquals(Change.SUSPENDED, marks.settle(NOW + 2_010));
        assertEquals(List.of("a"), asked(), "for the repair");
        marks.onTick(NOW + 2_050);
        marks.onTrail("b", OTHER);
        assertEquals(
                List.of("disputed at 10", "diverged at 10 from [a, b]", "agreed", "first at 9/0 op"), shell.diverged);
    }

    @Test
    void aMemberAnswersAQuestionUpToThePositionThatItHasExecuted() {
        run(9, 5);
        marks.onQuestion("a", new TrailQuestion(3, 10));
        assertEquals(List.of(), trails());
        progress.delivered(10, 0, 0);
        marks.onQuestion("a", new TrailQuestion(3, 10));
        assertEquals(List.of(new Trail(10, 3, List.of(new Step(new Place(9, 0), 5)))), trails());
    }

    @Test
    void aMemberSaysHowFarBackItsAnswerReaches() {
        run(9, 5);
        marks.restored(10);
        progress.restore(10, 0, 0);
        marks.onQuestion("a", new TrailQuestion(3, 10));
        assertEquals(List.of(new Trail(10, 10, List.of())), trails());
    }

    /** The positions are those of the member that asks. */
    @Test
    void whereTheOrderMayBeViolatedAMemberAnswersWithAllItsSteps() {
        ReplicaOptions anyOrder = options(Divergence.STOP, OrderedLog.Guarantee.QUASI_TOTAL);
        DivergenceMarks there = new DivergenceMarks(anyOrder, shell, new ExecutionProgress(true), detector);
        run(there, 9, 5);
        there.onQuestion("a", new TrailQuestion(20, 30));
        assertEquals(List.of(new Trail(30, 0, List.of(new Step(new Place(9, 0), 5)))), trails());
    }

    @Test
    void aDivergedMemberAnswersNoQuestion() {
        diverge();
        progress.delivered(10, 0, 0);
        asked();
        marks.onQuestion("a", new TrailQuestion(0, 10));
        assertEquals(List.of(), trails());
    }

    // -------------------------------------------------

    private static ReplicaOptions options(Divergence divergence) {
        return options(divergence, OrderedLog.Guarantee.UNIFORM);
    }

    private static ReplicaOptions options(Divergence divergence, OrderedLog.Guarantee guarantee) {
        return new ReplicaOptions(
                "c",
                ABC,
                1,
                ReplicaRig.PLAIN,
                ReplicaRig.PARAMETERS,
                divergence,
                Map.of(),
                ReplicaSettings.Style.ACTIVE,
                guarantee,
                Long.MAX_VALUE,
                FeatureLevels.OF_BUILD);
    }

    private void requestDelivered(long position) {
        marks.onDelivered(position, false, true, NOW);
    }

    private void markDelivered(long position) {
        marks.onDelivered(position, true, false, NOW);
    }

    /** A mark at which this member has this digest. */
    private void mark(long position, long digest) {
        marks.onMark(position, new byte[0]);
        markDelivered(position);
        marks.reached(position, digest);
        marks.onState(position, OptionalLong.empty());
    }

    private void vote(String member, long position, long digest) {
        marks.onVote(
                member, Optional.of(new DigestVote(position, digest, OptionalLong.empty(), ABC, Optional.empty())));
    }

    /** The others have another digest at position 10. */
    private void diverge() {
        mark(10, 7);
        vote("a", 10, 1);
        vote("b", 10, 1);
        assertEquals(Change.SUSPENDED, marks.settle(NOW));
    }

    private void run(long position, long digest) {
        run(marks, position, digest);
    }

    private static void run(DivergenceMarks at, long position, long digest) {
        Request request = new Request(RequestId.own(ReplicaRig.C, 1), 1, 2, 3, false, ReplicaRig.bytes("op"));
        at.executed(new Execution(position, 0, 1, request), digest);
    }

    /** Members that were asked since the last call. */
    private List<String> asked() {
        List<String> members = new ArrayList<>();
        for (ReplicaRig.Sent one : shell.sent) {
            assertEquals(new TrailQuestion(0, 10), one.message());
            members.add(one.to());
        }
        shell.sent.clear();
        return members;
    }

    private List<PeerMessage> trails() {
        return shell.sent.stream().map(ReplicaRig.Sent::message).toList();
    }
}
