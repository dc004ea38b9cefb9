package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

final class ExecutionProgressTest {
    private final ExecutionProgress progress = new ExecutionProgress();

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

    private void execute(long position, int index) {
        Request request = new Request(RequestId.own(ReplicaRig.C, 1), 1, 2, 3, false, new byte[0]);
        progress.executed(new Execution(position, index, 1, request), new byte[0]);
    }
}
