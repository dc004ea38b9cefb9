package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class DivergenceDetectorTest {
    private static final List<String> ABC = List.of("a", "b", "c");
    private static final List<String> AB = List.of("a", "b");

    private final ExecutionProgress progress = new ExecutionProgress(false);
    private final DivergenceDetector detector = new DivergenceDetector("c", MarkRule.MAJORITY);

    @Test
    void aMajorityWithAnotherDigestIsAVerdict() {
        mark(10, 7);
        vote("a", 10, 1, ABC);
        assertEquals(Optional.empty(), detector.verdict());
        vote("b", 10, 1, ABC);
        assertEquals(Optional.of(new DivergenceDetector.Verdict(0, 10, AB)), detector.verdict());
        assertTrue(detector.isSuspended());
    }

    @Test
    void theVerdictWaitsForTheOwnExecution() {
        detector.marked(10, 10, progress);
        vote("a", 10, 1, ABC);
        vote("b", 10, 1, ABC);
        assertEquals(Optional.empty(), detector.verdict());
        detector.executed(10, 1, Optional.empty());
        detector.state(10, OptionalLong.empty());
        assertEquals(Optional.empty(), detector.verdict());
        assertTrue(detector.isConfirmed(10));
        assertFalse(detector.isConfirmed(11));
    }

    @Test
    void aVoteOfAFormerMemberCountsForNothing() {
        mark(10, 7);
        vote("a", 10, 1, ABC);
        vote("d", 10, 1, ABC);
        assertEquals(Optional.empty(), detector.verdict());
        assertFalse(MarkRule.MAJORITY.agrees(ABC, List.of("a", "d", "e")));
    }

    @Test
    void votesThatNameOtherMembersAreNotCountedTogether() {
        mark(10, 7);
        vote("a", 10, 1, ABC);
        vote("b", 10, 1, List.of("a", "b", "c", "d"));
        assertEquals(Optional.empty(), detector.verdict());
    }

    @Test
    void halfOfTheMembersIsNoMajority() {
        assertFalse(MarkRule.MAJORITY.agrees(List.of("a", "b", "c", "d"), AB));
        assertTrue(MarkRule.MAJORITY.agrees(ABC, AB));
    }

    @Test
    void aDivergedMemberVotesOnceAndIsSilentThen() {
        mark(10, 7);
        vote("a", 10, 1, ABC);
        vote("b", 10, 1, ABC);
        assertEquals(10, detector.dueVote(ABC).orElseThrow().mark());
        vote("c", 10, 7, ABC);
        mark(20, 8);
        assertEquals(Optional.empty(), detector.dueVote(ABC));
    }

    @Test
    void aSnapshotBehindTheVerdictRepairsAnEarlierOneDoesNot() {
        mark(10, 7);
        vote("a", 10, 1, ABC);
        vote("b", 10, 1, ABC);
        detector.restored(9);
        assertTrue(detector.isSuspended());
        detector.restored(10);
        assertFalse(detector.isSuspended());
        assertEquals(Optional.empty(), detector.verdict());
    }

    @Test
    void theOthersHearOfTheRepair() {
        DivergenceDetector other = new DivergenceDetector("a", MarkRule.MAJORITY);
        other.marked(10, 10, progress);
        for (String member : ABC) {
            other.vote(
                    member,
                    new DigestVote(10, member.equals("c") ? 7 : 1, OptionalLong.empty(), ABC, Optional.empty()));
        }
        assertEquals(1, other.divergedCount());
        other.marked(20, 20, progress);
        for (String member : ABC) {
            other.vote(member, new DigestVote(20, 2, OptionalLong.empty(), ABC, Optional.empty()));
        }
        assertEquals(1, other.divergedCount());
        assertEquals(1, other.equalAgainCount());
    }

    /** An earlier process of the only member had another result: there is no other state to take. */
    @Test
    void aGroupOfOneDoesNotDivergeFromItself() {
        DivergenceDetector alone = new DivergenceDetector("a", MarkRule.MAJORITY);
        alone.marked(10, 10, progress);
        alone.vote("a", new DigestVote(10, 1, OptionalLong.empty(), List.of("a"), Optional.empty()));
        alone.executed(10, 2, Optional.empty());
        alone.state(10, OptionalLong.empty());
        assertFalse(alone.isSuspended());
    }

    @Test
    void allVotesDifferentIsASplit() {
        mark(10, 7);
        vote("a", 10, 1, ABC);
        vote("c", 10, 7, ABC);
        assertEquals(Optional.of(10L), detector.disputed());
        assertFalse(detector.isSplit());
        vote("b", 10, 2, ABC);
        assertTrue(detector.isSplit());
        mark(20, 9);
        vote("a", 20, 9, ABC);
        vote("c", 20, 9, ABC);
        assertEquals(Optional.empty(), detector.disputed());
    }

    @Test
    void aMemberWithoutADigestOfItsStateIsNotJudgedByIt() {
        mark(10, 1);
        detector.vote("a", new DigestVote(10, 1, OptionalLong.of(5), ABC, Optional.empty()));
        detector.vote("b", new DigestVote(10, 1, OptionalLong.of(5), ABC, Optional.empty()));
        assertFalse(detector.isSuspended());
        detector.marked(20, 20, progress);
        detector.executed(20, 2, Optional.empty());
        detector.state(20, OptionalLong.of(6));
        detector.vote("a", new DigestVote(20, 2, OptionalLong.of(5), ABC, Optional.empty()));
        detector.vote("b", new DigestVote(20, 2, OptionalLong.of(5), ABC, Optional.empty()));
        assertTrue(detector.isSuspended());
    }

    // ------------------------------------------------- states

    @Test
    void theStateOfOneMemberIsNoMajority() {
        mark(10, 1, OptionalLong.of(6));
        vote("a", 10, 1, OptionalLong.of(5));
        vote("b", 10, 1, OptionalLong.empty());
        assertFalse(detector.isSuspended());
        assertFalse(detector.isConfirmed(10), "a has another state: equal replies prove nothing");
    }

    @Test
    void aMajorityForAStateMayComeLaterThanThatForTheReplies() {
        mark(10, 1, OptionalLong.of(6));
        vote("a", 10, 1, OptionalLong.empty());
        vote("b", 10, 1, OptionalLong.of(5));
        assertFalse(detector.isSuspended());
        vote("a", 10, 1, OptionalLong.of(5));
        assertTrue(detector.isSuspended());
    }

    @Test
    void repliesAreComparedAlsoIfTheStatesDiffer() {
        mark(10, 7);
        vote("a", 10, 1, OptionalLong.of(5));
        vote("b", 10, 1, OptionalLong.of(6));
        assertTrue(detector.isSuspended());
    }

    @Test
    void equalRepliesConfirmAStateThatNoOtherMemberDenies() {
        mark(10, 1, OptionalLong.of(6));
        vote("a", 10, 1, OptionalLong.empty());
        vote("b", 10, 1, OptionalLong.of(6));
        assertTrue(detector.isConfirmed(10));
    }

    @Test
    void aMemberWithoutADigestOfItsStateIsConfirmedByItsReplies() {
        mark(10, 1);
        vote("a", 10, 1, OptionalLong.empty());
        vote("b", 10, 1, OptionalLong.of(5));
        assertTrue(detector.isConfirmed(10));
    }

    @Test
    void theStateOfAMemberWithOtherRepliesDeniesNothing() {
        mark(10, 1, OptionalLong.of(6));
        vote("a", 10, 1, OptionalLong.empty());
        vote("b", 10, 2, OptionalLong.of(5));
        vote("c", 10, 1, OptionalLong.of(6));
        assertTrue(detector.isConfirmed(10));
    }

    @Test
    void aMinorityWithAnotherStateDeniesNothing() {
        mark(10, 1, OptionalLong.of(5));
        vote("a", 10, 1, OptionalLong.of(9));
        vote("b", 10, 1, OptionalLong.of(5));
        assertFalse(detector.isConfirmed(10));
        vote("c", 10, 1, OptionalLong.of(5));
        assertTrue(detector.isConfirmed(10));
    }

    // ------------------------------------------------- restarts

    @Test
    void anAgreementOutlastsAnotherVoteOfARestartedMember() {
        detector.marked(10, 10, progress);
        vote("a", 10, 1, ABC);
        vote("b", 10, 1, ABC);
        vote("a", 10, 2, ABC);
        detector.executed(10, 7, Optional.empty());
        assertTrue(detector.isSuspended());
    }

    @Test
    void anAgreementOnAStateOutlastsFurtherVotes() {
        detector.marked(10, 10, progress);
        vote("a", 10, 1, OptionalLong.of(5));
        vote("b", 10, 1, OptionalLong.of(5));
        vote("a", 10, 1, OptionalLong.of(5));
        detector.executed(10, 7, Optional.empty());
        assertTrue(detector.isSuspended());
    }

    @Test
    void aRestartedMemberThatVotesAnewIsEqualAgainAtTheSameMark() {
        detector.marked(10, 10, progress);
        vote("a", 10, 7, ABC);
        vote("b", 10, 1, ABC);
        vote("c", 10, 1, ABC);
        assertEquals(1, detector.divergedCount());
        assertEquals(0, detector.equalAgainCount());
        vote("a", 10, 1, ABC);
        assertEquals(1, detector.equalAgainCount());
    }

    @Test
    void aMemberCountsItsOwnDivergenceBeforeItsVote() {
        mark(10, 7);
        vote("a", 10, 1, ABC);
        vote("b", 10, 1, ABC);
        assertEquals(1, detector.divergedCount());
    }

    @Test
    void marksUpToASnapshotAreNotJudged() {
        mark(10, 7);
        detector.restored(10);
        vote("a", 10, 1, ABC);
        vote("b", 10, 1, ABC);
        assertFalse(detector.isSuspended());
        assertTrue(detector.isConfirmed(10));
    }

    @Test
    void aMarkUpToWhichTheStateIsEqualIsNotDistrusted() {
        detector.restored(10);
        detector.distrust(10);
        assertFalse(detector.isSuspended());
        detector.distrust(11);
        assertTrue(detector.isSuspended());
    }

    // ------------------------------------------------- the own vote

    @Test
    void aVoteIsNotNeededOnceTheOthersAgreeWithoutIt() {
        mark(10, 1);
        vote("a", 10, 1, ABC);
        assertEquals(10, detector.dueVote(ABC).orElseThrow().mark());
        vote("b", 10, 1, ABC);
        assertEquals(Optional.empty(), detector.dueVote(ABC));
    }

    @Test
    void aMemberThatIsEqualAgainVotesUntilTheOthersHaveHeardOfIt() {
        mark(10, 7);
        vote("a", 10, 1, ABC);
        vote("b", 10, 1, ABC);
        vote("c", 10, 7, ABC);
        mark(20, 2);
        vote("a", 20, 2, ABC);
        vote("b", 20, 2, ABC);
        vote("a", 20, 2, ABC);
        assertFalse(detector.isSuspended());
        assertEquals(20, detector.dueVote(ABC).orElseThrow().mark());
        vote("c", 20, 2, ABC);
        mark(30, 3);
        vote("a", 30, 3, ABC);
        vote("b", 30, 3, ABC);
        assertEquals(Optional.empty(), detector.dueVote(ABC), "it owes none any more");
    }

    // ------------------------------------------------- disputes

    @Test
    void equalVotesAreNoDispute() {
        mark(10, 7);
        vote("c", 10, 7, ABC);
        assertEquals(Optional.empty(), detector.disputed());
    }

    @Test
    void equalVotesOfMembersThatNameOthersAreNoSplit() {
        mark(10, 7);
        vote("a", 10, 7, AB);
        vote("b", 10, 7, ABC);
        assertFalse(detector.isSplit());
    }

    @Test
    void theOpponentsAreThoseWithAnotherDigestOnceThisMemberHasItsOwn() {
        detector.marked(10, 10, progress);
        vote("a", 10, 7, ABC);
        vote("b", 10, 1, ABC);
        assertEquals(List.of(), detector.opponents(10));
        mark(10, 7);
        vote("c", 10, 2, ABC);
        assertEquals(List.of("b"), detector.opponents(10), "this member judges by its digest, not by its vote");
        assertEquals(List.of(), detector.opponents(11));
    }

    @Test
    void theOperatorReadsTheVotesByMember() {
        mark(10, 7);
        vote("c", 10, 0x7F, ABC);
        vote("a", 10, -1, ABC);
        assertEquals("a ffffffffffffffff, c 000000000000007f", detector.votes(10));
        assertEquals("", detector.votes(11));
    }

    @Test
    void theOldestOfMoreThanSixtyFourMarksIsNotCompared() {
        for (long position = 1; position <= 64; position++) {
            detector.marked(position, position, progress);
        }
        vote("a", 1, 5, ABC);
        assertEquals("a 0000000000000005", detector.votes(1));
        detector.marked(65, 65, progress);
        assertEquals("", detector.votes(1));
        vote("a", 2, 5, ABC);
        assertEquals("a 0000000000000005", detector.votes(2));
    }

    private void mark(long position, long digest) {
        mark(position, digest, OptionalLong.empty());
    }

    private void mark(long position, long digest, OptionalLong state) {
        detector.marked(position, position, progress);
        detector.executed(position, digest, Optional.empty());
        detector.state(position, state);
    }

    private void vote(String member, long position, long digest, List<String> members) {
        detector.vote(member, new DigestVote(position, digest, OptionalLong.empty(), members, Optional.empty()));
    }

    private void vote(String member, long position, long digest, OptionalLong state) {
        detector.vote(member, new DigestVote(position, digest, state, ABC, Optional.empty()));
    }
}
