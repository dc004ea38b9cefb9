package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which member sends a nested call, and which result all of them take. Member b, in its first process, at position 10. */
class OperationFactsTest {
    private static final Place PLACE = new Place(7, 1);
    private static final long OWN = 22;
    private static final long DEADLINE = 60_000;

    private final List<String> told = new ArrayList<>();
    /** The time that was left for what was told, where it has any. */
    private final List<Long> left = new ArrayList<>();

    private final ExecutionProgress progress = new ExecutionProgress(false);
    private GroupState group;
    private OperationFacts facts;

    @BeforeEach
    void begin() {
        ReplicaOptions options =
                new ReplicaOptions("b", List.of("a", "b", "c"), OWN, new ClientId(1, 1), GroupParameters.defaults());
        Effects effects = new Effects();
        group = new GroupState(options, effects, RecordMemory.heap(1), new ReplicaParts());
        facts = new OperationFacts(options, effects, group, progress);
        for (long position = 1; position <= 10; position++) {
            group.delivered(position);
            progress.delivered(position, 0, position == 7 ? 2 : 0);
        }
    }

    private static Optional<byte[]> bytes(String text) {
        return Optional.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Optional<byte[]> bytes) {
        return bytes.map(each -> new String(each, StandardCharsets.UTF_8)).orElse("nothing");
    }

    private void waitsAt(long now) {
        facts.onCall(PLACE, 0, DEADLINE, now);
    }

    private void leadsAt(long now) {
        facts.onLeader(true, now);
    }

    /** The request of position 7 with this index has been executed. */
    private void executed(int index) {
        Request request = new Request(RequestId.own(new ClientId(5, 5), 1), 1, 2, 3, false, new byte[0]);
        Execution execution = new Execution(7, index, 1, request);
        progress.executed(execution, new byte[0]);
        facts.executed(execution.place());
    }

    private void ordered(String origin, long incarnation, long now, NestedFact... delivered) {
        orderedLate(origin, incarnation, now, now, delivered);
    }

    /** It was submitted at another time than it is delivered. */
    private void orderedLate(String origin, long incarnation, long stamp, long now, NestedFact... delivered) {
        facts.onEntry(origin, incarnation, stamp, List.of(delivered), now);
    }

    private void claimed(String origin, long incarnation, Optional<byte[]> identity, long now) {
        ordered(origin, incarnation, now, NestedFact.claim(PLACE, 0, identity));
    }

    private List<String> due(long now) {
        return facts.due(now).stream()
                .map(fact -> fact.kind() + " " + fact.number() + " " + text(fact.bytes()))
                .toList();
    }

    @Test
    void theLeaderClaimsTheCallAndSendsItWhenItsClaimIsOrdered() {
        leadsAt(0);
        waitsAt(0);
        assertEquals(List.of("identify 0"), told);
        facts.onIdentity(PLACE, 0, bytes("id"));
        assertEquals(List.of("CLAIM 0 id"), due(1));
        assertEquals(List.of("identify 0"), told, "nothing is sent before the claim is ordered");
        claimed("b", OWN, bytes("id"), 2);
        assertEquals(List.of("identify 0", "send 0 id"), told);
        facts.onSent(PLACE, 0, bytes("result"));
        assertEquals(List.of("RESULT 0 result"), due(3));
        assertEquals(2, told.size(), "no result is taken before it is ordered");
        ordered("b", OWN, 4, NestedFact.result(PLACE, 0, bytes("result")));
        assertEquals("result 0 result", told.get(2));
        assertEquals(List.of(), due(100_000));
    }

    @Test
    void aFollowerWaitsForTheLeaderAndActsIfThatOneDoesNot() {
        waitsAt(0);
        facts.onTick(1_499);
        assertEquals(List.of(), told);
        facts.onTick(1_500);
        facts.onTick(1_550);
        assertEquals(List.of("identify 0"), told);
    }

    @Test
    void theFirstClaimDecidesWhichMemberSends() {
        leadsAt(0);
        waitsAt(0);
        facts.onIdentity(PLACE, 0, bytes("mine"));
        claimed("a", 11, bytes("theirs"), 1);
        claimed("b", OWN, bytes("mine"), 2);
        assertEquals(List.of("identify 0"), told);
        assertEquals(List.of(), due(10_000), "a claim is not submitted again once there is one");
    }

    @Test
    void theFirstResultIsTheResult() {
        ordered("a", 11, 1, NestedFact.result(PLACE, 0, bytes("first")));
        ordered("c", 33, 2, NestedFact.result(PLACE, 0, Optional.empty()));
        ordered("c", 33, 2, NestedFact.result(PLACE, 0, bytes("third")));
        waitsAt(3);
        assertEquals(List.of("result 0 first"), told);
    }

    @Test
    void aNewLeaderRepeatsACallUnderTheIdentityThatWasOrdered() {
        waitsAt(0);
        claimed("a", 11, bytes("id"), 1);
        leadsAt(100);
        assertEquals(List.of(), told, "the result may stand a few entries behind");
        facts.onTick(200);
        facts.onTick(250);
        assertEquals(List.of("send 0 id"), told);
    }

    @Test
    void aFollowerRepeatsACallOnlyIfItsSenderIsGone() {
        waitsAt(0);
        claimed("a", 11, bytes("id"), 1);
        facts.onHeard("a", 2_000);
        facts.onTick(4_999);
        assertEquals(List.of(), told);
        facts.onTick(5_000);
        assertEquals(List.of("send 0 id"), told);
    }

    @Test
    void aCallWithoutAnIdentityIsNeverRepeated() {
        leadsAt(0);
        waitsAt(0);
        claimed("a", 11, Optional.empty(), 1);
        facts.onHeard("a", 10_000);
        facts.onTick(12_000);
        assertEquals(List.of(), due(12_000), "its sender may have the result");
        ordered("a", 12, 12_001);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(12_001));
        assertEquals(List.of("identify 0"), told);
    }

    @Test
    void theClaimOfAnEarlierProcessOfThisMemberIsNotItsOwn() {
        waitsAt(0);
        claimed("b", OWN - 1, Optional.empty(), 1);
        facts.onTick(1_500);
        assertEquals(List.of(), told);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(1_500));
    }

    @Test
    void theOutcomeIsUnknownAfterTheDeadlineAndNoCallIsMadeThen() {
        leadsAt(0);
        waitsAt(DEADLINE + 1_001);
        facts.onTick(DEADLINE + 1_201);
        assertEquals(List.of(), told);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(DEADLINE + 1_201));
        ordered("c", 33, DEADLINE + 1_300, NestedFact.result(PLACE, 0, Optional.empty()));
        assertEquals(List.of("result 0 nothing"), told);
    }

    @Test
    void aFactIsSubmittedAgainUntilItIsOrdered() {
        leadsAt(0);
        waitsAt(0);
        facts.onIdentity(PLACE, 0, Optional.empty());
        assertEquals(1, due(0).size());
        assertEquals(0, due(1_999).size());
        assertEquals(1, due(2_000).size());
        facts.submitAgain();
        assertEquals(1, due(2_001).size());
    }

    @Test
    void aResultThatIsTooLongForAnEntryIsUnknown() {
        leadsAt(0);
        waitsAt(0);
        claimed("b", OWN, Optional.empty(), 1);
        facts.onSent(PLACE, 0, Optional.of(new byte[NestedFact.MAX_RESULT_BYTES + 1]));
        assertEquals(List.of("UNKNOWN 0 nothing"), due(2));
    }

    @Test
    void factsOfExecutedRequestsAreDropped() {
        ordered("a", 11, 1, NestedFact.result(PLACE, 0, bytes("early")));
        executed(0);
        executed(1);
        ordered("a", 11, 2, NestedFact.result(PLACE, 1, bytes("late")));
        facts.onSent(PLACE, 1, bytes("late"));
        assertEquals(List.of(), due(2));
        waitsAt(3);
        facts.onCall(PLACE, 1, DEADLINE, 3);
        assertEquals(List.of(), told, "such a request does not run again in this process");
    }

    // ------------------------------------------------- identities

    @Test
    void anIdentityIsForTheCallInWhichTheOperationWaits() {
        leadsAt(0);
        facts.onIdentity(PLACE, 0, bytes("early"));
        waitsAt(0);
        facts.onIdentity(PLACE, 1, bytes("of another call"));
        facts.onIdentity(new Place(7, 0), 0, bytes("of another operation"));
        assertEquals(List.of(), due(0));
        facts.onIdentity(PLACE, 0, bytes("id"));
        facts.onIdentity(PLACE, 0, bytes("again"));
        assertEquals(List.of("CLAIM 0 id"), due(0));
    }

    @Test
    void anIdentityThatComesBehindAClaimIsDropped() {
        leadsAt(0);
        waitsAt(0);
        claimed("a", 11, bytes("theirs"), 1);
        facts.onIdentity(PLACE, 0, bytes("mine"));
        assertEquals(List.of(), due(1));
    }

    @Test
    void theLongestIdentityIsClaimedAndALongerOneIsNot() {
        leadsAt(0);
        waitsAt(0);
        facts.onIdentity(PLACE, 0, Optional.of(new byte[NestedFact.MAX_IDENTITY_BYTES + 1]));
        assertEquals(List.of(), facts.due(0));
        facts.onIdentity(PLACE, 0, Optional.of(new byte[NestedFact.MAX_IDENTITY_BYTES]));
        assertEquals(1, facts.due(0).size());
    }

    // ------------------------------------------------- results

    @Test
    void theLongestResultIsSubmitted() {
        facts.onSent(PLACE, 0, Optional.of(new byte[NestedFact.MAX_RESULT_BYTES]));
        assertEquals(NestedFact.Kind.RESULT, facts.due(0).get(0).kind());
    }

    @Test
    void aResultThatIsOrderedAlreadyIsNotSubmitted() {
        ordered("a", 11, 1, NestedFact.result(PLACE, 0, bytes("first")));
        facts.onSent(PLACE, 0, bytes("second"));
        assertEquals(List.of(), due(1));
    }

    @Test
    void aResultTakesThePlaceOfAClaimAndOfAnUnknownOutcomeButNotTheOtherWayRound() {
        leadsAt(0);
        waitsAt(0);
        facts.onIdentity(PLACE, 0, bytes("id"));
        facts.onSent(PLACE, 0, Optional.empty());
        assertEquals(List.of("CLAIM 0 id", "UNKNOWN 0 nothing"), due(0));
        facts.onSent(PLACE, 0, bytes("result"));
        facts.onSent(PLACE, 0, Optional.empty());
        assertEquals(List.of("RESULT 0 result"), due(5_000));
    }

    @Test
    void anOrderedClaimEndsOwnClaimsAlone() {
        leadsAt(0);
        waitsAt(0);
        facts.onIdentity(PLACE, 0, bytes("mine"));
        facts.onSent(PLACE, 0, Optional.empty());
        claimed("a", 11, bytes("theirs"), 1);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(1));
    }

    @Test
    void anOrderedResultEndsTheSubmissionsOfItsCallAlone() {
        facts.onSent(PLACE, 0, bytes("zero"));
        facts.onSent(PLACE, 1, bytes("one"));
        facts.onSent(new Place(7, 0), 1, bytes("of the operation before"));
        ordered("c", 33, 1, NestedFact.result(PLACE, 1, bytes("one")));
        assertEquals(List.of("RESULT 0 zero", "RESULT 1 of the operation before"), due(1));
    }

    @Test
    void theResultOfAnotherCallIsNotTakenForThisOne() {
        ordered("c", 33, 1, NestedFact.result(PLACE, 1, bytes("one")));
        ordered("c", 33, 1, NestedFact.result(new Place(7, 0), 0, bytes("of the operation before")));
        waitsAt(2);
        assertEquals(List.of(), told);
        facts.onCall(PLACE, 1, DEADLINE, 3);
        assertEquals(List.of("result 1 one"), told);
    }

    // ------------------------------------------------- executed requests

    @Test
    void theResultOfAnExecutedRequestIsNotSubmittedAgain() {
        facts.onSent(new Place(7, 0), 0, bytes("before"));
        facts.onSent(PLACE, 0, bytes("result"));
        executed(0);
        assertEquals(List.of("RESULT 0 result"), due(0));
        executed(1);
        assertEquals(List.of(), due(5_000));
    }

    @Test
    void theFactsOfTheNextRequestAreKept() {
        ordered("a", 11, 1, NestedFact.result(PLACE, 0, bytes("result")));
        executed(0);
        waitsAt(2);
        assertEquals(List.of("result 0 result"), told);
    }

    /** A word on a request of the present entry or a later one would be of no call that a member has made. */
    @Test
    void aFactIsOfARequestBeforeItsEntry() {
        Place present = new Place(10, 0);
        ordered("a", 11, 1, NestedFact.result(present, 0, bytes("too early")));
        facts.onCall(present, 0, DEADLINE, 1);
        assertEquals(List.of(), told);
        group.delivered(11);
        ordered("a", 11, 2, NestedFact.result(present, 0, bytes("in time")));
        assertEquals(List.of("result 0 in time"), told);
    }

    // ------------------------------------------------- when a member acts

    @Test
    void aNewLeaderSubmitsAgainAndActsAtOnce() {
        facts.onSent(new Place(7, 0), 0, bytes("before"));
        assertEquals(1, due(0).size());
        waitsAt(0);
        leadsAt(1);
        assertEquals(List.of("identify 0"), told);
        assertEquals(1, due(1).size());
    }

    /** A monotonic clock may begin below 0. */
    @Test
    void aFactIsSubmittedAgainAtOnceWhereTheClockIsBelowZero() {
        facts.onSent(PLACE, 0, bytes("result"));
        assertEquals(1, due(-10_000).size());
        facts.submitAgain();
        assertEquals(1, due(-9_999).size());
    }

    @Test
    void aLeaderWaitsForAResultThatMayStandAFewEntriesBehind() {
        leadsAt(10_000);
        waitsAt(10_000);
        claimed("a", 11, bytes("id"), 10_001);
        facts.onTick(10_199);
        assertEquals(List.of("identify 0"), told);
        facts.onTick(10_200);
        assertEquals(List.of("identify 0", "send 0 id"), told);
        assertEquals(List.of(DEADLINE - 10_000, DEADLINE - 10_200), left);
    }

    @Test
    void aFollowerWaitsFromTheTimeOfTheCall() {
        waitsAt(10_000);
        facts.onTick(11_499);
        assertEquals(List.of(), told);
        facts.onTick(11_500);
        assertEquals(List.of("identify 0"), told);
    }

    @Test
    void aMemberThatLagsBehindTakesResultsAndDoesNothingElse() {
        group.lagsBehind();
        leadsAt(0);
        waitsAt(0);
        facts.onTick(5_000);
        assertEquals(List.of(), told);
        ordered("a", 11, 5_001, NestedFact.result(PLACE, 0, bytes("result")));
        assertEquals(List.of("result 0 result"), told);
    }

    @Test
    void aCallIsSentOnceInAProcess() {
        OperationFacts.Key key = new OperationFacts.Key(PLACE, 5);
        facts.sendOnce(key, bytes("id"), 10);
        facts.sendOnce(key, bytes("id"), 10);
        assertEquals(List.of("send 5 id"), told);
    }

    // ------------------------------------------------- the deadline

    @Test
    void noCallIsClaimedAtTheDeadline() {
        leadsAt(0);
        waitsAt(DEADLINE);
        assertEquals(List.of(), told);
        waitsAt(DEADLINE - 1);
        assertEquals(List.of(1L), left);
    }

    @Test
    void aClaimedCallIsSentUntilASecondBehindTheDeadline() {
        leadsAt(0);
        waitsAt(DEADLINE - 1);
        claimed("b", OWN, bytes("id"), DEADLINE + 1_000);
        assertEquals(List.of("identify 0", "send 0 id"), told);
        assertEquals(List.of(1L, 1L), left, "at least a millisecond");
        assertEquals(List.of(), due(DEADLINE + 1_000));
    }

    @Test
    void theOutcomeIsUnknownBehindTheGraceAndTheWaitForTheLeader() {
        waitsAt(DEADLINE - 10_000);
        facts.onTick(DEADLINE + 1_000);
        assertEquals(List.of(), due(DEADLINE + 1_000));
        facts.onTick(DEADLINE + 1_001);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(DEADLINE + 1_001));
    }

    @Test
    void aResultMayStandAFewEntriesBehindInAReplayAfterTheDeadline() {
        waitsAt(DEADLINE + 5_000);
        facts.onTick(DEADLINE + 6_499);
        assertEquals(List.of(), due(DEADLINE + 6_499));
        facts.onTick(DEADLINE + 6_500);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(DEADLINE + 6_500));
    }

    // ------------------------------------------------- members that are gone

    @Test
    void anEntryOfTheSenderIsAWordOfIt() {
        waitsAt(0);
        claimed("a", 11, bytes("id"), 1);
        ordered("a", 11, 2_000);
        ordered("c", 34, 4_000);
        facts.onTick(4_999);
        assertEquals(List.of(), told);
        facts.onTick(5_000);
        assertEquals(List.of("send 0 id"), told);
    }

    @Test
    void theTimeBeforeTheCallDoesNotCountAsSilence() {
        claimed("a", 11, bytes("id"), 1);
        waitsAt(10_000);
        facts.onTick(12_999);
        assertEquals(List.of(), told);
        facts.onTick(13_000);
        assertEquals(List.of("send 0 id"), told);
    }

    @Test
    void aSenderThatHasRestartedIsGone() {
        waitsAt(0);
        claimed("a", 11, bytes("id"), 1);
        ordered("a", 12, 1_499);
        facts.onTick(1_499);
        assertEquals(List.of(), told, "its result may stand a few entries behind");
        facts.onTick(1_500);
        assertEquals(List.of("send 0 id"), told);
    }

    /** Its process may be the only one that may send the call, and the outcome would be unknown for nothing. */
    @Test
    void anEntryOfAnEarlierProcessThatIsOrderedLateEndsNoClaim() {
        waitsAt(0);
        claimed("a", 12, Optional.empty(), 100);
        orderedLate("a", 11, 99, 1_000);
        facts.onTick(1_500);
        assertEquals(List.of(), due(1_500));
        ordered("a", 12, 1_600);
        orderedLate("a", 11, 99, 1_700);
        assertEquals(List.of(), due(1_700));
        ordered("a", 13, 1_800);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(1_800));
    }

    /** It replays the log, and its clock is that of an earlier entry. */
    @Test
    void aLaterProcessWhoseClockIsBehindEndsAClaimByAnEntryOfLater() {
        waitsAt(0);
        claimed("a", 12, Optional.empty(), 100);
        orderedLate("a", 13, 99, 1_600);
        assertEquals(List.of(), due(1_600));
        ordered("a", 13, 1_700);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(1_700));
    }

    @Test
    void aClaimOfAnEndedProcessThatIsOrderedLateEndsWithTheNextEntryOfItsSuccessor() {
        waitsAt(0);
        ordered("a", 12, 100);
        orderedLate("a", 11, 99, 1_600, NestedFact.claim(PLACE, 0, Optional.empty()));
        assertEquals(List.of(), due(1_600));
        ordered("a", 12, 1_700);
        assertEquals(List.of("UNKNOWN 0 nothing"), due(1_700));
    }

    private final class Effects implements ReplicaEffects {
        @Override
        public void submit(long submission, byte[] entry) {
            throw new IllegalStateException("not asked for");
        }

        @Override
        public void execute(List<Execution> executions) {
            throw new IllegalStateException("not asked for");
        }

        @Override
        public void answer(AnswerListener copy, Answer answer) {
            throw new IllegalStateException("not asked for");
        }

        @Override
        public void send(String member, byte[] message) {
            throw new IllegalStateException("not asked for");
        }

        @Override
        public void parametersDiffer(GroupParameters ofGroup) {
            throw new IllegalStateException("not asked for");
        }

        @Override
        public void identifyNested(Place place, int number, long leftMillis) {
            told.add("identify " + number);
            left.add(leftMillis);
        }

        @Override
        public void sendNested(Place place, int number, Optional<byte[]> identity, long leftMillis) {
            told.add("send " + number + " " + text(identity));
            left.add(leftMillis);
        }

        @Override
        public void nestedResult(Place place, int number, Optional<byte[]> result) {
            told.add("result " + number + " " + text(result));
        }
    }
}
