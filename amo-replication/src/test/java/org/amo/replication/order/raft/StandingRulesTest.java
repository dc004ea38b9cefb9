package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.junit.jupiter.api.Test;

/** The limits and the count behind {@link StandingMemberTest}, one by one. */
final class StandingRulesTest {
    @Test
    void theUndeliveredTailIsLimitedByNumberAndBytes() {
        Undelivered tail = new Undelivered(3, 100);
        tail.took(2, 99);
        assertFalse(tail.isFull());
        tail.took(3, 1);
        assertTrue(tail.isFull());
        tail.delivered(2);
        assertFalse(tail.isFull());
        tail.took(5, 1);
        assertTrue(tail.isFull(), "three entries");
        tail.deleted(4);
        assertFalse(tail.isFull());
        tail.took(4, 1);
        tail.took(5, 98);
        assertTrue(tail.isFull(), "three again, and 100 bytes");
        tail.delivered(5);
        assertFalse(tail.isFull());
    }

    @Test
    void onlyWorkWithoutProgressIsStillness() {
        Progress progress = new Progress();
        ticks(progress, 2 * Progress.STILL_TICKS);
        assertFalse(progress.isStill(), "nothing is under way");

        progress.begins();
        progress.ends(true);
        ticks(progress, Progress.STILL_TICKS - 1);
        assertFalse(progress.isStill());
        progress.advances();
        ticks(progress, Progress.STILL_TICKS);
        assertFalse(progress.isStill(), "the first of them saw the progress");
        assertEquals(1, ticks(progress, 5), "told once");
        assertTrue(progress.isStill());

        progress.begins();
        progress.ends(true);
        assertEquals(0, ticks(progress, 1), "messages are handled, but nothing is delivered");
        progress.ends(false);
        assertEquals(1, ticks(progress, 5));
        assertFalse(progress.isStill());
    }

    private static int ticks(Progress progress, int count) {
        int changes = 0;
        for (int i = 0; i < count; i++) {
            changes += progress.onTick() ? 1 : 0;
        }
        return changes;
    }

    @Test
    void aLogInTheHeapKeepsAsManyBytesAsItCanForAMemberThatLags() {
        MemoryLog log = new MemoryLog();
        LogEntries entries = new LogEntries();
        for (int i = 0; i < 10; i++) {
            entries.add(new LogEntry(1, new byte[10]));
        }
        log.append(1, entries);
        assertEquals(5, log.newest(9, 59));
        assertEquals(9, log.newest(9, 1_000), "all that there are");
        assertEquals(0, log.newest(9, 5));
    }
}
