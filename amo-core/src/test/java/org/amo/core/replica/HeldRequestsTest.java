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
        assertEquals(List.of(Word.HELD), words());
    }

    /** The thread that executes comes to the timers of an entry later, and to none of its requests. */
    @Test
    void aTimerIsNotExecutedBecauseItsEntryHasNoRequests() {
        Place timer = Place.ofTimer(10, 1);
        progress.delivered(10, 0, 0);
        held.held(timer);
        reportOfB(timer, Word.DIED);
        assertEquals(List.of(Word.HELD), words());
        assertTrue(held.isHolding());
    }

    @Test
    void aTimerThatRanIsReportedAsExecuted() {
        Place timer = Place.ofTimer(10, 1);
        progress.delivered(10, 0, 0);
        reportOfB(timer, Word.DIED);
        held.executed(Place.ofTimer(10, 0));
        assertEquals(List.of(), words());
        held.executed(timer);
        assertEquals(List.of(Word.EXECUTED), words());
    }

    /** Members whose timers differ come to no verdict otherwise. */
    @Test
    void atARequestBehindATimerTheTimerHasHadItsTurn() {
        Place timer = Place.ofTimer(10, 1);
        reportOfB(timer, Word.DIED);
        held.executed(PLACE);
        assertEquals(List.of(Word.EXECUTED), words());
    }

    @Test
    void aTimerThatASnapshotCoversIsHeldNoLonger() {
        Place timer = Place.ofTimer(10, 1);
        held.held(timer);
        held.restored(new SkippedRequests(SkipRule.UNANIMOUS), 9);
        assertEquals(List.of(Word.HELD), words());
        held.restored(new SkippedRequests(SkipRule.UNANIMOUS), 10);
        assertEquals(List.of(), words());
        assertFalse(held.isHolding());
    }

    @Test
    void aReportOpensACase() {
        assertFalse(held.hasOpen());
        reportOfB(Word.DIED);
        assertTrue(held.hasOpen());
        assertTrue(held.copyOfSkipped().open().contains(PLACE));
    }

    private List<Word> words() {
        return held.toSay(11, NOW).stream().map(ExecutionReport::word).toList();
    }

    private void reportOfB(Word word) {
        reportOfB(PLACE, word);
    }

    private void reportOfB(Place place, Word word) {
        held.entry("b", 11);
        held.report("b", new ExecutionReport(place, word, 10, ABC, List.of()));
    }
}
