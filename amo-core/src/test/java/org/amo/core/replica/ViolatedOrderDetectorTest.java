package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Votes of members that had executed the same requests S, or others T, over an order that may be violated. */
final class ViolatedOrderDetectorTest {
    private static final List<String> ABC = List.of("a", "b", "c");
    private static final RequestSet S = new RequestSet(2, 100);
    private static final RequestSet T = new RequestSet(2, 200);
    private static final OptionalLong NO_STATE = OptionalLong.empty();

    private final ExecutionProgress progress = new ExecutionProgress(true);
    private final DivergenceDetector detector = new DivergenceDetector("c", MarkRule.MAJORITY);

    @Test
    void aMajorityWithOtherRepliesToTheSameRequestsIsAVerdict() {
        mark(10, 7, S);
        vote("a", 10, 1, S);
        assertEquals(Optional.empty(), detector.verdict());
        vote("b", 10, 1, S);
        assertEquals(Optional.of(new DivergenceDetector.Verdict(0, 10, List.of("a", "b"))), detector.verdict());
        assertEquals(0, detector.incomparableVotes());
    }

    @Test
    void aMajorityWithOtherRequestsIsNone() {
        mark(10, 7, S);
        vote("a", 10, 1, T);
        vote("b", 10, 1, T);
        assertEquals(Optional.empty(), detector.verdict());
        assertFalse(detector.isConfirmed(10));
        assertEquals(2, detector.incomparableVotes());
        assertEquals(S, detector.dueVote(ABC).orElseThrow().requests().orElseThrow(), "the others count it");
    }

    @Test
    void votesOnOtherRequestsAreNotCountedTogether() {
        mark(10, 7, S);
        vote("a", 10, 1, S);
        vote("b", 10, 1, T);
        assertEquals(Optional.empty(), detector.verdict());
    }

    @Test
    void aMemberWithOtherRequestsHasNotDiverged() {
        mark(10, 1, S);
        vote("a", 10, 1, S);
        vote("c", 10, 1, S);
        vote("b", 10, 2, T);
        assertEquals(0, detector.divergedCount());
        assertEquals(1, detector.incomparableVotes());
        assertTrue(detector.isConfirmed(10));
    }

    @Test
    void votesFromBeforeTheOwnExecutionAreComparedToo() {
        detector.marked(10, 10, progress);
        vote("a", 10, 1, T);
        assertEquals(0, detector.incomparableVotes());
        detector.executed(10, 7, Optional.of(S));
        assertEquals(1, detector.incomparableVotes());
    }

    /** An entry is missing here, or there. */
    @Test
    void aMarkHasTheSameNameWhereverItStands() {
        detector.marked(12, 99, progress);
        detector.executed(12, 7, Optional.of(S));
        detector.state(12, NO_STATE);
        assertEquals(99, detector.dueVote(ABC).orElseThrow().mark());
        vote("a", 99, 1, S);
        vote("b", 99, 1, S);
        assertEquals(Optional.of(new DivergenceDetector.Verdict(0, 12, List.of("a", "b"))), detector.verdict());
    }

    @Test
    void theStateIsComparedOnlyBehindTheSameRequests() {
        mark(10, 1, S, OptionalLong.of(6));
        vote("b", 10, 1, T, OptionalLong.of(5));
        vote("a", 10, 1, S, NO_STATE);
        vote("c", 10, 1, S, OptionalLong.of(6));
        assertTrue(detector.isConfirmed(10));
        mark(20, 2, S, OptionalLong.of(6));
        vote("a", 20, 2, S, OptionalLong.of(5));
        vote("b", 20, 2, S, OptionalLong.of(5));
        assertTrue(detector.isSuspended());
    }

    @Test
    void otherDigestsOfOtherRequestsAreNoDispute() {
        mark(10, 1, S);
        vote("a", 10, 2, T);
        vote("c", 10, 1, S);
        assertEquals(Optional.empty(), detector.disputed());
    }

    @Test
    void aMemberWithOtherRequestsMayDecideADisputeLater() {
        mark(10, 1, S);
        vote("c", 10, 1, S);
        vote("a", 10, 2, S);
        vote("b", 10, 3, T);
        assertEquals(Optional.of(10L), detector.disputed());
        assertFalse(detector.isSplit());
        vote("b", 10, 3, S);
        assertTrue(detector.isSplit());
    }

    // ------------------------------------------------- a request that is missing for good

    @Test
    void theOperatorHearsOfOtherRequestsAtThreeMarksInARow() {
        other("b", 10);
        other("b", 20);
        assertEquals("", detector.apart());
        other("b", 30);
        assertTrue(detector.apart().startsWith("has executed other requests than b since position 10 "));
        mark(40, 1, S);
        vote("b", 40, 1, S);
        assertEquals("", detector.apart());
        other("b", 50);
        assertEquals("", detector.apart());
        assertEquals(4, detector.incomparableVotes());
    }

    @Test
    void aMemberWithTheSameRequestsAgainVotesUntilTheOthersHaveHeardOfIt() {
        other("b", 10);
        agreed(20);
        assertEquals(20, detector.dueVote(ABC).orElseThrow().mark());
        vote("c", 20, 1, S);
        agreed(30);
        assertEquals(Optional.empty(), detector.dueVote(ABC));
    }

    @Test
    void aRestartedMemberVotesIfItsEarlierProcessHadExecutedOtherRequests() {
        mark(10, 1, S);
        vote("c", 10, 2, T);
        agreed(20);
        assertEquals(20, detector.dueVote(ABC).orElseThrow().mark());
        assertEquals(0, detector.incomparableVotes());
    }

    @Test
    void theOpponentsHaveExecutedTheSameRequests() {
        mark(10, 7, S);
        vote("a", 10, 1, T);
        vote("b", 10, 1, S);
        assertEquals(List.of("b"), detector.opponents(10));
    }

    private void other(String member, long position) {
        mark(position, 1, S);
        vote(member, position, 2, T);
    }

    private void agreed(long position) {
        mark(position, 1, S);
        vote("a", position, 1, S);
        vote("b", position, 1, S);
    }

    private void mark(long position, long digest, RequestSet requests) {
        mark(position, digest, requests, NO_STATE);
    }

    private void mark(long position, long digest, RequestSet requests, OptionalLong state) {
        detector.marked(position, position, progress);
        detector.executed(position, digest, Optional.of(requests));
        detector.state(position, state);
    }

    private void vote(String member, long mark, long digest, RequestSet requests) {
        vote(member, mark, digest, requests, NO_STATE);
    }

    private void vote(String member, long mark, long digest, RequestSet requests, OptionalLong state) {
        detector.vote(member, new DigestVote(mark, digest, state, ABC, Optional.of(requests)));
    }
}
