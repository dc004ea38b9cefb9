package org.amo.core.replica;

import static org.amo.core.replica.ReplicaRig.C;
import static org.amo.core.replica.ReplicaRig.D;
import static org.amo.core.replica.ReplicaRig.EPOCH;
import static org.amo.core.replica.ReplicaRig.PARAMETERS;
import static org.amo.core.replica.ReplicaRig.PLAIN;
import static org.amo.core.replica.ReplicaRig.bytes;
import static org.amo.core.replica.ReplicaRig.entryOf;
import static org.amo.core.replica.ReplicaRig.incarnation;
import static org.amo.core.replica.ReplicaRig.replyTo;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.WallClock;
import org.amo.core.replica.ReplicaRig.Submitted;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** One replica, with log, servant, clients and peers played by hand. */
final class ReplicaTest {
    private static final FinishedNumbers ONE = FinishedNumbers.of(1);

    // ---------------------------------------------------------------- batching

    @Test
    void anIdleReplicaSubmitsAtOnce() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        assertEquals(List.of(1L), rig.numbersSubmitted());
    }

    @Test
    void oneEntryIsInFlightAndTheRestGathersInTheNext() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        for (int number = 1; number <= 5; number++) {
            rig.copy("" + number, rig.request(number));
        }
        assertEquals(1, rig.submitted.size());
        rig.deliverNext();
        assertEquals(0, rig.submitted.size(), "ordered, but not executed");
        rig.executeAll();
        assertEquals(List.of(2L, 3L, 4L, 5L), rig.numbersSubmitted());
        assertEquals(1, rig.submitted.size());
    }

    @Test
    void copiesThatArriveTogetherGoTogether() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copies(1, 2, 3);
        assertEquals(List.of(1L, 2L, 3L), rig.numbersSubmitted());
        assertEquals(1, rig.submitted.size());
    }

    @Test
    void whoWaitsGoesWithTheCallersThatTheLastEntryAnswered() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.patient = true;
        rig.copies(1, 2);
        rig.copy("3", rig.request(3));
        rig.deliverNext();
        rig.executeAll();
        rig.copy("4", rig.request(4));
        assertEquals(List.of(), rig.numbersSubmitted(), "one of two has come back");
        assertEquals(1, rig.gatherings, "asked for once");
        rig.copy("5", rig.request(5));
        assertEquals(List.of(3L, 4L, 5L), rig.numbersSubmitted());
        assertEquals(1, rig.submitted.size());
    }

    @Test
    void aTickEndsTheWaitForCallersThatDoNotComeBack() {
        ReplicaRig rig = secondWaitsForFirst();
        rig.tick();
        assertEquals(List.of(2L), rig.numbersSubmitted());
    }

    @Test
    void aQuietMomentEndsItToo() {
        ReplicaRig rig = secondWaitsForFirst();
        rig.quiet();
        assertEquals(List.of(2L), rig.numbersSubmitted());
    }

    /** The first caller has been answered and not come back. */
    private static ReplicaRig secondWaitsForFirst() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.patient = true;
        rig.copy("1", rig.request(1));
        rig.copy("2", rig.request(2));
        rig.deliverNext();
        rig.executeAll();
        assertEquals(List.of(), rig.numbersSubmitted());
        return rig;
    }

    @Test
    void whoCallsAloneNeverWaits() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.patient = true;
        for (int number = 1; number <= 3; number++) {
            rig.copy("" + number, rig.request(number));
            assertEquals(1, rig.submitted.size(), "submitted at once");
            rig.deliverNext();
            rig.executeAll();
        }
        assertEquals(0, rig.gatherings);
    }

    @Test
    void theNextEntryGoesWhenTheLeaderOrderedAndAnsweredThisOneBeforeItsDeliveryHere() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request first = rig.request(1);
        rig.copy("1", first);
        rig.copy("2", rig.request(2));
        Submitted entry = rig.submitted.remove();
        rig.results("b", entry.number());
        assertEquals(0, rig.submitted.size(), "ordered, but not answered");
        rig.results("b", entry.number(), new Result(0, Answer.reply(replyTo(first), rig.groupTime(), 0)));
        assertEquals(List.of(2L), rig.numbersSubmitted());
    }

    @Test
    void anEntryOfAcknowledgementsHoldsTheNextOnlyUntilItIsOrdered() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onFinished(C, ONE, rig.now);
        rig.copy("1", rig.request(2));
        assertEquals(1, rig.submitted.size());
        rig.results("b", rig.submitted.remove().number());
        assertEquals(List.of(2L), rig.numbersSubmitted());
    }

    @Test
    void fiftyKilobytesDoNotWaitForTheEntryInFlight() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.copy("2", rig.request(C, 2, "x".repeat(49_999)));
        assertEquals(1, rig.submitted.size());
        rig.copy("3", rig.request(C, 3, "y"));
        assertEquals(2, rig.submitted.size());
        assertEquals(List.of(1L, 2L, 3L), rig.numbersSubmitted());
    }

    @Test
    void acknowledgementsRideWithTheRequestsThatWait() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.replica.onFinished(D, ONE, rig.now);
        rig.copy("2", rig.request(2));
        rig.deliverNext();
        rig.executeAll();
        Submitted next = rig.submitted.element();
        assertEquals(2, next.entry().items().size());
        assertEquals(1, next.requests().size());
    }

    @Test
    void theLagIsFromTheArrivalOfAnAcknowledgementToItsDelivery() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        assertEquals(0, rig.replica.status().sackLagMillis(), "nothing was acknowledged");
        rig.now += 100;
        rig.replica.onFinished(D, ONE, rig.now);
        rig.now += 30;
        rig.replica.onFinished(C, ONE, rig.now);
        rig.executeAll();
        rig.now += 20;
        rig.deliverNext();
        assertEquals(50, rig.replica.status().sackLagMillis());
        rig.copy("2", rig.request(2), ONE);
        rig.now += 7;
        rig.deliverNext();
        assertEquals(7, rig.replica.status().sackLagMillis());
        assertEquals(50, rig.replica.status().sackLagMillisPeak());
    }

    @Test
    void anAcknowledgementWhoseEntryWasLostCountsFromItsArrival() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onFinished(D, ONE, rig.now);
        rig.now += 40;
        rig.replica.onRejected(rig.submitted.remove().number(), rig.now);
        rig.now += 1_000;
        rig.tick();
        rig.deliverNext();
        assertEquals(1_040, rig.replica.status().sackLagMillis());
    }

    @Test
    void aLaterSetOfAClientReplacesOneThatHoldsNoMoreAndNotOneThatHoldsMore() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.replica.onFinished(D, FinishedNumbers.of(1), rig.now);
        rig.replica.onFinished(D, FinishedNumbers.of(1, 3, 3), rig.now);
        // Overtaken on another connection.
        rig.replica.onFinished(D, FinishedNumbers.of(1), rig.now);
        rig.deliverNext();
        rig.executeAll();
        List<FinishedNumbers> sets = rig.submitted.element().entry().items().stream()
                .map(Item::finished)
                .toList();
        assertTrue(sets.stream().anyMatch(set -> set.contains(3)), "3 is not lost: " + sets);
        assertTrue(sets.size() <= 2, "the first was replaced: " + sets);
    }

    @Test
    void withoutALeaderNothingIsSubmittedAndWithOneAllOfIt() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onLeader("", rig.now);
        rig.copy("1", rig.request(1));
        assertTrue(rig.submitted.isEmpty());
        rig.replica.onLeader("c", rig.now);
        assertEquals(List.of(1L), rig.numbersSubmitted());
    }

    @Test
    void whatWasOnItsWayToADeadLeaderIsSubmittedToTheNextAtOnceAndRunsOnceIfBothCopiesAreOrdered() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.replica.onLeader("", rig.now);
        assertEquals(List.of(1L), rig.numbersSubmitted());
        rig.replica.onLeader("c", rig.now);
        assertEquals(List.of(1L, 1L), rig.numbersSubmitted());
        rig.deliverNext();
        rig.deliverNext();
        rig.executeAll();
        assertEquals(1, rig.executed.size());
        assertEquals("reply to op1", rig.answer("1"));
        assertEquals(1, rig.answers.get("1").size());
    }

    // ---------------------------------------------------------------- answers

    @Test
    void aRequestIsExecutedAtItsPositionAndAnswered() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        Execution execution = rig.executing.element();
        assertEquals(rig.position, execution.position());
        assertEquals("-", rig.answer("1"));
        rig.executeAll();
        assertEquals("reply to op1", rig.answer("1"));
        Answer answer = rig.answers.get("1").get(0);
        assertEquals(rig.groupTime(), answer.orderedTimeMillis());
        assertEquals(EPOCH + 100, answer.upperMillis(), "every answer carries the bound");
    }

    @Test
    void aCopyOfAPendingRequestAttachesToItAndBothAreAnswered() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request request = rig.request(1);
        rig.copy("first", request);
        rig.copy("second", request);
        assertEquals(1, rig.submitted.size());
        rig.deliverNext();
        rig.copy("third, while it executes", request);
        rig.executeAll();
        assertEquals(1, rig.executed.size());
        for (String copy : rig.answers.keySet()) {
            assertEquals("reply to op1", rig.answer(copy));
        }
        assertTrue(rig.submitted.isEmpty());
    }

    @Test
    void aCopyWithAnotherTimestampIsAnsweredByTheOneExecutionAndHoldsUpNothing() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request request = rig.request(2);
        Request restamped = otherwiseStamped(request);
        rig.copy("0", rig.request(1));
        rig.copy("first", request);
        rig.copy("restamped, in the same entry", restamped);
        rig.deliverNext();
        rig.executeAll();
        rig.deliverNext();
        rig.copy("restamped, while it executes", otherwiseStamped(restamped));
        rig.copy("after", rig.request(3));
        rig.executeAll();
        assertEquals(2, rig.executed.size());
        for (String copy : List.of("first", "restamped, in the same entry", "restamped, while it executes")) {
            assertEquals("reply to op2", rig.answer(copy));
        }
        assertEquals(List.of(3L), rig.numbersSubmitted());
    }

    @Test
    void aCopyWithAnEarlierTimestampThanTheRunningOneIsAnsweredByItToo() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request earlier = rig.request(1);
        rig.copy("first", otherwiseStamped(earlier));
        rig.deliverNext();
        rig.copy("earlier", earlier);
        rig.executeAll();
        assertEquals("reply to op1", rig.answer("first"));
        assertEquals("reply to op1", rig.answer("earlier"));
        assertEquals(1, rig.executed.size());
    }

    @Test
    void theLeaderAnswersAFollowersRestampedCopyByTheOneExecution() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        Request request = rig.request(1);
        rig.deliverOf("c", 9, request, otherwiseStamped(request));
        rig.executeAll();
        assertEquals(1, rig.executed.size());
        assertEquals(List.of("9:[0=reply to op1, 1=reply to op1]"), rig.resultsSentTo("c"));
    }

    private static Request otherwiseStamped(Request request) {
        return new Request(
                request.id(),
                request.timestampMillis() + 7,
                request.deadlineMillis() + 7,
                request.fingerprint(),
                request.oneway(),
                request.body());
    }

    @Test
    void aCopyOfAnAnsweredRequestIsAnsweredFromTheCacheWithoutTheOrder() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request request = rig.request(1);
        rig.copy("1", request);
        rig.deliverNext();
        rig.executeAll();
        rig.copy("2", request);
        assertEquals("reply to op1", rig.answer("2"));
        assertTrue(rig.submitted.isEmpty());
        assertEquals(1, rig.replica.status().replayed());
    }

    @Test
    void aCopyThatWaitsHereIsAnsweredWhenAnotherMembersEntryRunsTheRequest() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("0", rig.request(D, 1, "other"));
        Request request = rig.request(1);
        rig.copy("1", request);
        rig.deliverOf("c", 9, request);
        rig.executeAll();
        assertEquals("reply to op1", rig.answer("1"));
        rig.deliverNext();
        rig.executeAll();
        assertEquals(2, rig.executed.size());
        assertTrue(rig.submitted.isEmpty(), "it is not ordered again");
    }

    @Test
    void acknowledgementsOfACopyThatNeedsNoOrderStillTravel() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("0", rig.request(D, 1, "other"));
        Request request = rig.request(2);
        rig.copy("1", request, ONE);
        rig.deliverOf("c", 9, request);
        rig.executeAll();
        rig.deliverNext();
        rig.executeAll();
        Submitted carrier = rig.submitted.element();
        assertTrue(carrier.requests().isEmpty());
        assertEquals(ONE, carrier.entry().items().get(0).finished());
    }

    @Test
    void acknowledgementsOfARefusedCopyStillTravel() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("old", ReplicaRig.request(C, 2, "op", EPOCH - 1, EPOCH + 1), ONE);
        assertEquals("STALE", rig.answer("old"));
        assertEquals(ONE, rig.submitted.element().entry().items().get(0).finished());
    }

    @Test
    void acknowledgementsOfACopyAnsweredFromTheCacheStillTravel() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request request = rig.request(2);
        rig.copy("1", request);
        rig.deliverNext();
        rig.executeAll();
        rig.copy("2", request, ONE);
        assertEquals(ONE, rig.submitted.element().entry().items().get(0).finished());
    }

    @Test
    void acknowledgementsOfACopyThatJoinsAWaitingOneStillTravel() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request request = rig.request(2);
        rig.copy("1", request);
        rig.copy("2", request, ONE);
        rig.deliverNext();
        rig.executeAll();
        assertEquals(ONE, rig.submitted.element().entry().items().get(0).finished());
    }

    @Test
    void aRequestThatRunsAlreadyIsNotSubmittedAgainWhileItExecutes() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request other = rig.request(D, 1, "other");
        rig.copy("0", other);
        Request request = rig.request(1);
        rig.copy("1", request);
        rig.deliverOf("c", 9, request);
        Submitted first = rig.submitted.remove();
        rig.results("b", first.number(), new Result(0, Answer.reply(replyTo(other), rig.groupTime(), 0)));
        assertTrue(rig.submitted.isEmpty());
        rig.executeAll();
        assertEquals("reply to op1", rig.answer("1"));
    }

    @Test
    void refusalsOnReceiptAreThoseThatNoLaterPositionCanChange() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        rig.executeAll();
        rig.copy("stale", ReplicaRig.request(D, 1, "op", EPOCH, EPOCH + 90_000));
        rig.copy("expired", ReplicaRig.request(D, 1, "op", EPOCH + 200, EPOCH + 300));
        rig.copy("reused", ReplicaRig.request(C, 1, "else", rig.groupTime(), rig.groupTime() + 9));
        rig.copy("early", ReplicaRig.request(D, 1, "op", rig.groupTime() + 5_000, rig.groupTime() + 9_000));
        assertEquals("STALE", rig.answer("stale"));
        assertEquals("EXPIRED", rig.answer("expired"));
        assertEquals("ID_REUSED", rig.answer("reused"));
        assertEquals("-", rig.answer("early"), "this replica may lag: only the order can say");
        rig.deliverNext();
        assertEquals("TOO_EARLY", rig.answer("early"));
    }

    /** A6: never somebody else's reply. */
    @Test
    void aCopyWithAnotherBodyUnderTheSameIdNeverGetsTheOthersReply() {
        for (String leader : List.of("a", "b")) {
            ReplicaRig rig = ReplicaRig.started("a", leader);
            rig.copy("0", rig.request(D, 1, "keeps the entry in flight"));
            rig.copy("this", rig.request(C, 1, "this body"));
            rig.copy("other", rig.request(C, 1, "other body"));
            rig.deliverOf("c", 9, rig.request(C, 1, "other body"));
            rig.executeAll();
            assertEquals("reply to other body", rig.answer("other"));
            rig.deliverNext();
            rig.executeAll();
            while (!rig.submitted.isEmpty()) {
                rig.deliverNext();
            }
            assertEquals("ID_REUSED", rig.answer("this"), "leader " + leader);
        }
    }

    @Test
    void acknowledgementsOfACopyWhoseIdIsInUseStillTravel() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("first", rig.request(C, 2, "one body"));
        rig.copy("second", rig.request(C, 2, "another body"), ONE);
        rig.deliverNext();
        rig.executeAll();
        List<FinishedNumbers> carried = new ArrayList<>();
        rig.submitted.forEach(entry -> entry.entry().items().forEach(item -> carried.add(item.finished())));
        assertTrue(carried.contains(ONE));
    }

    @Test
    void theReplyOfAForgottenForeignCallIsNotGivenToTheNextUseOfItsId() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("before", foreign(rig, rig.groupTime() + 1_000));
        rig.deliverNext();
        rig.now += 2_000;
        Request after = foreign(rig, rig.groupTime() + 1_000);
        rig.deliverOf("c", 9, after);
        rig.copy("after", after);
        rig.executeOne();
        assertEquals("reply to same", rig.answer("before"));
        assertEquals("-", rig.answer("after"));
        rig.executeOne();
        assertEquals("reply to same", rig.answer("after"));
    }

    @Test
    void aOnewayIsAnsweredToo() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", new Request(RequestId.own(C, 1), rig.groupTime(), rig.groupTime() + 9, 1, true, bytes("one")));
        rig.deliverNext();
        rig.executeAll();
        assertEquals("reply to one", rig.answer("1"));
    }

    // ---------------------------------------------------------------- re-submission, rejection and D5

    @Test
    void whatWasNotHeardOfForTwoSecondsIsSubmittedAgainWithTheSameId() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        Submitted lost = rig.submitted.remove();
        rig.now += 2_000;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
        rig.now += 1;
        rig.tick();
        Submitted again = rig.submitted.element();
        assertTrue(again.number() > lost.number());
        assertEquals(List.of(1L), rig.numbersSubmitted());
        assertEquals(
                lost.requests().get(0).timestampMillis(),
                again.requests().get(0).timestampMillis());
    }

    @Test
    void bothSubmissionsDeliveredRunTheRequestOnceAndAnswerItOnce() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.now += 2_001;
        rig.tick();
        assertEquals(2, rig.submitted.size());
        rig.deliverNext();
        rig.deliverNext();
        rig.executeAll();
        assertEquals(1, rig.executed.size());
        assertEquals("reply to op1", rig.answer("1"));
    }

    @Test
    void aOnewaySubmittedTwiceRunsOnceAndIsNotCalledStale() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy(
                "1", new Request(RequestId.own(C, 1), rig.groupTime(), rig.groupTime() + 5_000, 1, true, bytes("one")));
        rig.now += 2_001;
        rig.tick();
        rig.deliverNext();
        rig.deliverNext();
        assertEquals("-", rig.answer("1"));
        rig.executeAll();
        assertEquals(1, rig.executed.size());
        assertEquals("reply to one", rig.answer("1"));
    }

    @Test
    void theRejectionOfASubmissionThatWasGivenUpSubmitsNothingMore() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        // Too large to wait for the entry in flight.
        rig.copy("1", rig.request(C, 1, "x".repeat(60_000)));
        rig.now += 2_001;
        rig.tick();
        rig.replica.onRejected(rig.submitted.remove().number(), rig.now);
        rig.now += 20;
        rig.tick();
        rig.deliverNext();
        assertTrue(rig.submitted.isEmpty());
        rig.executeAll();
        rig.copy("2", rig.request(2));
        assertEquals(List.of(2L), rig.numbersSubmitted());
    }

    @Test
    void aLogThatIsSilentIsNotFlooded() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        for (int number = 1; number <= 200; number++) {
            rig.copy("" + number, rig.request(C, number, "x".repeat(60_000)));
        }
        assertEquals(64, rig.submitted.size());
        rig.deliverNext();
        rig.executeAll();
        assertEquals(64, rig.submitted.size());
    }

    @Test
    void acknowledgementsThatWereNotHeardOfAreSubmittedAgainToo() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onFinished(C, ONE, rig.now);
        rig.submitted.remove();
        rig.now += 2_001;
        rig.tick();
        assertEquals(ONE, rig.submitted.element().entry().items().get(0).finished());
    }

    @Test
    void aRejectedSubmissionIsQueuedAgainAheadOfWhatCameLater() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1), ONE);
        rig.copy("2", rig.request(2));
        Submitted rejected = rig.submitted.remove();
        rig.replica.onRejected(rejected.number(), rig.now);
        rig.now += 20;
        rig.tick();
        assertEquals(List.of(1L, 2L), rig.numbersSubmitted());
        assertEquals(ONE, rig.submitted.element().entry().items().get(0).finished());
    }

    @Test
    void afterARejectionThereIsAPauseNotABusyLoop() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.replica.onRejected(rig.submitted.remove().number(), rig.now);
        rig.tick();
        rig.copy("2", rig.request(2));
        assertTrue(rig.submitted.isEmpty());
        rig.now += 20;
        rig.tick();
        assertEquals(1, rig.submitted.size());
    }

    /** D5. */
    @Test
    void aRefusalWaitsUntilAllSubmissionsOfTheCopyWereDelivered() {
        for (String reason : List.of("TOO_EARLY", "OVERLOADED")) {
            ReplicaRig rig = refusable(reason);
            rig.copy("1", refused(rig, reason));
            if (reason.equals("OVERLOADED")) {
                // Another client takes the last room before the copy is delivered.
                long time = rig.groupTime();
                Request other = ReplicaRig.request(D, 1, "other", time, time + 5_000);
                Item item = new Item(D, FinishedNumbers.NONE, Optional.of(other), Principal.UNKNOWN);
                rig.deliver(EntryBuilder.entry("c", 1, 2, time, Optional.empty(), List.of(item)));
            }
            rig.now += 2_001;
            rig.tick();
            assertEquals(2, rig.submitted.size());
            OrderedEntry first = rig.submitted.remove().entry();
            OrderedEntry second = rig.submitted.remove().entry();
            rig.deliver(stampedBefore(rig, first));
            assertEquals("-", rig.answer("1"), "a submission is still out");
            rig.deliver(stampedBefore(rig, second));
            assertEquals(reason, rig.answer("1"));
        }
    }

    @Test
    void whatTheOrderWouldRefuseForLackOfRoomIsNotOrdered() {
        ReplicaRig rig = refusable("OVERLOADED");
        long time = rig.groupTime();
        Request first = ReplicaRig.request(C, 1, "op1", time, time + 5_000);
        rig.copy("1", first);
        rig.deliver(rig.submitted.remove().entry());
        rig.copy("2", ReplicaRig.request(D, 1, "op2", time, time + 5_000));
        assertEquals("OVERLOADED", rig.answer("2"));
        assertEquals(0, rig.submitted.size());
        assertEquals(Map.of("GROUP_CLIENTS", 1L), rig.replica.status().overloads());
        // The acknowledgements of a carrier may make room, so it goes to the order.
        rig.executeAll();
        rig.copy("3", ReplicaRig.request(D, 1, "op2", time, time + 5_000), FinishedNumbers.of(0, 7, 7));
        assertEquals(1, rig.submitted.size());
    }

    /** D5. */
    @Test
    void aHeldRefusalIsForgottenWhenTheOtherSubmissionRuns() {
        ReplicaRig rig = refusable("TOO_EARLY");
        Request request = refused(rig, "TOO_EARLY");
        rig.copy("1", request);
        rig.now += 2_001;
        rig.tick();
        OrderedEntry first = rig.submitted.remove().entry();
        rig.deliver(stampedBefore(rig, first));
        assertEquals("-", rig.answer("1"));
        rig.now = 50_000 + (request.timestampMillis() - EPOCH);
        OrderedEntry second = rig.submitted.remove().entry();
        rig.deliver(stamped(second, request.timestampMillis()));
        rig.executeAll();
        assertEquals("reply to op1", rig.answer("1"));
    }

    /** D5. */
    @Test
    void aHeldRefusalIsAnsweredWhenTheOtherSubmissionIsRejected() {
        ReplicaRig rig = refusable("TOO_EARLY");
        rig.copy("1", refused(rig, "TOO_EARLY"));
        rig.now += 2_001;
        rig.tick();
        OrderedEntry first = rig.submitted.remove().entry();
        Submitted second = rig.submitted.remove();
        rig.deliver(stampedBefore(rig, first));
        rig.replica.onRejected(second.number(), rig.now);
        assertEquals("TOO_EARLY", rig.answer("1"));
    }

    /** D5: another submission may have been accepted where this member did not see it. */
    @Test
    void aStaleSubmissionDoesNotSpeakForTheOther() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request request = rig.request(1);
        rig.copy("1", request);
        rig.now += 2_001;
        rig.tick();
        Submitted first = rig.submitted.remove();
        Submitted second = rig.submitted.remove();
        rig.results("b", first.number(), new Result(0, Answer.refused(Refusal.STALE, rig.groupTime(), 0)));
        assertEquals("-", rig.answer("1"), "the other submission is still out");
        rig.results("b", second.number(), new Result(0, Answer.reply(replyTo(request), rig.groupTime(), 0)));
        assertEquals("reply to op1", rig.answer("1"));
    }

    /** D5: the leader's word for one submission does not speak for the other. */
    @Test
    void aHeldRefusalWaitsWhoeverToldOfTheFirst() {
        ReplicaRig rig = refusable("TOO_EARLY");
        rig.copy("1", refused(rig, "TOO_EARLY"));
        rig.now += 2_001;
        rig.tick();
        Submitted first = rig.submitted.remove();
        Submitted second = rig.submitted.remove();
        rig.results("b", first.number(), new Result(0, Answer.refused(Refusal.TOO_EARLY, rig.groupTime(), 0)));
        assertEquals("-", rig.answer("1"));
        rig.results("b", first.number(), new Result(0, Answer.refused(Refusal.TOO_EARLY, rig.groupTime(), 0)));
        assertEquals("-", rig.answer("1"), "the same news twice counts once");
        rig.deliver(stampedBefore(rig, first.entry()));
        assertEquals("-", rig.answer("1"), "and its delivery is no news either");
        rig.results("b", second.number(), new Result(0, Answer.refused(Refusal.TOO_EARLY, rig.groupTime(), 0)));
        assertEquals("TOO_EARLY", rig.answer("1"));
    }

    /** D5: the first may have run at a position that came here inside a snapshot. */
    @Test
    void aStaleSubmissionSaysNothingOfAnotherThatWasNotSeenDelivered() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        ReplicaRig other = ReplicaRig.started("b", "b");
        rig.copy("1", rig.request(1));
        rig.now += 2_001;
        other.now = rig.now;
        rig.tick();
        OrderedEntry first = rig.submitted.remove().entry();
        OrderedEntry second = rig.submitted.remove().entry();
        other.deliver(first);
        other.executeAll();
        other.deliver(EntryBuilder.entry(
                "c", 1, 1, rig.groupTime(), Optional.empty(), List.of(Item.acknowledgements(C, ONE))));
        rig.replica.snapshots().install(other.replica.snapshots().take(), rig.now);
        rig.position = other.position;
        rig.deliver(second);
        assertEquals("UNKNOWN", rig.answer("1"), "it ran in the first submission: STALE would count it as not run");
    }

    @Test
    void expiredHoldsForEverAndIsAnsweredAtOnce() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", ReplicaRig.request(C, 1, "op", rig.groupTime(), rig.groupTime() + 2_500));
        rig.now += 2_001;
        rig.tick();
        OrderedEntry first = rig.submitted.remove().entry();
        rig.deliver(stamped(first, rig.groupTime() + 1_000));
        assertEquals("EXPIRED", rig.answer("1"));
    }

    @Test
    void anEntryOfThisMembersEarlierLifeIsNotTakenForItsOwn() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request request = rig.request(1);
        rig.copy("1", request);
        OrderedEntry mine = rig.submitted.element().entry();
        Request stale = ReplicaRig.request(D, 1, "op", EPOCH, EPOCH + 90_000);
        rig.deliver(EntryBuilder.entry(
                "a",
                77,
                mine.submission(),
                rig.groupTime(),
                Optional.empty(),
                List.of(new Item(D, FinishedNumbers.NONE, Optional.of(stale), Principal.UNKNOWN))));
        assertEquals("-", rig.answer("1"), "the refusal is another request's");
        rig.deliverNext();
        rig.executeAll();
        assertEquals("reply to op1", rig.answer("1"));
    }

    // ---------------------------------------------------------------- leader and followers

    @Test
    void theLeadersReplyAnswersAFollowersCopyBeforeTheFollowersOwnDelivery() {
        ReplicaRig follower = ReplicaRig.started("a", "b");
        Request request = follower.request(1);
        follower.copy("1", request);
        Submitted entry = follower.submitted.remove();
        follower.results("b", entry.number(), new Result(0, Answer.reply(replyTo(request), follower.groupTime(), 7)));
        assertEquals("reply to op1", follower.answer("1"));
        follower.deliver(entry.entry());
        follower.executeAll();
        assertEquals(1, follower.executed.size(), "its own delivery still executes and stores");
        follower.copy("2", request);
        assertEquals("reply to op1", follower.answer("2"));
    }

    @Test
    void resultsForAnEarlierLifeOfTheFollowerAreIgnored() {
        ReplicaRig follower = ReplicaRig.started("a", "b");
        follower.copy("1", follower.request(1));
        Submitted entry = follower.submitted.remove();
        follower.replica.onMessage(
                "b",
                new PeerMessage.Results(99, entry.number(), List.of(new Result(0, Answer.reply(bytes("wrong"), 1, 1))))
                        .encode(),
                follower.now);
        assertEquals("-", follower.answer("1"));
    }

    @Test
    void resultsForItemsThatDoNotExistAreIgnored() {
        ReplicaRig follower = ReplicaRig.started("a", "b");
        follower.copy("1", follower.request(1));
        follower.results(
                "b",
                follower.submitted.element().number(),
                new Result(Integer.MAX_VALUE, Answer.reply(bytes("wrong"), 1, 1)),
                new Result(1, Answer.reply(bytes("wrong"), 1, 1)));
        assertEquals("-", follower.answer("1"));
    }

    @Test
    void theLeaderSendsAFollowersResultsAfterTheExecution() {
        ReplicaRig leader = ReplicaRig.started("b", "b");
        leader.deliverOf("a", 4, leader.request(1), leader.request(D, 1, "op of D"));
        assertEquals(List.of(), leader.resultsSentTo("a"));
        leader.executeOne();
        assertEquals(List.of("4:[0=reply to op1]"), leader.resultsSentTo("a"));
        leader.executeOne();
        assertEquals(List.of("4:[1=reply to op of D]"), leader.resultsSentTo("a"));
    }

    @Test
    void theLeaderSendsRefusalsAtOnceAndRepliesThatAreThere() {
        ReplicaRig leader = ReplicaRig.started("b", "b");
        Request done = leader.request(1);
        leader.deliverOf("a", 4, done);
        leader.executeAll();
        leader.resultsSentTo("a");
        leader.deliverOf("c", 5, done, ReplicaRig.request(D, 1, "op", EPOCH, EPOCH + 90_000), leader.request(2));
        assertEquals(List.of("5:[0=reply to op1, 1=STALE]"), leader.resultsSentTo("c"));
        leader.executeAll();
        assertEquals(List.of("5:[2=reply to op2]"), leader.resultsSentTo("c"));
    }

    @Test
    void theLeaderTellsAFollowerThatItsAcknowledgementsWereOrdered() {
        ReplicaRig leader = ReplicaRig.started("b", "b");
        leader.deliver(EntryBuilder.entry(
                "a",
                incarnation("a"),
                4,
                leader.groupTime(),
                Optional.empty(),
                List.of(Item.acknowledgements(C, ONE))));
        assertEquals(List.of("4:[]"), leader.resultsSentTo("a"));
    }

    @Test
    void onlyTheLeaderSendsResults() {
        ReplicaRig follower = ReplicaRig.started("a", "b");
        follower.deliverOf("c", 4, follower.request(1), ReplicaRig.request(D, 1, "op", EPOCH, EPOCH + 90_000));
        follower.executeAll();
        assertTrue(follower.sent.isEmpty());
    }

    @Test
    void theLeaderSendsNothingToItselfForAnEntryOfItsEarlierLife() {
        ReplicaRig leader = ReplicaRig.started("b", "b");
        leader.deliver(EntryBuilder.entry(
                "b", 77, 4, leader.groupTime(), Optional.empty(), List.of(Item.acknowledgements(C, ONE))));
        assertTrue(leader.sent.isEmpty());
    }

    @Test
    void aCopyAtTheLeaderAndAFollowersItemAreAnsweredByOneExecution() {
        ReplicaRig leader = ReplicaRig.started("b", "b");
        leader.copy("0", leader.request(D, 1, "keeps the entry in flight"));
        Request request = leader.request(1);
        leader.copy("here", request);
        leader.deliverOf("a", 4, request);
        leader.copy("here, while it executes", request);
        leader.executeAll();
        assertEquals("reply to op1", leader.answer("here"));
        assertEquals("reply to op1", leader.answer("here, while it executes"));
        assertEquals(List.of("4:[0=reply to op1]"), leader.resultsSentTo("a"));
        assertEquals(1, leader.executed.size());
    }

    // ---------------------------------------------------------------- giving up

    @Test
    void aCopyThatWasNeverSubmittedIsOverloadedAtItsDeadline() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("in flight", rig.request(1));
        rig.copy("1", rig.request(2));
        rig.now += 1_900;
        rig.tick();
        assertEquals("-", rig.answer("1"));
        rig.now += 3_100;
        rig.tick();
        assertEquals("OVERLOADED", rig.answer("1"), "in time for a caller that waits for it");
        assertEquals("-", rig.answer("in flight"));
        rig.submitted.clear();
        rig.replica.onLeader("c", rig.now);
        assertEquals(List.of(1L), rig.numbersSubmitted(), "and it is never submitted");
    }

    /** Well before an attempt times out at the client, which is left with no copy unaccounted. */
    @Test
    void aCopyThatWaitsForALeaderIsOverloadedAfterASecondAndLaterOnesAtOnce() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onLeader("", rig.now);
        rig.copy("1", rig.request(1));
        rig.now += 600;
        rig.replica.onLeader("", rig.now);
        rig.now += 399;
        rig.tick();
        assertEquals("-", rig.answer("1"), "an election may be under way");
        rig.now += 1;
        rig.tick();
        assertEquals("OVERLOADED", rig.answer("1"));
        rig.copy("2", rig.request(2));
        assertEquals("OVERLOADED", rig.answer("2"));
        rig.replica.onLeader("b", rig.now);
        assertEquals(List.of(), rig.numbersSubmitted(), "what was refused is never submitted");
        rig.copy("3", rig.request(3));
        assertEquals(List.of(3L), rig.numbersSubmitted());
    }

    @Test
    void aReplicaThatHasNeverHeardOfALeaderRefusesFromItsFirstSecondOn() {
        ReplicaRig rig = ReplicaRig.started("a", "");
        rig.tick();
        rig.copy("1", rig.request(1));
        rig.now += 1_000;
        rig.tick();
        assertEquals("OVERLOADED", rig.answer("1"));
    }

    @Test
    void aCopyThatWasSubmittedBeforeTheLeaderWasLostStaysUnknown() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        Request request = rig.request(1);
        rig.copy("1", request);
        rig.replica.onLeader("", rig.now);
        rig.now += 1_000;
        rig.tick();
        rig.copy("2", request);
        assertEquals("-", rig.answer("1") + rig.answer("2").substring(1));
        rig.now += 5_000;
        rig.tick();
        assertEquals("UNKNOWN", rig.answer("1"));
        assertEquals("UNKNOWN", rig.answer("2"));
    }

    @Test
    void aCopyAllOfWhoseSubmissionsWereRejectedDidNotRun() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.replica.onRejected(rig.submitted.remove().number(), rig.now);
        rig.replica.onLeader("", rig.now);
        rig.now += 1_000;
        rig.tick();
        assertEquals("OVERLOADED", rig.answer("1"));
    }

    /** A member that is cut off for hours must not gather the bodies of the calls that it has refused. */
    @Test
    void callsThatWaitedForALeaderInVainLeaveTheQueue() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onLeader("", rig.now);
        rig.plain("1", "plain 1");
        rig.now += 6_000;
        rig.plain("2", "plain 2");
        rig.plain("3", "plain 3");
        rig.now += 4_000;
        rig.tick();
        assertEquals("OVERLOADED", rig.answer("1"));
        assertEquals(2, rig.replica.status().queued());
        rig.replica.onLeader("b", rig.now);
        assertEquals(List.of(2L, 3L), rig.numbersSubmitted(), "in their order");
    }

    /** One message is one attempt there: nothing would come of an early refusal but a failed call. */
    @Test
    void plainAndForeignCallsWaitForALeaderUntilTheirDeadline() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onLeader("", rig.now);
        rig.plain("plain", "plain");
        rig.copy(
                "foreign",
                new Request(
                        new RequestId(Space.FOREIGN, C, 7),
                        rig.groupTime() - 10_000,
                        rig.groupTime() + 10_000,
                        3,
                        false,
                        ReplicaRig.bytes("foreign")));
        rig.now += 9_999;
        rig.tick();
        assertEquals("-", rig.answer("plain"));
        assertEquals("-", rig.answer("foreign"));
        rig.now += 1;
        rig.tick();
        assertEquals("OVERLOADED", rig.answer("plain"));
        assertEquals("OVERLOADED", rig.answer("foreign"));
    }

    /** This member gives a foreign request another timestamp. */
    @Test
    void aForeignRequestKeepsItsPath() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        CallPath path = new CallPath(List.of("front"));
        RequestId id = new RequestId(Space.FOREIGN, C, 7);
        rig.copy("foreign", new Request(id, 0, rig.groupTime() + 10_000, 3, false, ReplicaRig.bytes("op"), path));
        Request ordered =
                rig.submitted.remove().entry().items().get(0).request().orElseThrow();
        assertEquals(path, ordered.path());
        assertTrue(ordered.timestampMillis() != 0);
    }

    @Test
    void aCopyThatWasSubmittedIsUnknownAtItsDeadline() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.now += 6_000;
        rig.tick();
        assertEquals("UNKNOWN", rig.answer("1"));
    }

    @Test
    void aCopyWhoseExecutionOutlastsItsDeadlineIsUnknown() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        rig.now += 6_000;
        rig.tick();
        assertEquals("UNKNOWN", rig.answer("1"));
        rig.executeAll();
        assertEquals("UNKNOWN", rig.answer("1"), "answered once");
    }

    /** No call waits for ever: not one that joined what the leader keeps for a follower, either. */
    @Test
    void aCopyThatJoinedAnotherMembersExecutionIsGivenUpAtItsDeadlineToo() {
        ReplicaRig leader = ReplicaRig.started("b", "b");
        Request request = leader.request(1);
        leader.deliverOf("a", 4, request);
        leader.copy("1", request);
        leader.now += 6_000;
        leader.tick();
        assertEquals("UNKNOWN", leader.answer("1"));
    }

    @Test
    void aCopyWaitsForLAtMostHoweverLateItsDeadline() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", ReplicaRig.request(C, 1, "op", rig.groupTime(), rig.groupTime() + 3_600_000));
        rig.now += 30_999;
        rig.tick();
        assertEquals("-", rig.answer("1"));
        rig.now += 1;
        rig.tick();
        assertEquals("UNKNOWN", rig.answer("1"));
    }

    @Test
    void aCopyAtAReplicaOfAGroupThatDoesNotStartIsOverloadedAfterTheDefaultDeadline() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.copy("1", rig.request(1));
        rig.plain("2", "plain");
        rig.now += 10_001;
        rig.tick();
        assertEquals("OVERLOADED", rig.answer("1"));
        assertEquals("OVERLOADED", rig.answer("2"));
    }

    @Test
    void closingAnswersEveryWaitingCopy() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("submitted", rig.request(1));
        rig.copy("queued", rig.request(2));
        rig.replica.onClose();
        assertEquals("UNKNOWN", rig.answer("submitted"));
        assertEquals("OVERLOADED", rig.answer("queued"));
    }

    // ---------------------------------------------------------------- plain calls

    @Test
    void aPlainCallIsOrderedUnderTheReplicasOwnIdAndNumbered() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.plain("1", "first");
        Request first = rig.deliverNext().requests().get(0);
        assertEquals(RequestId.own(PLAIN, 1), first.id());
        assertEquals(rig.groupTime(), first.timestampMillis());
        assertEquals(rig.groupTime() + 10_000, first.deadlineMillis());
        rig.executeAll();
        assertEquals("reply to first", rig.answer("1"));
        rig.plain("2", "second");
        assertEquals(
                RequestId.own(PLAIN, 2),
                rig.submitted.element().requests().get(0).id());
        assertEquals(2, rig.replica.status().plainCalls());
    }

    @Test
    void aPlainCallCarriesThePlainNumbersFinishedBefore() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.plain("1", "first");
        rig.deliverNext();
        rig.executeAll();
        rig.plain("2", "second");
        assertEquals(ONE, rig.deliverNext().entry().items().get(0).finished());
        assertEquals(1, rig.replica.status().entries(), "the first is freed");
    }

    @Test
    void theLastPlainNumbersAreFlushedByThemselvesWithinASecond() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.tick();
        rig.plain("1", "first");
        rig.deliverNext();
        rig.executeAll();
        rig.now += 1_000;
        rig.tick();
        rig.deliverNext();
        assertEquals(0, rig.replica.status().entries());
        rig.now += 1_000;
        rig.tick();
        assertTrue(rig.submitted.isEmpty(), "and only once");
    }

    @Test
    void plainCallsWaitForTheGroupToStartAndAreThenAccepted() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onLeader("b", rig.now);
        rig.plain("1", "first");
        assertTrue(rig.submitted.isEmpty());
        rig.deliverStart(PARAMETERS);
        Request request = rig.deliverNext().requests().get(0);
        assertEquals(EPOCH + 101, request.timestampMillis(), "just above the bound of the start");
        rig.executeAll();
        assertEquals("reply to first", rig.answer("1"));
    }

    // ---------------------------------------------------------------- the leader's own entries, and the clock

    @Test
    void theLeaderStartsTheGroupWhereAMajorityOfWallClocksAgrees() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onLeader("a", rig.now);
        rig.replica.onTick(rig.now, 5_000_000);
        assertTrue(rig.submitted.isEmpty(), "one of three is no majority");
        rig.reportClock("c", 9_000_000);
        rig.now += 100;
        rig.replica.onTick(rig.now, 5_000_100);
        assertTrue(rig.submitted.isEmpty(), "two that contradict each other begin nothing (D14)");
        rig.reportClock("b", 5_000_060);
        rig.now += 100;
        rig.replica.onTick(rig.now, 5_000_200);
        OrderedEntry start = rig.submitted.element().entry();
        assertEquals(Optional.of(PARAMETERS), start.start());
        assertEquals(5_000_200, start.stampMillis());
        assertTrue(start.items().isEmpty());
    }

    @Test
    void onlyTheLeaderStartsTheGroupAndItTriesAgain() {
        ReplicaRig follower = new ReplicaRig("a");
        follower.replica.onLeader("b", follower.now);
        follower.reportClock("b", EPOCH);
        follower.tick();
        assertTrue(follower.submitted.isEmpty());
        ReplicaRig leader = new ReplicaRig("a");
        long begun = leader.now;
        leader.replica.onLeader("a", leader.now);
        leader.reportClock("b", EPOCH);
        leader.tick();
        assertEquals(1, leader.submitted.size());
        for (int i = 0; i < 30; i++) {
            leader.now += 100;
            leader.reportClock("b", EPOCH + leader.now - begun);
            leader.tick();
        }
        assertEquals(2, leader.submitted.size(), "once, and again after two seconds of silence");
    }

    @Test
    void reportsOlderThanFiveSecondsAreNoMajority() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onLeader("a", rig.now);
        rig.reportClock("b", EPOCH);
        rig.now += 5_001;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
    }

    @Test
    void theLeaderStepsTheGroupForwardToTheMedianWhenItIsFarBehind() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        long ahead = rig.groupTime() + 700;
        rig.reportClock("b", ahead);
        rig.reportClock("c", ahead + 90_000);
        rig.replica.onTick(rig.now, rig.groupTime());
        assertEquals(ahead, rig.submitted.element().entry().stampMillis());
        rig.deliverNext();
        assertEquals(ahead, rig.replica.status().orderedTimeMillis());
    }

    @Test
    void theGroupIsNotSteppedForALittleNorBackward() {
        for (long offset : new long[] {400, -60_000}) {
            ReplicaRig rig = ReplicaRig.started("a", "a");
            rig.reportClock("b", rig.groupTime() + offset);
            rig.reportClock("c", rig.groupTime() + offset);
            rig.replica.onTick(rig.now, rig.groupTime() + offset);
            assertTrue(rig.submitted.isEmpty());
        }
    }

    @Test
    void oneFastClockDragsNobody() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        rig.reportClock("b", rig.groupTime());
        rig.reportClock("c", rig.groupTime());
        rig.replica.onTick(rig.now, rig.groupTime() + 3_600_000);
        assertTrue(rig.submitted.isEmpty());
        rig.copy("1", rig.request(1));
        assertEquals(rig.groupTime(), rig.submitted.element().entry().stampMillis());
    }

    @Test
    void aTickIsOrderedByTheLeaderAloneAndOnlyWhenSomethingCanExpire() {
        for (String leader : List.of("a", "b")) {
            ReplicaRig rig = ReplicaRig.started("a", leader);
            rig.copy("1", rig.request(1));
            rig.deliverNext();
            rig.executeAll();
            for (int i = 0; i < 51; i++) {
                rig.tick();
                assertTrue(rig.submitted.isEmpty(), "nothing can expire yet");
                rig.now += 100;
            }
            rig.now += 100;
            rig.tick();
            assertEquals(leader.equals("a") ? 1 : 0, rig.submitted.size());
            if (leader.equals("a")) {
                rig.deliverNext();
                assertEquals(0, rig.replica.status().entries());
                rig.now += 100;
                rig.tick();
                assertTrue(rig.submitted.isEmpty(), "the record waits for rho");
            }
        }
    }

    @Test
    void noTickIsOrderedWhileAnEntryThatDoesItsWorkIsUnderWay() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        rig.executeAll();
        rig.now += 5_200;
        rig.copy("2", rig.request(2));
        rig.tick();
        assertEquals(1, rig.submitted.size());
        assertEquals(List.of(2L), rig.numbersSubmitted());
    }

    @Test
    void anIdleGroupOrdersNothing() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        for (int i = 0; i < 1_000; i++) {
            rig.now += 100;
            rig.tick();
        }
        assertTrue(rig.submitted.isEmpty());
    }

    @Test
    void eachMemberReportsItsWallClockOnceASecond() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        for (int i = 0; i < 20; i++) {
            rig.tick();
            rig.now += 50;
        }
        assertEquals(2, rig.sent.size());
        assertEquals(
                List.of("b", "c"), rig.sent.stream().map(ReplicaRig.Sent::to).toList());
        assertTrue(rig.sent.element().message() instanceof WallClock);
    }

    @Test
    void entriesAreStampedWithTheGroupsTimeNotTheWallClock() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onTick(rig.now, 7);
        rig.copy("1", rig.request(1));
        assertEquals(rig.groupTime(), rig.submitted.element().entry().stampMillis());
    }

    // ---------------------------------------------------------------- what comes malformed

    @Test
    void aMalformedEntryIsCountedAndDroppedAtItsPosition() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onDelivered(++rig.position, bytes("nonsense"), rig.now);
        rig.replica.onDelivered(++rig.position, new byte[0], rig.now);
        assertEquals(2L, rig.replica.status().orderedEntries().get("malformed"));
        assertEquals(rig.position, rig.replica.status().executedPosition());
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        rig.executeAll();
        assertEquals("reply to op1", rig.answer("1"));
    }

    @Test
    void aMalformedMessageIsCountedAndDropped() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.onMessage("b", bytes("nonsense"), rig.now);
        assertEquals(1L, rig.replica.status().orderedEntries().get("malformedMessages"));
    }

    @Test
    void anEntryDeliveredTwiceStopsTheReplica() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        byte[] entry = entryOf("c", 1, rig.groupTime()).encode();
        rig.replica.onDelivered(7, entry, rig.now);
        assertThrows(IllegalStateException.class, () -> rig.replica.onDelivered(7, entry, rig.now));
        assertThrows(IllegalStateException.class, () -> rig.replica.onDelivered(6, entry, rig.now));
    }

    // ---------------------------------------------------------------- parameters

    @Test
    void aMemberWithOtherParametersIsToldAndTheGroupsHold() {
        ReplicaRig rig = new ReplicaRig("a", GroupParameters.defaults());
        rig.deliverStart(PARAMETERS);
        assertEquals(List.of(PARAMETERS), rig.differing);
        rig.deliverStart(GroupParameters.defaults());
        assertEquals(1, rig.differing.size());
    }

    @Test
    void aMemberWithTheGroupsParametersIsNotTold() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.deliverStart(PARAMETERS);
        rig.deliverStart(GroupParameters.defaults());
        assertEquals(List.of(), rig.differing);
    }

    @Test
    void aMemberThatLearnsTheParametersFromASnapshotIsToldToo() {
        ReplicaRig rig = new ReplicaRig("a", GroupParameters.defaults());
        rig.replica
                .snapshots()
                .install(ReplicaRig.started("b", "b").replica.snapshots().take(), rig.now);
        assertEquals(List.of(PARAMETERS), rig.differing);
    }

    // ---------------------------------------------------------------- snapshots

    @Test
    void aSnapshotInstalledElsewhereAnswersCopiesAndRefusesAcknowledgedOnes() {
        ReplicaRig donor = ReplicaRig.started("b", "b");
        Request first = donor.request(1);
        Request second = donor.request(2);
        donor.copy("1", first);
        donor.deliverNext();
        donor.executeAll();
        donor.copy("2", second, ONE);
        donor.deliverNext();
        donor.executeAll();
        ReplicaRig joiner = new ReplicaRig("a");
        joiner.now = donor.now;
        joiner.replica.onLeader("b", joiner.now);
        joiner.replica.snapshots().install(donor.replica.snapshots().take(), joiner.now);
        joiner.position = donor.position;
        joiner.copy("late 1", first);
        joiner.copy("late 2", second);
        assertEquals("STALE", joiner.answer("late 1"));
        assertEquals("reply to op2", joiner.answer("late 2"));
        assertEquals(donor.replica.status().digest(), joiner.replica.status().digest());
        assertEquals(donor.replica.status().executed(), joiner.replica.status().executed());
        assertArrayEquals(
                donor.replica.snapshots().take(), joiner.replica.snapshots().take());
        joiner.copy("3", joiner.request(3));
        joiner.deliverNext();
        joiner.executeAll();
        assertEquals("reply to op3", joiner.answer("3"));
    }

    @Test
    void noSnapshotWhileAnExecutionIsUnderWay() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", rig.request(1));
        assertTrue(rig.replica.snapshots().isSettled());
        rig.deliverNext();
        assertFalse(rig.replica.snapshots().isSettled());
        assertThrows(IllegalStateException.class, rig.replica.snapshots()::take);
        rig.executeAll();
        assertTrue(rig.replica.snapshots().isSettled());
    }

    @Test
    void aSnapshotOfAnEarlierPositionIsNotInstalled() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        byte[] early = rig.replica.snapshots().take();
        rig.deliverOf("c", 1);
        assertThrows(IllegalStateException.class, () -> rig.replica.snapshots().install(early, rig.now));
    }

    @Test
    void executionsThatEndOutOfOrderStopTheReplica() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.deliverOf("c", 1, rig.request(1));
        rig.deliverOf("c", 2, rig.request(2));
        Execution second = rig.executing.peekLast();
        assertThrows(
                IllegalStateException.class,
                () -> rig.replica.onExecuted(List.of(second), List.of(bytes("x")), rig.now));
    }

    @Test
    void replicasWithEqualDeliveriesHaveEqualDigestsAndADifferentReplyShows() {
        ReplicaRig one = ReplicaRig.started("a", "c");
        ReplicaRig two = ReplicaRig.started("b", "c");
        ReplicaRig three = ReplicaRig.started("c", "c");
        for (ReplicaRig rig : List.of(one, two, three)) {
            rig.deliverOf("c", 2, rig.request(1));
            if (rig == three) {
                Execution execution = rig.executing.remove();
                rig.replica.onExecuted(List.of(execution), List.of(bytes("else")), rig.now);
            }
            rig.executeAll();
        }
        assertEquals(one.replica.status().digest(), two.replica.status().digest());
        assertFalse(one.replica.status().digest().equals(three.replica.status().digest()));
    }

    // ---------------------------------------------------------------- helpers

    private static Request foreign(ReplicaRig rig, long expiration) {
        assertTrue(expiration > rig.groupTime());
        return new Request(
                new RequestId(RequestId.Space.FOREIGN, new ClientId(9, 9), 3),
                expiration - PARAMETERS.retentionMillis(),
                expiration,
                5,
                false,
                bytes("same"));
    }

    /** A group in which the request of {@link #refused} is refused for that reason. */
    private static ReplicaRig refusable(String reason) {
        ReplicaRig rig = new ReplicaRig(
                "a",
                reason.equals("OVERLOADED")
                        ? GroupParameters.builder()
                                .retentionMillis(20_000)
                                .skewMillis(100)
                                .lifeMillis(30_000)
                                .defaultDeadlineMillis(10_000)
                                .maxClients(1)
                                .build()
                        : PARAMETERS);
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(
                reason.equals("OVERLOADED")
                        ? GroupParameters.builder()
                                .retentionMillis(20_000)
                                .skewMillis(100)
                                .lifeMillis(30_000)
                                .defaultDeadlineMillis(10_000)
                                .maxClients(1)
                                .build()
                        : PARAMETERS);
        rig.now += 1_000;
        return rig;
    }

    private static Request refused(ReplicaRig rig, String reason) {
        long timestamp = rig.groupTime() + (reason.equals("TOO_EARLY") ? 4_000 : 0);
        return ReplicaRig.request(C, 1, "op1", timestamp, timestamp + 5_000);
    }

    /** The entry as it would be ordered while its request is still too early. */
    private static OrderedEntry stampedBefore(ReplicaRig rig, OrderedEntry entry) {
        return stamped(entry, rig.groupTime() - 1_500);
    }

    private static OrderedEntry stamped(OrderedEntry entry, long stamp) {
        return EntryBuilder.entry(
                entry.origin(), entry.incarnation(), entry.submission(), stamp, entry.start(), entry.items());
    }

    // ---------------------------------------------------------------- timers of the servant

    @Test
    void theServantHearsOfEachEntryOfAStartedGroupBeforeItsRequestsRun() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.deliver(ReplicaRig.entryOf("b", 1, ReplicaRig.EPOCH));
        assertEquals(List.of(), rig.reached);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.now += 1_000;
        rig.deliverOf("b", 2, rig.request(1));
        rig.deliverOf("b", 3);
        assertEquals(
                List.of("2@" + (ReplicaRig.EPOCH + 1), "3@" + rig.groupTime(), "4@" + rig.groupTime()), rig.reached);
    }

    @Test
    void theLeaderOrdersAnEntryWhenATimerIsDueAndOnlyOne() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
        long due = rig.groupTime() + 500;
        rig.replica.operations().onTimer(OptionalLong.of(due));
        rig.now += 450;
        rig.tick();
        assertTrue(rig.submitted.isEmpty(), "not before its time");
        rig.now += 100;
        rig.tick();
        Submitted tick = rig.submitted.element();
        assertTrue(tick.entry().items().isEmpty() && tick.entry().stampMillis() >= due);
        rig.deliverNext();
        // The servant is busy, and fires it later.
        rig.now += 1_000;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
    }

    @Test
    void aFollowerOrdersNothingForATimer() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.replica.operations().onTimer(OptionalLong.of(rig.groupTime() + 500));
        rig.now += 1_000;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
    }

    @Test
    void withoutAPendingTimerNothingIsOrdered() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        rig.replica.operations().onTimer(OptionalLong.of(rig.groupTime() + 500));
        rig.replica.operations().onTimer(OptionalLong.empty());
        rig.now += 1_000;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
    }
}
