package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
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

    // ------------------------------------------------- no state, since timers are pending

    @Test
    void aTimerRunsAgainOnceMembersThatRanItHadNoStateTenTimes() {
        Place timer = Place.ofTimer(10, 1);
        held.held(timer);
        report("a", timer, Word.HELD);
        reportOfB(timer, Word.EXECUTED);
        for (int second = 1; second < 10; second++) {
            assertEquals(List.of(), words(NOW + second * 1_000L));
            held.onTimersPending("b");
            // Has not run it.
            held.onTimersPending("c");
        }
        assertEquals(Collections.nCopies(9, "take the state behind 10/t1 of [b]"), shell.asked);
        shell.asked.clear();
        held.onTimersPending("b");
        assertEquals(List.of("let go 10/t1"), shell.asked);
        assertEquals(List.of(), words(NOW + 20_000));
        held.onTimersPending("b");
        assertEquals(List.of("let go 10/t1"), shell.asked, "once, and it asks no more");
    }

    /** It was pending before its entry, so no state stands just before it. */
    @Test
    void aTimerBehindARequestThatMustRunIsBlocked() {
        Place timer = Place.ofTimer(20, 0);
        held.held(PLACE);
        report("c", timer, Word.DIED);
        assertEquals(List.of(Word.HELD), words(NOW));
        assertEquals(List.of(), shell.asked, "the request may still be skipped");
        reportOfB(Word.EXECUTED);
        assertEquals(List.of(), words(NOW));
        assertEquals(List.of("hold 20/t0"), shell.asked);
        held.held(timer);
        assertEquals(List.of(Word.BLOCKED), words(NOW));
        assertFalse(report("a", timer, Word.BLOCKED));
        assertTrue(report("b", timer, Word.BLOCKED), "c goes on without it");
    }

    @Test
    void aLaterRequestIsBlockedWhileThereIsNoState() {
        Place later = new Place(20, 0);
        held.held(PLACE);
        reportOfB(Word.EXECUTED);
        report("c", later, Word.DIED);
        assertEquals(List.of(Word.HELD), words(NOW));
        assertEquals(List.of(), shell.asked, "the state behind the first may be just before it");
        held.onTimersPending("b");
        assertEquals(List.of(), words(NOW));
        assertEquals(List.of("hold 20/0"), shell.asked);
        held.held(later);
        assertEquals(List.of(Word.BLOCKED), words(NOW));
    }

    @Test
    void aMemberThatHoldsForLongTellsForWhomItWaits() {
        held.held(PLACE);
        report("a", PLACE, Word.HELD);
        reportOfB(Word.DIED);
        assertEquals(List.of(), words(NOW));
        assertEquals(List.of(), words(NOW + 9_999));
        assertEquals(List.of(), shell.asked);
        assertEquals(List.of(), words(NOW + 10_000));
        assertEquals(List.of(), words(NOW + 20_000));
        assertEquals(List.of("wait for the word of c on 10/0"), shell.asked);
    }

    private List<Word> words() {
        return words(NOW);
    }

    private List<Word> words(long nowMillis) {
        return held.toSay(11, nowMillis).stream().map(ExecutionReport::word).toList();
    }

    private void reportOfB(Word word) {
        reportOfB(PLACE, word);
    }

    private void reportOfB(Place place, Word word) {
        report("b", place, word);
    }

    private boolean report(String member, Place place, Word word) {
        held.entry(member, 11);
        return held.report(member, new ExecutionReport(place, word, 10, ABC, List.of()));
    }
}
