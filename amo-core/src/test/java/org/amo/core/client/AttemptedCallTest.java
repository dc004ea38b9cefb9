package org.amo.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
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
    private AttemptedCall<String> call = begin(500);

    // ------------------------------------------------- the end of an attempt

    @Test
    void aReplyIsHandedOverAndItsNumberIsFinished() {
        send("1");
        assertEquals(new Next(Step.REPLY, false), call.onPlainReply(now, WALL));
        assertTrue(call.finish());
        assertFalse(call.finish(), "once");
        assertEquals(1, session.finishedToSend().floor());
        assertTrue(call.isOver());
    }

    @Test
    void onlyOverloadedAndUnknownBlameTheMember() {
        for (Refusal refusal : Refusal.values()) {
            AttemptedCall<String> each = begin(500);
            each.send("1", 300, now);
            Next next = each.onAnswer(Answer.refused(refusal, WALL, 0), now, WALL);
            assertEquals(refusal == Refusal.OVERLOADED, next.leaveMember(), refusal::name);
            assertEquals(Optional.of(refusal), each.lastRefusal());
        }
        send("1");
        assertTrue(call.onAnswer(Answer.unknown(WALL, 0), now, WALL).leaveMember());
    }

    @Test
    void aBrokenAttemptThatLeftMayHaveRunAndOneThatDidNotCannot() {
        send("1");
        assertEquals(Kind.SEND_AGAIN, call.onBroken(false, now).step().kind());
        send("2");
        Next lost = call.onBroken(true, now);
        assertEquals(Kind.SEND_AGAIN, lost.step().kind());
        assertTrue(lost.leaveMember());
        now += TIMEOUT;
        send("3");
        assertEquals(Kind.UNKNOWN, call.onBroken(false, now).step().kind());
    }

    @Test
    void aServerThatStartsIsLeftForAnotherAndNothingHasRun() {
        send("1");
        Next next = call.onServerException(ServerException.NOT_ADMITTED, MEMBERS, now, WALL);
        assertEquals(Kind.SEND_AGAIN, next.step().kind());
        assertTrue(next.leaveMember());
        now += TIMEOUT;
        send("2");
        assertEquals(
                Kind.NOT_EXECUTED,
                call.onServerException(ServerException.NOT_ADMITTED, MEMBERS, now, WALL)
                        .step()
                        .kind());
    }

    @Test
    void anObjectIsMissingWhenEachMemberSaidSoTwice() {
        for (int i = 1; i < 2 * MEMBERS; i++) {
            send("try " + i);
            assertEquals(
                    Kind.SEND_AGAIN,
                    call.onServerException(ServerException.MISSING, MEMBERS, now, WALL)
                            .step()
                            .kind());
        }
        send("last");
        assertEquals(
                Kind.REPLY,
                call.onServerException(ServerException.MISSING, MEMBERS, now, WALL)
                        .step()
                        .kind());
    }

    @Test
    void aServersExceptionIsTheOutcomeUnlessAnEarlierAttemptMayHaveRun() {
        send("1");
        assertEquals(new Next(Step.REPLY, false), call.onServerException(ServerException.OTHER, MEMBERS, now, WALL));
        call = begin(500);
        send("1");
        call.onBroken(true, now);
        send("2");
        assertEquals(
                Kind.SEND_AGAIN,
                call.onServerException(ServerException.OTHER, MEMBERS, now, WALL)
                        .step()
                        .kind(),
                "it says nothing of the first attempt");
    }

    @Test
    void aForwardedAttemptGotNoFurther() {
        send("1");
        assertEquals(Kind.SEND_AGAIN, call.onForwarded(now).step().kind());
        now += TIMEOUT;
        send("2");
        assertEquals(Kind.NOT_EXECUTED, call.onForwarded(now).step().kind());
    }

    @Test
    void anOrbThatRefusesToSendEndsTheCall() {
        send("1");
        assertEquals(Kind.NOT_EXECUTED, call.onRefusedHere(now).step().kind());
        call = begin(500);
        send("1");
        call.onBroken(true, now);
        send("2");
        assertEquals(Kind.UNKNOWN, call.onRefusedHere(now).step().kind());
        call = begin(500);
        now += TIMEOUT;
        send("1");
        assertEquals(Kind.NOT_EXECUTED, call.onRefusedHere(now).step().kind(), "after its time, too");
    }

    @Test
    void anAttemptThatVanishedIsLostIfItLeft() {
        send("1");
        assertEquals(Kind.SEND_AGAIN, call.onVanished(true, now).step().kind());
        assertEquals(Kind.UNKNOWN, call.giveUp().kind());
        call = begin(500);
        send("1");
        assertEquals(Kind.SEND_AGAIN, call.onVanished(false, now).step().kind());
        assertEquals(Kind.NOT_EXECUTED, call.giveUp().kind());
    }

    /** Nothing is looked after that has ended: the shell would time out an attempt of another call on the same thread. */
    @Test
    void whateverEndsAnAttemptNoneIsUnderWayAfterIt() {
        List<Consumer<AttemptedCall<String>>> ends = List.of(
                each -> each.onAnswer(Answer.refused(Refusal.OVERLOADED, WALL, 0), now, WALL),
                each -> each.onPlainReply(now, WALL),
                each -> each.onServerException(ServerException.NOT_ADMITTED, MEMBERS, now, WALL),
                each -> each.onForwarded(now),
                each -> each.onBroken(true, now),
                each -> each.onRefusedHere(now),
                each -> each.onVanished(true, now),
                AttemptedCall::finish,
                AttemptedCall::onewaySent);
        for (Consumer<AttemptedCall<String>> end : ends) {
            AttemptedCall<String> each = begin(500);
            each.send("1", 300, now);
            assertEquals(Optional.of("1"), each.attempts().current());
            end.accept(each);
            assertEquals(Optional.empty(), each.attempts().current());
        }
    }

    @Test
    void aCallTellsItsNumberAndItsEndAndIsOverOnlyWhenItWasFinished() {
        assertEquals(call.id(), call.number().id());
        assertEquals(now + TIMEOUT, call.endMillis());
        assertFalse(call.isOver());
        call.finish();
        assertTrue(call.isOver());
    }

    // ------------------------------------------------- pauses and limits

    @Test
    void aNewNumberAfterStaleLeavesAtOnceAndTheNextOnesAfterPauses() {
        send("1");
        assertEquals(0, refused(Refusal.STALE).step().delayMillis());
        assertEquals(2, call.id().number());
        send("2");
        assertEquals(1, refused(Refusal.STALE).step().delayMillis());
        send("3");
        assertEquals(3, refused(Refusal.STALE).step().delayMillis());
    }

    @Test
    void aPauseEndsWithTheCallersTime() {
        send("1");
        now += TIMEOUT - 6;
        Next next = call.onBroken(true, now);
        assertEquals(5, next.step().delayMillis());
        send("2");
        for (Next each = refused(Refusal.STALE); each.step().kind() == Kind.SEND_AGAIN; each = refused(Refusal.STALE)) {
            assertTrue(each.step().delayMillis() <= 6, each::toString);
            send("again");
        }
    }

    @Test
    void aStrictCallerIsNotKeptBeyondItsTimeForALastAnswer() {
        session = new ClientSession(new ClientId(1, 2), Delivery.MAY_REPEAT);
        call = begin(0);
        send("1");
        now += TIMEOUT - 1;
        assertEquals(Kind.UNKNOWN, refused(Refusal.OVERLOADED).step().kind());
        call = begin(500);
        send("1");
        now += TIMEOUT - 1;
        assertEquals(Step.sendAgain(2), refused(Refusal.OVERLOADED).step(), "another one is");
        now += 2;
        send("2");
        assertEquals(Kind.NOT_EXECUTED, refused(Refusal.EXPIRED).step().kind());
    }

    @Test
    void anAttemptIsLookedAfterAtItsTimeAndThenLessAndLessOften() {
        send("1");
        assertEquals(Optional.empty(), call.attempts().overdue(now + 299));
        assertEquals(Optional.of("1"), call.attempts().overdue(now + 300));
        assertEquals(Optional.empty(), call.attempts().overdue(now + 319));
        assertEquals(Optional.of("1"), call.attempts().overdue(now + 320));
        assertEquals(Optional.empty(), call.attempts().overdue(now + 359));
        assertFalse(call.attempts().timesOut("another"));
        assertTrue(call.attempts().timesOut("1"));
        assertFalse(call.attempts().timesOut("1"), "once");
        assertTrue(call.attempts().timedOut());
        assertEquals(Optional.empty(), call.attempts().overdue(now + 10_000));
        call.onBroken(true, now);
        assertFalse(call.attempts().timedOut());
        assertEquals(Optional.empty(), call.attempts().current());
    }

    @Test
    void anAttemptAtTheEndOfTheCallHasTheGraceAndNoMore() {
        now += TIMEOUT - 10;
        send("1");
        assertEquals(Optional.empty(), call.attempts().overdue(now + 299));
        assertEquals(Optional.of("1"), call.attempts().overdue(now + 300));
        now += 300;
        call.onBroken(true, now);
        call = begin(100);
        now += TIMEOUT - 10;
        send("1");
        assertEquals(Optional.empty(), call.attempts().overdue(now + 109));
        assertEquals(Optional.of("1"), call.attempts().overdue(now + 110));
        call = begin(0);
        now += TIMEOUT - 10;
        send("1");
        assertEquals(Optional.of("1"), call.attempts().overdue(now + 10));
    }

    // ------------------------------------------------- oneways

    @Test
    void aOnewayIsOverWhenItIsSentAndItsNumberIsNot() {
        call = new AttemptedCall<>(session, true, TIMEOUT, 500, now, WALL);
        send("1");
        assertTrue(call.onewaySent());
        assertFalse(call.onewaySent());
        assertTrue(call.isOver());
        assertNotEquals(
                List.of(2L), List.of(session.finishedToSend().floor()), "finished only when its deadline has passed");
    }

    @Test
    void aOnewayThatWasAnsweredIsFinishedWhenItsCallerIsTold() {
        call = new AttemptedCall<>(session, true, TIMEOUT, 500, now, WALL);
        send("1");
        call.onPlainReply(now, WALL);
        assertTrue(call.finish());
        assertTrue(session.finishedToSend().contains(2));
    }

    private AttemptedCall<String> begin(long graceMillis) {
        return new AttemptedCall<>(session, false, TIMEOUT, graceMillis, now, WALL);
    }

    private void send(String attempt) {
        call.send(attempt, 300, now);
    }

    private Next refused(Refusal refusal) {
        return call.onAnswer(Answer.refused(refusal, WALL, 0), now, WALL);
    }
}
