package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.core.client.Step;
import org.junit.jupiter.api.Test;

class LogicalCallTest {
    private final ReplicatedGroup group = ReplicatedGroupTest.group();

    /** Nothing is looked after that has ended: the watch would time out an attempt of another call on the same thread. */
    @Test
    void whateverEndsAnAttemptNoneIsUnderWayAfterIt() {
        List<Consumer<LogicalCall>> ends = List.of(
                call -> call.ended((core, now, wall) -> core.onForwarded(now)),
                LogicalCall::replied,
                call -> call.failed(call.giveUp()),
                LogicalCall::onewaySent);
        for (Consumer<LogicalCall> end : ends) {
            LogicalCall call = begin();
            LogicalCall.Attempt attempt = send(call);
            assertEquals(Optional.of(attempt), call.attempt());
            end.accept(call);
            assertEquals(Optional.empty(), call.attempt());
            assertEquals(Optional.empty(), call.overdue(Long.MAX_VALUE));
        }
    }

    @Test
    void anAttemptHasItsTimeAndAtTheCallsEndTheGraceAndNoMore() {
        LogicalCall call = begin();
        long before = Clock.nowMillis();
        LogicalCall.Attempt attempt = send(call);
        assertEquals(Optional.empty(), call.overdue(before + 299));
        assertEquals(Optional.of(attempt), call.overdue(Clock.nowMillis() + 300));
        LogicalCall slow = begin();
        slow.send(attempt, 60_000);
        assertEquals(Optional.empty(), slow.overdue(slow.endMillis() + 499));
        assertEquals(Optional.of(attempt), slow.overdue(slow.endMillis() + 500));
    }

    @Test
    void aCallThatNothingEndedIsGivenUpLongAfterItsTime() {
        LogicalCall call = begin();
        send(call);
        assertFalse(call.abandonIfDue(call.endMillis() + 4_999));
        assertTrue(call.abandonIfDue(call.endMillis() + 5_000));
        assertEquals(Step.Kind.WAIT, call.giveUp().kind(), "it has its outcome");
        assertEquals(1, group.session().finishedToSend().floor());
    }

    private LogicalCall begin() {
        return LogicalCall.begin(
                group,
                ReplicatedGroupTest.INFO,
                this,
                new CallLimits(1_000, 500, CallLimits.NONE, CallLimits.NONE),
                ReplicatedGroupTest.NO_HISTORY);
    }

    private static LogicalCall.Attempt send(LogicalCall call) {
        LogicalCall.Attempt attempt =
                new LogicalCall.Attempt(ReplicatedGroupTest.INFO, ReplicatedGroupTest.MEMBERS.get(0), () -> true);
        call.send(attempt, 300);
        return attempt;
    }
}
