package org.amo.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.client.AttemptedCall.Next;
import org.amo.core.client.AttemptedCall.ServerException;
import org.amo.core.client.Step.Kind;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.junit.jupiter.api.Test;

class AttemptedCallTest {
    private static final long WALL = 1_000_000;
    private static final long TIMEOUT = 1_000;
    private static final int MEMBERS = 3;

    private long now = 100;
    private ClientSession session = new ClientSession(new ClientId(1, 2));
    private AttemptedCall call = begin(500);

    // ------------------------------------------------- the end of an attempt

    @Test
    void aReplyIsHandedOverAndItsNumberIsFinished() {
        send();
        assertEquals(new Next(Step.REPLY, false), call.onPlainReply(now, WALL));
        assertTrue(call.finish(Kind.REPLY));
        assertFalse(call.finish(Kind.REPLY), "once");
        assertEquals(1, session.finishedToSend().floor());
        assertTrue(call.isOver());
    }

    @Test
    void onlyOverloadedAndUnknownBlameTheMember() {
        for (Refusal refusal : Refusal.values()) {
            AttemptedCall each = begin(500);
            each.send(now, WALL);
            Next next = each.onAnswer(Answer.refused(refusal, WALL, 0), now, WALL);
            assertEquals(refusal == Refusal.OVERLOADED, next.leaveMember(), refusal::name);
            assertEquals(Optional.of(refusal), each.lastRefusal());
        }
        send();
        assertTrue(call.onAnswer(Answer.unknown(WALL, 0), now, WALL).leaveMember());
    }

    @Test
    void aBrokenAttemptThatLeftMayHaveRunAndOneThatDidNotCannot() {
        send();
        assertEquals(Kind.SEND_AGAIN, call.onBroken(false, now).step().kind());
        send();
        Next lost = call.onBroken(true, now);
        assertEquals(Kind.SEND_AGAIN, lost.step().kind());
        assertTrue(lost.leaveMember());
        now += TIMEOUT;
        send();
        assertEquals(Kind.UNKNOWN, call.onBroken(false, now).step().kind());
    }

    @Test
    void aServerThatStartsIsLeftForAnotherAndNothingHasRun() {
        send();
        Next next = call.onServerException(ServerException.NOT_ADMITTED, MEMBERS, now, WALL);
        assertEquals(Kind.SEND_AGAIN, next.step().kind());
        assertTrue(next.leaveMember());
        now += TIMEOUT;
        send();
        assertEquals(
                Kind.NOT_EXECUTED,
                call.onServerException(ServerException.NOT_ADMITTED, MEMBERS, now, WALL)
                        .step()
                        .kind());
    }

    @Test
    void anObjectIsMissingWhenEachMemberSaidSoTwice() {
        for (int i = 1; i < 2 * MEMBERS; i++) {
            send();
            assertEquals(
                    Kind.SEND_AGAIN,
                    call.onServerException(ServerException.MISSING, MEMBERS, now, WALL)
                            .step()
                            .kind());
        }
        send();
        assertEquals(
                Kind.REPLY,
                call.onServerException(ServerException.MISSING, MEMBERS, now, WALL)
                        .step()
                        .kind());
    }

    @Test
    void aServersExceptionIsTheOutcomeUnlessAnEarlierAttemptMayHaveRun() {
        send();
        assertEquals(new Next(Step.REPLY, false), call.onServerException(ServerException.OTHER, MEMBERS, now, WALL));
        call = begin(500);
        send();
        call.onBroken(true, now);
        send();
        assertEquals(
                Kind.SEND_AGAIN,
                call.onServerException(ServerException.OTHER, MEMBERS, now, WALL)
                        .step()
                        .kind(),
                "it says nothing of the first attempt");
    }

    @Test
    void aForwardedAttemptGotNoFurther() {
        send();
        assertEquals(Kind.SEND_AGAIN, call.onForwarded(now).step().kind());
        now += TIMEOUT;
        send();
        assertEquals(Kind.NOT_EXECUTED, call.onForwarded(now).step().kind());
    }

    @Test
    void anOrbThatRefusesToSendEndsTheCall() {
        send();
        assertEquals(Kind.NOT_EXECUTED, call.onRefusedHere(now).step().kind());
        call = begin(500);
        send();
        call.onBroken(true, now);
        send();
        assertEquals(Kind.UNKNOWN, call.onRefusedHere(now).step().kind());
        call = begin(500);
        now += TIMEOUT;
        send();
        assertEquals(Kind.NOT_EXECUTED, call.onRefusedHere(now).step().kind(), "after its time, too");
    }

    @Test
    void anAttemptThatVanishedIsLostIfItLeft() {
        send();
        assertEquals(Kind.SEND_AGAIN, call.onVanished(true, now).step().kind());
        assertEquals(Kind.UNKNOWN, call.giveUp(now, WALL).kind());
        call = begin(500);
        send();
        assertEquals(Kind.SEND_AGAIN, call.onVanished(false, now).step().kind());
        assertEquals(Kind.NOT_EXECUTED, call.giveUp(now, WALL).kind());
    }

    @Test
    void aNumberIsTakenByTheFirstSendWithTheGroupsTimeAsItIsKnownByThen() {
        session.onGroupTime(WALL + 5_000, 0, now);
        now += 10;
        ClientCall first = call.send(now, WALL);
        assertEquals(1, first.id().number());
        assertEquals(WALL + 5_010, first.timestampMillis());
        assertEquals(first.id(), call.id());
        assertEquals(first.timestampMillis() + TIMEOUT - 10, first.deadlineMillis());
        AttemptedCall early = begin(500);
        early.takeNumber(now, WALL);
        now += 10;
        assertEquals(WALL + 5_010, early.send(now, WALL).timestampMillis());
    }

    @Test
    void aCallThatNeverSentHasANumberAndItIsFinishedWithTheCall() {
        assertThrows(IllegalStateException.class, call::id);
        assertEquals(Kind.NOT_EXECUTED, call.giveUp(now, WALL).kind());
        assertTrue(call.finish(Kind.NOT_EXECUTED));
        assertEquals(1, call.id().number());
        assertTrue(session.finishedToSend().contains(1));
    }

    @Test
    void aCallIsOverOnlyWhenItWasFinished() {
        assertEquals(now + TIMEOUT, call.endMillis());
        send();
        call.onPlainReply(now, WALL);
        assertFalse(call.isOver());
        call.finish(Kind.REPLY);
        assertTrue(call.isOver());
        assertThrows(IllegalArgumentException.class, () -> new AttemptedCall(session, false, 0, 0, now));
    }

    @Test
    void noOtherAttemptMayLeaveBesideOneAfterStale() {
        send();
        send();
        assertTrue(call.mayHedge());
        assertEquals(Step.WAIT, refused(Refusal.STALE).step());
        assertFalse(call.mayHedge());
    }

    // ------------------------------------------------- pauses and limits

    @Test
    void aNewNumberAfterStaleLeavesAtOnceAndTheNextOnesAfterPauses() {
        send();
        assertEquals(0, refused(Refusal.STALE).step().delayMillis());
        assertEquals(2, call.id().number());
        send();
        assertEquals(1, refused(Refusal.STALE).step().delayMillis());
        send();
        assertEquals(3, refused(Refusal.STALE).step().delayMillis());
    }

    @Test
    void aPauseEndsWithTheCallersTime() {
        send();
        now += TIMEOUT - 6;
        Next next = call.onBroken(true, now);
        assertEquals(5, next.step().delayMillis());
        send();
        for (Next each = refused(Refusal.STALE); each.step().kind() == Kind.SEND_AGAIN; each = refused(Refusal.STALE)) {
            assertTrue(each.step().delayMillis() <= 6, each::toString);
            send();
        }
    }

    @Test
    void aStrictCallerIsNotKeptBeyondItsTimeForALastAnswer() {
        session = new ClientSession(new ClientId(1, 2), Delivery.MAY_REPEAT);
        call = begin(0);
        send();
        now += TIMEOUT - 1;
        assertEquals(Kind.UNKNOWN, refused(Refusal.OVERLOADED).step().kind());
        call = begin(500);
        send();
        now += TIMEOUT - 1;
        assertEquals(Step.sendAgain(2), refused(Refusal.OVERLOADED).step(), "another one is");
        now += 2;
        send();
        assertEquals(Kind.NOT_EXECUTED, refused(Refusal.EXPIRED).step().kind());
    }

    @Test
    void anAnswerIsAwaitedForTheGraceAndNothingElseIs() {
        assertEquals(now + TIMEOUT + 500, call.limitMillis(true));
        assertEquals(now + TIMEOUT, call.limitMillis(false));
        assertEquals(now + TIMEOUT, begin(0).limitMillis(true));
    }

    @Test
    void anAttemptIsLookedAfterAtItsTimeAndThenLessAndLessOften() {
        AttemptWatch<String> watch = new AttemptWatch<>();
        watch.begin("1", 300);
        assertEquals(Optional.of("1"), watch.current());
        assertEquals(Optional.empty(), watch.overdue(299));
        assertEquals(Optional.of("1"), watch.overdue(300));
        assertEquals(Optional.empty(), watch.overdue(319));
        assertEquals(Optional.of("1"), watch.overdue(320));
        assertEquals(Optional.empty(), watch.overdue(359));
        assertFalse(watch.timesOut("another"));
        assertTrue(watch.timesOut("1"));
        assertFalse(watch.timesOut("1"), "once");
        assertTrue(watch.timedOut());
        assertEquals(Optional.empty(), watch.overdue(10_000));
        watch.end();
        assertFalse(watch.timedOut());
        assertEquals(Optional.empty(), watch.current());
    }

    // ------------------------------------------------- oneways

    @Test
    void aOnewayIsOverWhenItIsSentAndItsNumberIsNot() {
        call = new AttemptedCall(session, true, TIMEOUT, 500, now);
        send();
        assertTrue(call.finish(Kind.UNKNOWN));
        assertFalse(call.finish(Kind.UNKNOWN));
        assertTrue(call.isOver());
        assertEquals(now + TIMEOUT + 2_000, session.onewayAtMillis());
        session.finishOneways(session.onewayAtMillis() - 1);
        assertEquals(0, session.finishedToSend().floor(), "finished only when its deadline has passed everywhere");
        session.finishOneways(session.onewayAtMillis());
        assertEquals(1, session.finishedToSend().floor());
        assertEquals(Long.MAX_VALUE, session.onewayAtMillis());
    }

    @Test
    void aOnewayThatWasAnsweredIsFinishedWhenItsCallerIsTold() {
        call = new AttemptedCall(session, true, TIMEOUT, 500, now);
        send();
        call.onPlainReply(now, WALL);
        assertTrue(call.finish(Kind.REPLY));
        assertTrue(session.finishedToSend().contains(1));
    }

    private AttemptedCall begin(long graceMillis) {
        return new AttemptedCall(session, false, TIMEOUT, graceMillis, now);
    }

    private void send() {
        call.send(now, WALL);
    }

    private Next refused(Refusal refusal) {
        return call.onAnswer(Answer.refused(refusal, WALL, 0), now, WALL);
    }
}
