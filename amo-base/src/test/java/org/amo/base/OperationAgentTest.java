package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A virtual machine without the agent. */
final class OperationAgentTest {
    @Test
    void withoutTheAgentAnOperationIsJustRun() {
        OperationAgent agent = new OperationAgent("amo", "bank", "");
        assertFalse(OperationAgent.isInstalled());
        assertEquals("done", agent.run(1, 0, new ClientId(2, 3), 4, 5, Optional.empty(), () -> "done"));
        assertEquals("restored", agent.runOnState(() -> "restored"));
        assertEquals("taken", agent.readState(() -> "taken"));
        agent.restoreClock(6);
        assertEquals(Optional.empty(), agent.clockAhead());
        assertEquals(0, OperationAgent.classesLeft());
        assertFalse(OperationAgent.ordersTasks());
        agent.fireTimer(7, 0, 8);
        agent.dropTimer();
        assertEquals(0, agent.timersDigest());
        agent.dropTasks();
        assertEquals(OptionalLong.empty(), agent.nextTimerMillis());
        assertEquals(0, OperationAgent.pendingTimers());
    }
}
