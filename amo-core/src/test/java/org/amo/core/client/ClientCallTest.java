package org.amo.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.core.client.Step.Kind;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** "Client rule, in full": what may be said of a call, given what became of each of its copies. */
final class ClientCallTest {
    private static final long TIMEOUT = 10_000;
    private static final long WALL = 1_000_000;

    /** The group's time in answers, and its bound. */
    private static final long ORDERED = 1_000_500;

    private static final long UPPER = 900_000;

    private final ClientSession session = new ClientSession(new ClientId(1, 2));
    private long now = 100;
    private ClientCall call = begin(false);

    // ------------------------------------------------- a copy

    @Test
    void aRefusedConnectIsNoCopy() {
        send();
        assertEquals(Kind.SEND_AGAIN, call.onNotSent(now).kind());
        now += TIMEOUT;
        assertEquals(notExecuted(Optional.empty()), call.onDeadline());
    }

    @Test
    void aSendThatMayHaveLeftIsACopyAlsoAfterAReset() {
        send();
        assertEquals(Kind.SEND_AGAIN, call.onCopyLost(now).kind());
        now += TIMEOUT;
        assertEquals(unknown(Optional.empty()), call.onDeadline());
    }

    // ------------------------------------------------- rule 1: reply

    @Test
    void rule1AReplyIsOkAndTheNumberIsFinishedOnceItWasHandedOver() {
        send();
        assertEquals(Kind.REPLY, reply().kind());
        assertEquals(0, session.finishedToSend().floor());
        call.onHandedOver();
        assertEquals(1, session.finishedToSend().floor());
    }

    @Test
    void rule1AReplyIsOkWhateverBecameOfOtherCopies() {
        send();
        send();
        send();
        call.onCopyLost(now);
        refused(Refusal.STALE);
        assertEquals(Kind.REPLY, reply().kind());
    }

    @Test
    void rule1WhatComesAfterTheReplyChangesNothing() {
        send();
        send();
        send();
        send();
        refused(Refusal.STALE);
        assertEquals(Kind.REPLY, reply().kind());
        assertEquals(Step.WAIT, refused(Refusal.EXPIRED));
        assertEquals(Step.WAIT, call.onCopyLost(now));
        assertEquals(Step.WAIT, call.onDeadline());
    }

    @Test
    void rule1ACopyThatIsLostAfterTheReplyIsNoReasonToSendAgain() {
        send();
        send();
        send();
        assertEquals(Kind.REPLY, reply().kind());
        assertEquals(Step.WAIT, call.onCopyLost(now));
        assertEquals(Step.WAIT, call.onNotSent(now));
    }

    // ------------------------------------------------- rule 2: EXPIRED

    @Test
    void rule2ExpiredIsNotExecutedAtOnceEvenWithOtherCopiesOutOrLost() {
        send();
        send();
        send();
        call.onCopyLost(now);
        assertEquals(notExecuted(Refusal.EXPIRED), refused(Refusal.EXPIRED));
    }

    @Test
    void rule2ExpiredBeforeTheCallersTimeIsUpTakesANewNumberInTheGroupsTime() {
        send();
        call.onCopyLost(now);
        send();
        assertEquals(Kind.SEND_AGAIN, refused(Refusal.EXPIRED).kind());
        assertEquals(2, call.id().number());
        assertEquals(ORDERED, call.timestampMillis());
        now += TIMEOUT;
        send();
        assertEquals(notExecuted(Refusal.EXPIRED), refused(Refusal.EXPIRED));
    }

    // ------------------------------------------------- rule 3: the refusals that account for one copy

    @Test
    void rule3ARefusalOfTheOnlyCopyIsNotExecutedWhenNoPatienceIsLeft() {
        for (Refusal refusal : List.of(Refusal.TOO_EARLY, Refusal.OVERLOADED, Refusal.STALE, Refusal.ID_REUSED)) {
            call = begin(false);
            now += TIMEOUT - 1;
            send();
            assertEquals(notExecuted(refusal), refused(refusal));
        }
    }

    @Test
    void rule3AllCopiesRefusedIsNotExecutedWhateverTheReasons() {
        send();
        send();
        now += TIMEOUT - 1;
        assertEquals(Step.WAIT, refused(Refusal.TOO_EARLY));
        assertEquals(notExecuted(Refusal.OVERLOADED), refused(Refusal.OVERLOADED));
    }

    @Test
    void rule3TooEarlyAndOverloadedSendTheSameRequestAgainWhileACopyIsUnaccounted() {
        for (Refusal refusal : List.of(Refusal.TOO_EARLY, Refusal.OVERLOADED)) {
            call = begin(false);
            send();
            call.onCopyLost(now);
            long number = call.id().number();
            long timestamp = call.timestampMillis();
            long deadline = call.deadlineMillis();
            send();
            now += 50;
            assertEquals(Kind.SEND_AGAIN, refused(refusal).kind());
            assertEquals(number, call.id().number());
            assertEquals(timestamp, call.timestampMillis());
            assertEquals(deadline, call.deadlineMillis());
        }
    }

    @Test
    void rule3ReSendingBacksOff() {
        send();
        call.onCopyLost(now);
        long last = 0;
        for (int i = 0; i < 12; i++) {
            send();
            Step step = refused(Refusal.OVERLOADED);
            assertEquals(Kind.SEND_AGAIN, step.kind());
            // Up to a half of each is drawn, so that clients that were refused together come back apart.
            assertTrue(step.delayMillis() > 0 && 2 * step.delayMillis() >= last / 2);
            last = step.delayMillis();
        }
        assertTrue(last >= 100 && last <= 200, last + " ms");
    }

    /** A client over its share asks less and less often: its refusals must not fill the doors of the group. */
    @Test
    void reSendsOfACallWhoseShareIsUsedUpGrowToASecondOrTwoAndDiffer() {
        call = session.begin(false, 600_000, now, WALL);
        Set<Long> delays = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            send();
            Step step = answer(Answer.overloaded(Budget.CLIENT_BYTES, ORDERED, UPPER));
            assertEquals(Kind.SEND_AGAIN, step.kind());
            if (i >= 9) {
                assertTrue(step.delayMillis() >= 1_000 && step.delayMillis() <= 2_000, step.toString());
                delays.add(step.delayMillis());
            }
        }
        assertTrue(delays.size() > 20, delays::toString);
    }

    /** The first pause is 5 ms: a copy that could leave only at the end of the caller's time, or later, is not tried. */
    @Test
    void rule3NothingIsTriedThatCouldLeaveOnlyAtTheEndOfTheCallersTime() {
        for (Refusal refusal : List.of(Refusal.TOO_EARLY, Refusal.OVERLOADED, Refusal.STALE, Refusal.EXPIRED)) {
            call = begin(false);
            long end = call.endMillis();
            now = end - 6;
            send();
            assertEquals(Kind.SEND_AGAIN, refused(refusal).kind(), refusal::name);
            call = begin(false);
            now = call.endMillis() - 5;
            send();
            assertEquals(notExecuted(refusal), refused(refusal));
        }
        call = begin(false);
        now = call.endMillis() - 6;
        send();
        assertEquals(Kind.SEND_AGAIN, call.onCopyLost(now).kind());
        call = begin(false);
        now = call.endMillis() - 5;
        send();
        assertEquals(unknown(Optional.empty()), call.onCopyLost(now));
    }

    @Test
    void rule3StaleSendsNoMoreAndWaitsForTheOthers() {
        send();
        send();
        send();
        assertEquals(Step.WAIT, refused(Refusal.STALE));
        assertEquals(Step.WAIT, call.onCopyLost(now), "a lost copy is not sent again either");
        assertEquals(Kind.REPLY, reply().kind());
    }

    @Test
    void rule3StaleWithNothingMoreToWaitForIsUnknownWhenACopyIsUnaccounted() {
        send();
        call.onCopyLost(now);
        send();
        assertEquals(unknown(Refusal.STALE), refused(Refusal.STALE));
    }

    @Test
    void rule3AfterStaleAnAttemptThatCouldNotBeSentIsNoReasonToSendAgain() {
        send();
        send();
        assertEquals(Step.WAIT, refused(Refusal.STALE));
        assertEquals(notExecuted(Refusal.STALE), call.onNotSent(now), "every copy is accounted for");
    }

    @Test
    void rule3IdReusedIsNotRepeatedUnderANewNumber() {
        send();
        assertEquals(notExecuted(Refusal.ID_REUSED), refused(Refusal.ID_REUSED));
        assertEquals(1, session.numbersUsed());
    }

    @Test
    void anUnknownAnswerLeavesItsCopyUnaccounted() {
        send();
        assertEquals(Kind.SEND_AGAIN, answer(Answer.unknown(ORDERED, UPPER)).kind());
        send();
        assertEquals(Kind.SEND_AGAIN, refused(Refusal.OVERLOADED).kind());
        assertEquals(1, call.id().number());
        now += TIMEOUT;
        assertEquals(unknown(Refusal.OVERLOADED), call.onDeadline());
    }

    // ------------------------------------------------- rule 4: the deadline

    @Test
    void rule4AtTheDeadlineWithACopyOutOrLostItIsUnknownForEver() {
        send();
        send();
        call.onCopyLost(now);
        now += TIMEOUT;
        assertEquals(unknown(Optional.empty()), call.onDeadline());
        assertEquals(Step.WAIT, refused(Refusal.EXPIRED), "for ever: nothing is said twice");
        assertEquals(Step.WAIT, call.onDeadline());
    }

    @Test
    void rule4AfterTheOutcomeALateLossSaysNothingMore() {
        send();
        send();
        send();
        refused(Refusal.STALE);
        now += TIMEOUT;
        assertEquals(unknown(Refusal.STALE), call.onDeadline());
        assertEquals(Step.WAIT, call.onCopyLost(now));
        assertEquals(Step.WAIT, call.onNotSent(now));
    }

    @Test
    void rule4AnUnknownCallAbandonsItsNumberAndTakesNoNewOne() {
        send();
        now += TIMEOUT;
        call.onDeadline();
        call.onHandedOver();
        assertEquals(1, session.finishedToSend().floor());
        assertEquals(1, session.numbersUsed());
    }

    @Test
    void rule4JustBeforeTheDeadlineACopyThatIsOutIsStillWaitedFor() {
        send();
        send();
        now += TIMEOUT - 1;
        assertEquals(Step.WAIT, call.onCopyLost(now));
        assertEquals(Kind.REPLY, reply().kind());
    }

    // ------------------------------------------------- rule 5: NOT_EXECUTED permits a new number, and only that

    @Test
    void rule5WhenAllCopiesAreAccountedTheCallGoesOnUnderANewNumberAndAbandonsTheOld() {
        for (Refusal refusal : List.of(Refusal.TOO_EARLY, Refusal.OVERLOADED, Refusal.STALE)) {
            call = begin(false);
            long number = call.id().number();
            send();
            Step step = refused(refusal);
            assertEquals(Kind.SEND_AGAIN, step.kind());
            assertEquals(number + 1, call.id().number());
            assertTrue(session.finishedToSend().contains(number));
            call.onDeadline();
            call.onHandedOver();
        }
        assertEquals(1 + 6, session.numbersUsed(), "the call of the set-up has the first");
        assertEquals(FinishedNumbers.of(0, 2, 7), session.finishedToSend());
    }

    @Test
    void rule5TheNewNumberKeepsTheCallersDeadline() {
        send();
        now += 4_000;
        refused(Refusal.OVERLOADED);
        assertEquals(call.timestampMillis() + TIMEOUT - 4_000, call.deadlineMillis());
    }

    @Test
    void rule5NoNewNumberWhileACopyIsOutOrLost() {
        send();
        send();
        refused(Refusal.OVERLOADED);
        assertEquals(1, call.id().number());
        call.onCopyLost(now);
        send();
        refused(Refusal.TOO_EARLY);
        assertEquals(1, call.id().number());
    }

    @Test
    void rule5ANotExecutedNumberIsAbandonedWhenTheOutcomeIsHandedOver() {
        send();
        now += TIMEOUT - 1;
        refused(Refusal.EXPIRED);
        call.onHandedOver();
        call.onHandedOver();
        assertEquals(1, session.finishedToSend().floor());
    }

    @Test
    void rule5ANumberThatWasNeverSentIsAbandonedToo() {
        call.onDeadline();
        call.onHandedOver();
        assertEquals(1, session.finishedToSend().floor());
    }

    // ------------------------------------------------- rule 6: STALE on a first attempt

    @Test
    void rule6StaleOnAFirstAttemptTakesANewNumberWithATimestampAboveUpperAtOnce() {
        send();
        long upper = WALL + 500_000;
        Step step = answer(Answer.refused(Refusal.STALE, upper - 1_000, upper));
        assertEquals(Step.sendAgain(0), step);
        assertEquals(2, call.id().number());
        assertEquals(upper + 1, call.timestampMillis());
        send();
        assertEquals(Kind.SEND_AGAIN, call.onCopyLost(now).kind(), "the new number is a call like any other");
    }

    @Test
    void rule6StaleWithASecondCopyUnaccountedIsUnknown() {
        send();
        call.onCopyLost(now);
        send();
        assertEquals(unknown(Refusal.STALE), refused(Refusal.STALE));
        assertEquals(1, session.numbersUsed());
    }

    // ------------------------------------------------- oneways

    @Test
    void aOnewaysNumberIsFinishedOnlyPastItsDeadline() {
        ClientCall oneway = begin(true);
        oneway.onCopySent();
        oneway.onHandedOver();
        assertEquals(0, session.finishedToSend().rangeCount());
        oneway.onOnewayPastDeadline();
        assertTrue(session.finishedToSend().contains(oneway.id().number()));
    }

    @Test
    void aTwoWayCallIsNotFinishedByTheOnewaysRule() {
        send();
        call.onOnewayPastDeadline();
        assertEquals(0, session.finishedToSend().floor());
    }

    // ------------------------------------------------- ways that may repeat a copy

    /** The copy that was refused may arrive again, and run then: simulator, default faults, seed 144 of "repeats-untold". */
    @Test
    void whereCopiesMayRepeatARefusalAccountsForNothing() {
        for (Refusal refusal : List.of(Refusal.OVERLOADED, Refusal.TOO_EARLY)) {
            beginWhereCopiesMayRepeat();
            long number = call.id().number();
            send();
            assertEquals(Kind.SEND_AGAIN, refused(refusal).kind());
            assertEquals(number, call.id().number(), "no new number while the old one may still run");
            now += TIMEOUT;
            assertEquals(unknown(refusal), call.onDeadline());
        }
    }

    @Test
    void whereCopiesMayRepeatStaleAndIdReusedSendNoMoreAndAreUnknown() {
        for (Refusal refusal : List.of(Refusal.STALE, Refusal.ID_REUSED)) {
            beginWhereCopiesMayRepeat();
            send();
            assertEquals(unknown(refusal), refused(refusal));
        }
    }

    @Test
    void whereCopiesMayRepeatOneMoreCopyAfterTheDeadlineMayHearExpired() {
        beginWhereCopiesMayRepeat();
        send();
        now = call.endMillis() - 1;
        assertEquals(Step.sendAgain(2), refused(Refusal.OVERLOADED));
        now += 2;
        send();
        assertEquals(notExecuted(Refusal.EXPIRED), refused(Refusal.EXPIRED));
    }

    @Test
    void whereCopiesMayRepeatOnlyOneCopyFollowsTheDeadline() {
        beginWhereCopiesMayRepeat();
        send();
        now = call.endMillis() - 1;
        assertEquals(Kind.SEND_AGAIN, call.onCopyLost(now).kind());
        now += 2;
        send();
        assertEquals(unknown(Refusal.OVERLOADED), refused(Refusal.OVERLOADED));
    }

    @Test
    void whereCopiesMayRepeatACopyThatAServerTurnedAwayMayComeBack() {
        beginWhereCopiesMayRepeat();
        send();
        assertEquals(Kind.SEND_AGAIN, call.onTurnedAway(now).kind());
        assertTrue(call.mayHaveRun());
        now += TIMEOUT;
        assertEquals(unknown(Optional.empty()), call.onDeadline());
    }

    @Test
    void whereCopiesMayRepeatACallThatNeverLeftIsNotExecutedAllTheSame() {
        beginWhereCopiesMayRepeat();
        send();
        now = call.endMillis() - 1;
        assertEquals(notExecuted(Optional.empty()), call.onNotSent(now));
    }

    @Test
    void whereNoCopyRepeatsOneThatAServerTurnedAwayIsAccounted() {
        send();
        assertEquals(Kind.SEND_AGAIN, call.onTurnedAway(now).kind());
        assertFalse(call.mayHaveRun());
        now += TIMEOUT;
        assertEquals(notExecuted(Optional.empty()), call.onDeadline());
    }

    private void beginWhereCopiesMayRepeat() {
        ClientSession repeating = new ClientSession(new ClientId(3, 4), Delivery.MAY_REPEAT);
        call = repeating.begin(false, TIMEOUT, now, WALL + now);
    }

    // ------------------------------------------------- helpers

    private ClientCall begin(boolean oneway) {
        return session.begin(oneway, TIMEOUT, now, WALL + now);
    }

    private void send() {
        call.onCopySent();
    }

    private Step answer(Answer answer) {
        return call.onAnswer(answer, now, WALL + now);
    }

    private Step reply() {
        return answer(Answer.reply(new byte[] {1}, ORDERED, UPPER));
    }

    private Step refused(Refusal refusal) {
        return answer(Answer.refused(refusal, ORDERED, UPPER));
    }

    private static Step notExecuted(Refusal refusal) {
        return Step.notExecuted(Optional.of(refusal), Optional.empty());
    }

    private static Step notExecuted(Optional<Refusal> refusal) {
        return Step.notExecuted(refusal, Optional.empty());
    }

    private static Step unknown(Refusal refusal) {
        return Step.unknown(Optional.of(refusal), Optional.empty());
    }

    private static Step unknown(Optional<Refusal> refusal) {
        return Step.unknown(refusal, Optional.empty());
    }
}
