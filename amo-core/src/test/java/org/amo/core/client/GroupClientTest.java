package org.amo.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

class GroupClientTest {
    private static final long WALL = 1_000_000;
    private static final long UPPER = 5_000_000;
    private static final byte[] BODY = {1};

    private final List<String> done = new ArrayList<>();
    private final List<Attempt> sent = new ArrayList<>();
    private final List<Integer> sentTo = new ArrayList<>();
    private final List<Integer> connects = new ArrayList<>();
    private final List<FinishedNumbers> acknowledged = new ArrayList<>();
    private long now;
    private boolean effectsFail;

    private final GroupClient<String> client =
            new GroupClient<>(new ClientSession(new ClientId(1, 2)), 3, 0, new Effects());

    @Test
    void aCallWaitsForAConnectionAndIsStampedWithWhatTheMemberTellsThen() {
        call("x");
        assertEquals(List.of(0), connects);
        assertEquals(List.of(), sent);
        connected(0);
        assertEquals(UPPER + 1, sent.get(0).timestampMillis());
        assertEquals(1, sent.get(0).id().number());
        reply(0, 0);
        assertEquals(List.of("x ok"), done);
    }

    @Test
    void aMemberThatRefusesTheConnectionIsLeftForTheNextAndAllOfThemForAPause() {
        call("x");
        client.onDisconnected(0, now, WALL);
        client.onDisconnected(1, now, WALL);
        assertEquals(List.of(0, 1, 2), connects);
        client.onDisconnected(2, now, WALL);
        assertEquals(List.of(0, 1, 2), connects);
        assertEquals(now + 5, client.nextDeadline());
        tick(5);
        assertEquals(List.of(0, 1, 2, 0), connects);
    }

    @Test
    void aNewMemberServesOnceTheOthersAreGone() {
        assertEquals(3, client.onMemberAdded());
        call("x");
        for (int member = 0; member < 3; member++) {
            client.onDisconnected(member, now, WALL);
        }
        assertEquals(List.of(0, 1, 2, 3), connects);
        connected(3);
        assertEquals(List.of(3), sentTo);
    }

    @Test
    void aRemovedMemberServesUntilItsConnectionEndsAndAnotherThenTakesItsNumber() {
        call("x");
        connected(0);
        client.onMemberRemoved(0, now, WALL);
        client.onMemberRemoved(1, now, WALL);
        call("y");
        assertEquals(List.of(0, 0), sentTo);
        assertEquals(1, client.onMemberAdded(), "to which there is no connection");
        assertEquals(3, client.onMemberAdded());
        client.onDisconnected(0, now, WALL);
        assertEquals(0, client.onMemberAdded());
        tick(5);
        assertEquals(List.of(0, 1), connects);
        client.onMemberRemoved(1, now, WALL);
        tick(5);
        assertEquals(List.of(0, 1, 2), connects, "nothing is heard of a member that was removed meanwhile");
    }

    @Test
    void aRemovedMemberIsNotConnectedToWhileOthersAreUnknown() {
        client.onMemberRemoved(0, now, WALL);
        client.onMemberRemoved(1, now, WALL);
        call("x");
        assertEquals(List.of(2), connects);
    }

    /** The client's list may name them by other ids and addresses than their own list does. */
    @Test
    void membersThatSeemRemovedAreTriedOnceAllOthersHaveFailed() {
        client.onMemberRemoved(0, now, WALL);
        client.onMemberRemoved(1, now, WALL);
        call("x");
        for (int round = 0; round < 3; round++) {
            client.onDisconnected(2, now, WALL);
            tick(200);
        }
        for (int turn = 0; turn < 2; turn++) {
            client.onDisconnected(connects.get(connects.size() - 1), now, WALL);
            tick(200);
        }
        assertTrue(connects.contains(0) && connects.contains(1), connects::toString);
    }

    @Test
    void aQuestionConnectsAlthoughNobodyCallsAndLeavesAMemberThatSaysNothing() {
        assertFalse(client.wantsMember(now));
        assertFalse(client.wantsMember(now), "it is being connected to");
        assertEquals(List.of(0), connects);
        connected(0);
        assertTrue(client.wantsMember(now));
        client.onSilence(0);
        assertFalse(client.wantsMember(now));
        assertEquals(List.of(0, 1), connects);
        assertEquals(List.of(), sent);
    }

    @Test
    void aBrokenConnectionSendsTheSameNumberToTheNextMember() {
        call("x");
        connected(0);
        client.onDisconnected(0, now, WALL);
        tick(5);
        connected(1);
        tick(5);
        assertEquals(List.of(0, 1), sentTo);
        assertEquals(sent.get(0).id(), sent.get(1).id());
        assertEquals(sent.get(0).timestampMillis(), sent.get(1).timestampMillis());
        assertNotEquals(sent.get(0).copy(), sent.get(1).copy());
    }

    @Test
    void aSilentMemberKeepsItsCopyAndAnotherMemberGetsOneToo() {
        call("x");
        connected(0);
        tick(AttemptedCall.ATTEMPT_MILLIS);
        connected(1);
        assertEquals(List.of(0, 1), sentTo);
        // The silent one answers after all: that is the reply, and the other's is nothing new.
        reply(0, 0);
        reply(1, 1);
        assertEquals(List.of("x ok"), done);
    }

    /** Its bytes may have left before the connection broke: only a member's answer could account for it. */
    @Test
    void aCopyThatWasLostWithItsConnectionIsUnaccountedForEver() {
        call("x");
        connected(0);
        client.onDisconnected(0, now, WALL);
        connected(1);
        tick(5);
        refuse(1, 1, Refusal.OVERLOADED);
        assertEquals(sent.get(0).id(), sent.get(1).id());
        now = 9_999;
        client.onTick(now, WALL);
        refuse(1, sent.size() - 1, Refusal.OVERLOADED);
        tick(1);
        assertEquals(List.of("x unknown"), done);
        for (Attempt copy : sent) {
            assertEquals(1, copy.id().number(), "a new number could run beside the old one");
        }
    }

    /** STALE: another copy is answered or none is; more of them would only be refused again. */
    @Test
    void afterStaleNoFurtherCopyLeavesHoweverLongTheOthersAreSilent() {
        call("x");
        connected(0);
        tick(AttemptedCall.ATTEMPT_MILLIS);
        connected(1);
        assertEquals(2, sent.size());
        refuse(1, 1, Refusal.STALE);
        connected(2);
        for (int i = 0; i < 6; i++) {
            tick(1_000);
        }
        assertEquals(2, sent.size());
        reply(0, 0);
        assertEquals(List.of("x ok"), done);
    }

    @Test
    void whereCopiesMayRepeatTheLastCopyWaitsForExpiredBeyondTheDeadline() {
        GroupClient<String> repeating =
                new GroupClient<>(new ClientSession(new ClientId(1, 2), Delivery.MAY_REPEAT), 3, 0, new Effects());
        repeating.onCall("x", BODY, false, 100, now, WALL);
        repeating.onConnected(0, UPPER, now, WALL);
        repeating.onConnected(1, UPPER, now, WALL);
        repeating.onConnected(2, UPPER, now, WALL);
        long copies = 0;
        while (now < 100) {
            while (copies < sent.size()) {
                repeating.onAnswer(
                        sentTo.get(sent.size() - 1),
                        sent.get((int) copies++).copy(),
                        Answer.refused(Refusal.OVERLOADED, UPPER + 10, UPPER),
                        now,
                        WALL);
            }
            now = repeating.nextDeadline();
            repeating.onTick(now, WALL);
        }
        assertEquals(List.of(), done);
        while (copies == sent.size()) {
            now = repeating.nextDeadline();
            repeating.onTick(now, WALL);
        }
        assertEquals(101, now);
        repeating.onAnswer(
                sentTo.get(sent.size() - 1),
                sent.get(sent.size() - 1).copy(),
                Answer.refused(Refusal.EXPIRED, UPPER + 200, UPPER),
                now + 2,
                WALL);
        assertEquals(List.of("x not executed Optional[EXPIRED]"), done);
    }

    @Test
    void aRefusedCopyWhileAnotherIsOutProvesNothing() {
        call("x");
        connected(0);
        tick(AttemptedCall.ATTEMPT_MILLIS);
        connected(1);
        refuse(1, 1, Refusal.STALE);
        assertEquals(List.of(), done);
        now = 10_000;
        client.onTick(now, WALL);
        assertEquals(List.of(), done, "a refusal may still come");
        tick(AttemptedCall.GRACE_MILLIS);
        assertEquals(List.of("x unknown"), done);
    }

    @Test
    void aCallThatNobodyTookIsNotExecutedAtItsDeadline() {
        call("x");
        client.onDisconnected(0, now, WALL);
        now = 10_000;
        client.onTick(now, WALL);
        assertEquals(List.of("x not executed Optional.empty"), done);
    }

    @Test
    void aMemberWithoutRoomIsLeft() {
        call("x");
        connected(0);
        refuse(0, 0, Refusal.OVERLOADED);
        assertEquals(1, client.serving());
        connected(1);
        tick(5);
        assertEquals(List.of(0, 1), sentTo);
        assertEquals(2, sent.get(1).id().number(), "every copy was accounted for, so a new number");
    }

    @Test
    void theLeaderServesOnceItsConnectionIsThere() {
        call("x");
        connected(0);
        client.onLeader(2, now, WALL);
        call("y");
        assertEquals(List.of(0, 0), sentTo);
        connected(2);
        call("z");
        assertEquals(List.of(0, 0, 2), sentTo);
    }

    @Test
    void aDrainingMemberGetsNothingNewAndStillAnswers() {
        call("x");
        connected(0);
        client.onDraining(0, now, WALL);
        client.onLeader(0, now, WALL);
        call("y");
        connected(1);
        assertEquals(List.of(0, 1), sentTo);
        reply(0, 0);
        assertEquals(List.of("x ok"), done);
    }

    @Test
    void acknowledgementsRideOnTheNextCallOrLeaveAfterASecond() {
        call("x");
        connected(0);
        reply(0, 0);
        call("y");
        assertEquals(1, sent.get(1).finished().floor());
        reply(0, 1);
        tick(1_000);
        assertEquals(
                List.of(2L), acknowledged.stream().map(FinishedNumbers::floor).toList());
        client.onDisconnected(0, now, WALL);
        tick(1_000);
        connected(1);
        tick(10_000);
        assertEquals(
                List.of(2L, 2L),
                acknowledged.stream().map(FinishedNumbers::floor).toList(),
                "nobody said they arrived");
    }

    @Test
    void aOnewayIsSentAgainUntilItIsAnsweredAndThenAcknowledged() {
        client.onCall("x", BODY, true, 10_000, now, WALL);
        connected(0);
        client.onDisconnected(0, now, WALL);
        tick(5);
        connected(1);
        tick(5);
        assertEquals(2, sent.size());
        assertTrue(sent.get(1).oneway());
        reply(1, 1);
        call("y");
        assertEquals(1, sent.get(2).finished().floor());
    }

    @Test
    void aStaleNumberIsReplacedAtOnceTheFirstTimeAndThenWithPauses() {
        call("x");
        connected(0);
        refuse(0, 0, Refusal.STALE);
        assertEquals(2, sent.size());
        refuse(0, 1, Refusal.STALE);
        assertEquals(2, sent.size());
        tick(1);
        assertEquals(3, sent.size());
    }

    @Test
    void theEndOfTheClientSaysWhatIsTrueOfEveryCall() {
        call("x");
        connected(0);
        client.onDraining(0, now, WALL);
        call("y");
        client.onClose(now, WALL);
        assertEquals(List.of("x unknown", "y not executed Optional.empty"), done);
    }

    @Test
    void whileNobodyLeadsTheMembersThatAreTriedAreNoMoves() {
        call("x");
        connected(0);
        reply(0, 0);
        call("y");
        client.onDisconnected(0, now, WALL);
        connected(1);
        connected(2);
        for (int round = 0; round < 10; round++) {
            tick(300);
            int last = sent.size() - 1;
            refuse(sentTo.get(last), last, Refusal.OVERLOADED);
            client.onDisconnected(0, now, WALL);
        }
        assertEquals(0, client.moves());
        tick(300);
        int answering = sent.size() - 1;
        assertNotEquals(0, sentTo.get(answering));
        reply(sentTo.get(answering), answering);
        assertEquals(List.of("x ok", "y ok"), done);
        assertEquals(1, client.moves());
    }

    // ------------------------------------------------- times

    /** A shell asks for nothing but the next deadline. */
    @Test
    void theDeadlinesAloneEndACallInItsTimeAndNeverLieInThePast() {
        call("x");
        assertEquals(10_000, client.nextDeadline());
        sleepUntilDone();
        assertEquals(10_000, now, "no copy is out: nothing can come");
        assertEquals(List.of("x not executed Optional.empty"), done);
    }

    @Test
    void aCallWhoseCopyIsOutHasTheGraceAsWell() {
        call("x");
        connected(0);
        sleepUntilDone();
        assertEquals(10_000 + AttemptedCall.GRACE_MILLIS, now);
        assertEquals(List.of("x unknown"), done);
    }

    @Test
    void aCallThatWaitsForItsNextCopyIsSentAtItsTimeAndNotBefore() {
        call("x");
        connected(0);
        refuse(0, 0, Refusal.OVERLOADED);
        connected(1);
        assertEquals(1, sent.size());
        long at = client.nextDeadline();
        assertTrue(at > now && at <= now + 5, at + " ms");
        now = at - 1;
        client.onTick(now, WALL);
        assertEquals(1, sent.size());
        now = at;
        client.onTick(now, WALL);
        assertEquals(2, sent.size());
    }

    @Test
    void aCallThatWaitedForItsConnectionCarriesWhatIsLeftOfItsTime() {
        call("x");
        now = 4_000;
        connected(0);
        Attempt copy = sent.get(0);
        assertEquals(6_000, copy.deadlineMillis() - copy.timestampMillis());
        assertEquals(1, copy.copy());
    }

    @Test
    void aCallMayHaveAMillisecondAndNotLess() {
        client.onCall("x", BODY, false, 1, now, WALL);
        assertEquals(1, client.openCalls());
        assertThrows(IllegalArgumentException.class, () -> client.onCall("y", BODY, false, 0, now, WALL));
        assertEquals(1, client.openCalls());
    }

    /** All members are silent: there is nobody else to ask, and asking them again and again would be a storm. */
    @Test
    void whenAllMembersAreSilentEachHasOneCopyAndTheClientLooksAgainLater() {
        call("x");
        connected(0);
        connected(1);
        connected(2);
        tick(AttemptedCall.ATTEMPT_MILLIS);
        tick(AttemptedCall.ATTEMPT_MILLIS);
        tick(AttemptedCall.ATTEMPT_MILLIS);
        assertEquals(List.of(0, 1, 2), sentTo);
        assertEquals(10_000, client.nextDeadline());
    }

    // ------------------------------------------------- the end of a call

    @Test
    void aCallIsOpenUntilItsCallerIsTold() {
        call("x");
        call("y");
        call("z");
        assertEquals(3, client.openCalls());
        connected(0);
        reply(0, 0);
        assertEquals(2, client.openCalls());
        refuse(0, 1, Refusal.ID_REUSED);
        assertEquals(1, client.openCalls());
        sleepUntilDone();
        assertEquals(0, client.openCalls());
        assertEquals(List.of("x ok", "y not executed Optional[ID_REUSED]", "z unknown"), done);
    }

    @Test
    void eachOutcomeFinishesItsNumber() {
        call("x");
        connected(0);
        call("y");
        reply(0, 0);
        refuse(0, 1, Refusal.ID_REUSED);
        call("z");
        assertEquals(2, sent.get(2).finished().floor());
        client.onClose(now, WALL);
        assertEquals(
                List.of(3L), acknowledged.stream().map(FinishedNumbers::floor).toList(), "an unknown one, too");
    }

    @Test
    void theEndOfTheClientAcknowledgesOnlyOverAConnectionAndOnlyWhatIsUnsent() {
        client.onClose(now, WALL);
        assertEquals(List.of(), acknowledged);
        connected(0);
        client.onClose(now, WALL);
        assertEquals(List.of(), acknowledged, "there is nothing to say");
        call("x");
        reply(0, 0);
        client.onDisconnected(0, now, WALL);
        client.onClose(now, WALL);
        assertEquals(List.of(), acknowledged, "there is no connection");
    }

    @Test
    void anAnswerToACallThatIsOverTellsTheGroupsTimeAndNothingElse() {
        call("x");
        connected(0);
        sleepUntilDone();
        assertEquals(List.of("x unknown"), done);
        int serving = client.serving();
        client.onAnswer(serving, sent.get(0).copy(), Answer.overloaded(Budget.ORDER, 2 * UPPER, 2 * UPPER), now, WALL);
        assertEquals(List.of("x unknown"), done);
        assertEquals(serving, client.serving(), "its member is not blamed for it");
        connected(serving);
        call("y");
        assertEquals(2 * UPPER + 1, sent.get(sent.size() - 1).timestampMillis());
    }

    /** Another copy is answered or none is: the id is in use for another request. */
    @Test
    void afterIdReusedNoFurtherCopyLeavesEither() {
        call("x");
        connected(0);
        tick(AttemptedCall.ATTEMPT_MILLIS);
        connected(1);
        refuse(1, 1, Refusal.ID_REUSED);
        connected(2);
        for (int i = 0; i < 6; i++) {
            tick(1_000);
        }
        assertEquals(2, sent.size());
    }

    @Test
    void whereNobodyWillTakeCallsOnlyThoseWithACopyOutWaitOn() {
        call("x");
        connected(0);
        client.onDisconnected(0, now, WALL);
        call("y");
        connected(1);
        client.onDraining(1, now, WALL);
        call("z");
        client.onNobodyTakesCalls(now, WALL);
        assertEquals(List.of("x unknown", "z not executed Optional.empty"), done);
        reply(1, 1);
        assertEquals(List.of("x unknown", "z not executed Optional.empty", "y ok"), done);
    }

    // ------------------------------------------------- oneways

    /** A copy of it may still be under way in the group: no member may forget its number before its deadline. */
    @Test
    void aOnewayWithoutAnAnswerIsFinishedWhenItsDeadlineIsPastForEveryMember() {
        client.onCall("x", BODY, true, 1_000, now, WALL);
        connected(0);
        client.onCall("y", BODY, true, 3_000, now, WALL);
        sleepUntilDone();
        assertEquals(List.of("x unknown", "y unknown"), done);
        assertEquals(3_500, now);
        connected(0);
        connected(1);
        connected(2);
        call("z");
        assertEquals(1, sent.get(sent.size() - 1).finished().floor(), "x: its second and two more are over");
        now = 4_999;
        client.onTick(now, WALL);
        call("z");
        assertEquals(1, sent.get(sent.size() - 1).finished().floor());
        assertEquals(5_000, client.nextDeadline());
        now = 5_000;
        client.onTick(now, WALL);
        call("z");
        assertEquals(2, sent.get(sent.size() - 1).finished().floor());
    }

    // ------------------------------------------------- acknowledgements alone

    @Test
    void acknowledgementsLeaveAWholeSecondAfterTheLastCarrier() {
        now = 5_000;
        call("x");
        client.onCall("y", BODY, false, 300, now, WALL);
        connected(0);
        reply(0, 0);
        tick(300);
        tick(AttemptedCall.GRACE_MILLIS);
        assertEquals(List.of("x ok", "y unknown"), done);
        assertEquals(List.of(), acknowledged, "the end of a call is no reason");
        assertEquals(6_000, client.nextDeadline());
        tick(199);
        assertEquals(List.of(), acknowledged);
        tick(1);
        assertEquals(1, acknowledged.size());
    }

    @Test
    void withoutAConnectionTheClientConnectsForItsAcknowledgementsLessAndLessOften() {
        call("x");
        connected(0);
        reply(0, 0);
        client.onDisconnected(0, now, WALL);
        connects.clear();
        List<Long> times = new ArrayList<>();
        while (now < 60_000) {
            now = client.nextDeadline();
            client.onTick(now, WALL);
            if (!connects.isEmpty()) {
                times.add(now);
                client.onDisconnected(connects.remove(0), now, WALL);
            }
        }
        assertEquals(List.of(1_000L, 3_000L, 7_000L, 15_000L, 25_000L, 35_000L, 45_000L, 55_000L, 65_000L), times);
    }

    // ------------------------------------------------- which member

    @Test
    void aLeaderWithoutAConnectionIsConnectedToOnce() {
        client.onLeader(2, now, WALL);
        assertEquals(List.of(2), connects);
        client.onLeader(2, now, WALL);
        assertEquals(List.of(2), connects, "it is being connected to");
        connected(2);
        client.onLeader(2, now, WALL);
        assertEquals(List.of(2), connects);
        assertEquals(2, client.serving());
    }

    @Test
    void aCallThatWaitsGoesToTheLeaderAtOnce() {
        connected(2);
        call("x");
        assertEquals(List.of(), sentTo);
        client.onLeader(2, now, WALL);
        assertEquals(List.of(2), sentTo);
    }

    @Test
    void aCallThatWaitsForAMemberThatDrainsGoesToAnotherAtOnce() {
        connected(1);
        call("x");
        assertEquals(List.of(), sentTo);
        client.onDraining(0, now, WALL);
        assertEquals(List.of(1), sentTo);
    }

    @Test
    void aLeaderThatIsSilentOrDrainsIsNotTakenForOne() {
        client.onSilence(1);
        client.onLeader(1, now, WALL);
        client.onDraining(2, now, WALL);
        client.onLeader(2, now, WALL);
        assertEquals(List.of(), connects);
        connected(1);
        connected(2);
        assertEquals(0, client.serving());
    }

    @Test
    void aLeaderWhoseConnectionBrokeIsOneOfManyUntilItIsNamedAgain() {
        client.onLeader(2, now, WALL);
        client.onDisconnected(1, now, WALL);
        connected(2);
        assertEquals(2, client.serving(), "another's connection takes nothing from the leader");
        client.onDisconnected(2, now, WALL);
        assertEquals(0, client.serving());
        connected(2);
        assertEquals(0, client.serving());
    }

    @Test
    void aMemberThatIsLostIsLeftForOneOfWhichNothingBadIsKnown() {
        client.onDraining(1, now, WALL);
        client.onDisconnected(0, now, WALL);
        assertEquals(2, client.serving());
    }

    @Test
    void whereAllOthersAreSilentALostMemberIsLeftForTheNextAllTheSame() {
        client.onSilence(1);
        client.onSilence(2);
        client.onDisconnected(0, now, WALL);
        assertEquals(1, client.serving());
        client.onDisconnected(1, now, WALL);
        assertEquals(0, client.serving(), "nothing bad is known of it any more but that it was not there");
    }

    @Test
    void aSilentMemberThatAnswersMayServeAgain() {
        call("x");
        connected(0);
        tick(AttemptedCall.ATTEMPT_MILLIS);
        assertEquals(1, client.serving());
        reply(0, 0);
        client.onDraining(1, now, WALL);
        client.onDraining(2, now, WALL);
        assertEquals(0, client.serving());
    }

    // ------------------------------------------------- identities that other processes may use, too

    private static final ClientCall.Identity SHARED =
            new ClientCall.Identity(RequestId.own(new ClientId(9, 9), 4), UPPER + 7, UPPER + 10_007);

    private void callShared(String caller) {
        client.onCallAs(SHARED, caller, BODY, false, 10_000, now, WALL);
    }

    @Test
    void aCallUnderAnothersIdentityCarriesItAndNoAcknowledgementOfThisClient() {
        call("own");
        connected(0);
        reply(0, 0);
        callShared("x");
        Attempt attempt = sent.get(1);
        assertEquals(
                SHARED, new ClientCall.Identity(attempt.id(), attempt.timestampMillis(), attempt.deadlineMillis()));
        assertTrue(attempt.finished().isEmpty());
        reply(0, 1);
        assertEquals(List.of("own ok", "x ok"), done);
        tick(2_000);
        assertEquals(1, acknowledged.get(0).floor(), "the other client acknowledges its own number");
    }

    @Test
    void onlyExpiredProvesThatACallUnderASharedIdentityDidNotRun() {
        callShared("x");
        connected(0);
        refuse(0, 0, Refusal.STALE);
        assertEquals(1, sent.size());
        assertEquals(List.of("x unknown"), done);
        callShared("y");
        refuse(0, 1, Refusal.EXPIRED);
        assertEquals(List.of("x unknown", "y not executed Optional[EXPIRED]"), done);
    }

    @Test
    void aRefusedCallUnderASharedIdentityIsSentAgainUnderItAndNeverUnderAnother() {
        callShared("x");
        connected(0);
        refuse(0, 0, Refusal.OVERLOADED);
        connected(1);
        tick(300);
        assertEquals(SHARED.id(), sent.get(1).id());
    }

    @Test
    void aCallUnderASharedIdentityThatNoMemberTookMayHaveRunAllTheSame() {
        callShared("x");
        client.onDisconnected(0, now, WALL);
        now = 10_000;
        client.onTick(now, WALL);
        assertEquals(List.of("x unknown"), done);
    }

    @Test
    void anAllottedNumberIsOpenUntilItIsFinished() {
        ClientCall allotted = client.allot(5_000, now, WALL);
        assertEquals(1, allotted.id().number());
        call("next");
        connected(0);
        assertEquals(2, sent.get(0).id().number());
        reply(0, 0);
        tick(2_000);
        assertEquals(0, acknowledged.get(0).floor());
        client.finished(allotted);
        tick(2_000);
        assertEquals(2, acknowledged.get(1).floor());
    }

    @Test
    void aCallThatTheShellCouldNotSendEndsAsUnknownAndIsNotSentAgain() {
        call("x");
        connected(0);
        assertTrue(client.onSendFailed("x", now, WALL));
        assertEquals(List.of("x unknown"), done);
        assertFalse(client.onSendFailed("x", now, WALL), "it is over");
        tick(4_000);
        assertEquals(1, sent.size());
        assertEquals(1, acknowledged.get(0).floor());
    }

    @Test
    void aNumberIsFinishedThoughTheCallerCouldNotBeTold() {
        call("x");
        connected(0);
        effectsFail = true;
        assertThrows(IllegalStateException.class, () -> reply(0, 0));
        effectsFail = false;
        call("y");
        assertEquals(1, sent.get(1).finished().floor());
    }

    @Test
    void aCallBehindAnErrorOfItsInputIsSentWhenTheClientLooksAgain() {
        call("x");
        call("y");
        effectsFail = true;
        assertThrows(IllegalStateException.class, () -> connected(0));
        effectsFail = false;
        assertEquals(List.of(), sent);
        client.lookAgain(now + 100);
        assertEquals(now + 100, client.nextDeadline());
        tick(100);
        assertEquals(List.of(0), sentTo);
    }

    /** As a shell does that has nothing else to do. */
    private void sleepUntilDone() {
        while (client.openCalls() > 0) {
            assertTrue(client.nextDeadline() > now, "due in the past: " + client.nextDeadline() + " at " + now);
            now = client.nextDeadline();
            client.onTick(now, WALL + now);
        }
    }

    private void call(String caller) {
        client.onCall(caller, BODY, false, 10_000, now, WALL);
    }

    private void connected(int member) {
        client.onConnected(member, UPPER, now, WALL);
    }

    private void reply(int member, int index) {
        client.onAnswer(member, sent.get(index).copy(), Answer.reply(BODY, UPPER + 10, UPPER), now, WALL);
    }

    private void refuse(int member, int index, Refusal refusal) {
        client.onAnswer(member, sent.get(index).copy(), Answer.refused(refusal, UPPER + 10, UPPER), now, WALL);
    }

    private void tick(long millis) {
        now += millis;
        client.onTick(now, WALL + now);
    }

    private final class Effects implements GroupClientEffects<String> {
        @Override
        public void connect(int member) {
            connects.add(member);
        }

        @Override
        public void send(int member, String caller, Attempt copy) {
            failIfPlanted();
            sentTo.add(member);
            sent.add(copy);
        }

        @Override
        public void acknowledge(int member, FinishedNumbers finished) {
            acknowledged.add(finished);
        }

        @Override
        public void replied(String caller, RequestId id, byte[] reply) {
            failIfPlanted();
            done.add(caller + " ok");
        }

        @Override
        public void notExecuted(String caller, RequestId id, Optional<Refusal> reason, Optional<Budget> budget) {
            failIfPlanted();
            done.add(caller + " not executed " + reason);
        }

        private void failIfPlanted() {
            if (effectsFail) {
                throw new IllegalStateException("planted");
            }
        }

        @Override
        public void unknown(String caller, RequestId id, Optional<Refusal> reason) {
            done.add(caller + " unknown");
        }
    }
}
