package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

final class ExecutionProgressTest {
    private final ExecutionProgress progress = new ExecutionProgress(false);

    @Test
    void aRequestIsExecutedOnceItsTurnInItsEntryHasPassed() {
        progress.delivered(5, 0, 3);
        execute(5, 0);
        assertTrue(progress.isExecuted(new Place(4, 7)));
        assertTrue(progress.isExecuted(new Place(5, 0)));
        assertFalse(progress.isExecuted(new Place(5, 1)));
        assertFalse(progress.isExecuted(new Place(6, 0)));
        execute(5, 1);
        assertTrue(progress.isExecuted(new Place(5, 1)));
        execute(5, 2);
        assertTrue(progress.isExecuted(new Place(5, 2)));
        assertFalse(progress.isExecuted(new Place(6, 0)));
    }

    @Test
    void anEntryWithoutExecutionsIsExecutedOnceTheEntriesBeforeItAre() {
        progress.delivered(5, 0, 1);
        progress.delivered(6, 0, 0);
        assertEquals(0, progress.executedPosition());
        execute(5, 0);
        assertEquals(6, progress.executedPosition());
        assertTrue(progress.isIdle());
    }

    @Test
    void anExecutionOutOfOrderIsRefused() {
        assertThrows(IllegalStateException.class, () -> execute(5, 0));
        progress.delivered(5, 0, 1);
        progress.delivered(6, 0, 1);
        assertThrows(IllegalStateException.class, () -> execute(6, 0));
    }

    @Test
    void theDigestOfAnOrderThatMayBeViolatedIsThatOfTheRequestsAndTheirReplies() {
        ExecutionProgress here = new ExecutionProgress(true);
        here.delivered(5, 77, 2);
        run(here, 5, 0, 1, "x");
        run(here, 5, 1, 2, "y");
        ExecutionProgress there = new ExecutionProgress(true);
        there.delivered(3, 0, 1);
        there.delivered(4, 1, 0);
        there.delivered(9, 2, 1);
        run(there, 3, 0, 2, "y");
        assertNotEquals(here.requests(), there.requests());
        run(there, 9, 0, 1, "x");
        assertEquals(here.requests(), there.requests());
        assertEquals(2, there.requests().orElseThrow().count());
        assertEquals(here.digest(), there.digest());
    }

    @Test
    void thereTheRepliesBelongToTheirRequests() {
        ExecutionProgress here = new ExecutionProgress(true);
        here.delivered(1, 0, 2);
        run(here, 1, 0, 1, "x");
        run(here, 1, 1, 2, "y");
        ExecutionProgress there = new ExecutionProgress(true);
        there.delivered(1, 0, 2);
        run(there, 1, 0, 1, "y");
        run(there, 1, 1, 2, "x");
        assertEquals(here.requests(), there.requests());
        assertNotEquals(here.digest(), there.digest());
    }

    @Test
    void thereOtherRequestsAreAnotherSetThoughAsMany() {
        ExecutionProgress here = new ExecutionProgress(true);
        here.delivered(1, 0, 1);
        run(here, 1, 0, 1, "x");
        ExecutionProgress there = new ExecutionProgress(true);
        there.delivered(1, 0, 1);
        run(there, 1, 0, 2, "x");
        assertNotEquals(here.requests(), there.requests());
    }

    @Test
    void thereASnapshotIsRefusedAsItDoesNotTellTheRequests() {
        assertThrows(IllegalStateException.class, () -> new ExecutionProgress(true).restore(5, 2, 7));
        progress.restore(5, 2, 7);
        assertEquals(Optional.empty(), progress.requests());
    }

    private static void run(ExecutionProgress progress, long position, int index, long number, String reply) {
        Request request = new Request(RequestId.own(ReplicaRig.C, number), 1, 2, 3, false, new byte[0]);
        progress.executed(new Execution(position, index, 1, request), ReplicaRig.bytes(reply));
    }

    private void execute(long position, int index) {
        Request request = new Request(RequestId.own(ReplicaRig.C, 1), 1, 2, 3, false, new byte[0]);
        progress.executed(new Execution(position, index, 1, request), new byte[0]);
    }
}
