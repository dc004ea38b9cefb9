package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.amo.core.reply.RecordMemory;
import org.junit.jupiter.api.Test;

/** Requests that member a of a, b and c holds. {@link RequestsThatEndMembersTest} has the same class inside a replica. */
final class HeldRequestsTest {
    private static final List<String> ABC = List.of("a", "b", "c");
    private static final Place PLACE = new Place(10, 0);
    private static final long NOW = 50_000;

    private final ReplicaRig shell = new ReplicaRig("a");
    private final ExecutionProgress progress = new ExecutionProgress(false);
    private final HeldRequests held = held();

    private HeldRequests held() {
        ReplicaOptions options = new ReplicaOptions("a", ABC, 1, ReplicaRig.PLAIN, ReplicaRig.PARAMETERS);
        ReplicaParts parts = new ReplicaParts();
        GroupState group = new GroupState(options, shell, RecordMemory.heap(1), parts);
        return new HeldRequests(options, shell, progress, SkipRule.UNANIMOUS, parts.outcomes(options, shell, group));
    }

    @Test
    void aRequestThatASnapshotCoversIsHeldNoLonger() {
        assertFalse(held.isHolding());
        held.held(PLACE);
        assertTrue(held.isHolding());
        progress.restore(12, 0, 0);
        assertEquals(List.of(), held.toSay(12, NOW));
        assertFalse(held.isHolding());
    }

    @Test
    void aRequestBeforeTheStateInPlaceIsNotSkipped() {
        held.restored(new SkippedRequests(SkipRule.UNANIMOUS), 10);
        held.onVerdict(PLACE);
        assertEquals(List.of(), shell.asked);
        held.onVerdict(new Place(11, 0));
        assertEquals(List.of("skip 11/0"), shell.asked);
    }

    /** BLOCKED is about an earlier request of the entry. */
    @Test
    void aHeldRequestThatAnotherMemberExecutedIsNotBlockedByItself() {
        held.held(PLACE);
        reportOfB(Word.EXECUTED);
        assertEquals(
                List.of(Word.HELD),
                held.toSay(11, NOW).stream().map(ExecutionReport::word).toList());
    }

    @Test
    void aReportOpensACase() {
        assertFalse(held.hasOpen());
        reportOfB(Word.DIED);
        assertTrue(held.hasOpen());
        assertTrue(held.copyOfSkipped().open().contains(PLACE));
    }

    private void reportOfB(Word word) {
        held.entry("b", 11);
        held.report("b", new ExecutionReport(PLACE, word, 10, ABC, List.of()));
    }
}
