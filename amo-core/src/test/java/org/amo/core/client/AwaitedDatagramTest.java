package org.amo.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.junit.jupiter.api.Test;

/** An attempt that leaves as a datagram, for a caller that waits. */
class AwaitedDatagramTest {
    private static final long WALL = 1_000_000;
    private static final long UPPER = 500_000;
    private static final long TIMEOUT = 10_000;

    private final ClientSession session = new ClientSession(new ClientId(1, 2));
    private final AttemptedCall call = new AttemptedCall(session, false, TIMEOUT, AttemptedCall.GRACE_MILLIS, 0);
    private final AwaitedDatagram datagram = datagram(call);

    private AwaitedDatagram datagram(AttemptedCall of) {
        return new AwaitedDatagram(session, of, new byte[] {1}, AttemptedCall.ATTEMPT_MILLIS, 0, WALL);
    }

    @Test
    void theSameAttemptLeavesAgainAndIsGivenUpAfterThreeTimes() {
        Attempt attempt = datagram.attempt();
        assertEquals(1, attempt.id().number());
        assertEquals(WALL, attempt.timestampMillis(), "no group was heard of");
        assertEquals(DatagramChoice.FIRST_MILLIS, datagram.waitsUntilMillis());
        assertTrue(datagram.leavesAgain(DatagramChoice.FIRST_MILLIS));
        assertEquals(attempt, datagram.attempt());
        assertEquals(3 * DatagramChoice.FIRST_MILLIS, datagram.waitsUntilMillis());
        assertFalse(datagram.leavesAgain(3 * DatagramChoice.FIRST_MILLIS));
    }

    @Test
    void itWaitsNoLongerThanTheCaller() {
        AwaitedDatagram hasty = datagram(new AttemptedCall(session, false, 40, 0, 0));
        assertEquals(40, hasty.waitsUntilMillis());
        assertFalse(hasty.leavesAgain(40));
    }

    @Test
    void whatFollowsKeepsTheNumberAndLeavesAMemberThatSaysNothing() {
        AttemptedCall.Next next = datagram.onLost(true, 450);
        assertEquals(Step.Kind.SEND_AGAIN, next.step().kind());
        assertTrue(next.leaveMember());
        ClientCall moved = call.send(460, WALL);
        assertEquals(datagram.attempt().id(), moved.id());
        assertEquals(datagram.attempt().timestampMillis(), moved.timestampMillis());
        assertEquals(datagram.attempt().deadlineMillis(), moved.deadlineMillis());
    }

    @Test
    void aMemberThatAnswersOverAConnectionIsNotLeft() {
        assertFalse(datagram.onTurnedAway(true, 10).leaveMember());
        AwaitedDatagram other = datagram(new AttemptedCall(session, false, TIMEOUT, 0, 0));
        assertTrue(other.onTurnedAway(false, 10).leaveMember());
    }

    /** The network may deliver a copy of the datagram later. */
    @Test
    void aRefusalProvesNothingWhetherItAnswersTheDatagramOrTheConnectionThatFollows() {
        Answer full = Answer.refused(Refusal.OVERLOADED, WALL, UPPER);
        assertEquals(
                Step.Kind.SEND_AGAIN, datagram.onAnswer(full, 10, WALL).step().kind());
        assertEquals(datagram.attempt().id(), call.id(), "no new number");
        call.send(20, WALL);
        assertEquals(Step.Kind.SEND_AGAIN, call.onAnswer(full, 30, WALL).step().kind());
        assertEquals(datagram.attempt().id(), call.id());
        call.send(40, WALL);
        Step end = call.onAnswer(Answer.refused(Refusal.STALE, WALL, UPPER), 50, WALL)
                .step();
        assertEquals(Step.Kind.UNKNOWN, end.kind());
        assertEquals(Optional.of(Refusal.STALE), end.reason());
    }

    @Test
    void aDatagramThatCertainlyDidNotLeaveCountsAsNone() {
        AttemptedCall.Next next = datagram.onLost(false, 1);
        assertEquals(Step.Kind.SEND_AGAIN, next.step().kind());
        assertFalse(call.takeNumber(1, WALL).mayHaveRun());
    }

    @Test
    void aReplyEndsTheCall() {
        assertEquals(
                Step.Kind.REPLY,
                datagram.onAnswer(Answer.reply(new byte[] {2}, WALL, UPPER), 10, WALL)
                        .step()
                        .kind());
    }
}
