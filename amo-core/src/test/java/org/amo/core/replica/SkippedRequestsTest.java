package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.junit.jupiter.api.Test;

/** The verdict on a request that ended members, from ordered reports alone. */
class SkippedRequestsTest {
    private static final List<String> ABC = List.of("a", "b", "c");
    private static final Place PLACE = new Place(10, 2);

    private final SkippedRequests cases = new SkippedRequests(SkipRule.UNANIMOUS);
    private long position = 20;

    private boolean says(String member, Word word, List<String> members) {
        return says(member, word, position, members);
    }

    private boolean says(String member, Word word, long known, List<String> members) {
        cases.entry(member, ++position);
        return cases.report(member, new ExecutionReport(PLACE, word, known, members, List.of()));
    }

    @Test
    void aMajorityThatDiedAndOthersThatHoldSkipIt() {
        assertFalse(says("a", Word.DIED, ABC));
        assertFalse(says("b", Word.DIED, ABC));
        assertFalse(cases.isSkipped(PLACE));
        assertTrue(says("c", Word.HELD, ABC));
        assertTrue(cases.isSkipped(PLACE));
        assertEquals(Set.of(), cases.open());
    }

    @Test
    void aMajorityWithoutTheWordOfTheLastMemberDoesNot() {
        List<String> five = List.of("a", "b", "c", "d", "e");
        for (String member : List.of("a", "b", "c", "d")) {
            assertFalse(says(member, Word.DIED, five));
        }
        assertEquals(List.of("e"), cases.silent(PLACE, five));
        assertTrue(says("e", Word.HELD, five));
    }

    @Test
    void aMinorityThatDiedDoesNot() {
        assertFalse(says("a", Word.DIED, ABC));
        assertFalse(says("b", Word.HELD, ABC));
        assertFalse(says("c", Word.HELD, ABC));
        assertTrue(says("b", Word.DIED, ABC));
    }

    @Test
    void oneThatDiedAndOthersThatCannotReachItSkipIt() {
        assertFalse(says("a", Word.BLOCKED, ABC));
        assertFalse(says("b", Word.BLOCKED, ABC));
        assertFalse(says("c", Word.HELD, ABC), "it ended no member");
        assertTrue(says("c", Word.DIED, ABC));
    }

    /** It reaches the request once it was let go at the earlier one, and its promise holds on. */
    @Test
    void aMemberThatCouldNotReachItCountsWhenItOnlyHoldsItSince() {
        assertFalse(says("a", Word.BLOCKED, ABC));
        assertFalse(says("a", Word.HELD, ABC));
        assertEquals(Map.of("a", Word.BLOCKED), cases.words(PLACE));
        assertTrue(cases.isSaid("a", new ExecutionReport(PLACE, Word.HELD, position, ABC, List.of())));
        assertFalse(says("b", Word.BLOCKED, ABC));
        assertTrue(says("c", Word.DIED, ABC));
    }

    /** Its notes may be of a version that kept the promise alone, once it had died of another request. */
    @Test
    void aMemberThatDiedOfItCountsWhenItOnlyHoldsItSince() {
        assertFalse(says("a", Word.DIED, ABC));
        assertFalse(says("a", Word.HELD, ABC));
        assertEquals(Map.of("a", Word.DIED), cases.words(PLACE));
        assertFalse(says("b", Word.HELD, ABC));
        assertTrue(says("c", Word.DIED, ABC));
    }

    /** The same for one that cannot reach it since. */
    @Test
    void aMemberThatDiedOfItCountsAsOneWhenItCannotReachItSince() {
        assertFalse(says("a", Word.DIED, ABC));
        assertFalse(says("a", Word.BLOCKED, ABC));
        assertEquals(Map.of("a", Word.DIED), cases.words(PLACE));
        assertFalse(says("b", Word.BLOCKED, ABC));
        assertTrue(says("c", Word.HELD, ABC));
    }

    @Test
    void membersThatCannotReachItCountWithThoseThatDied() {
        assertFalse(says("a", Word.DIED, ABC));
        assertFalse(says("b", Word.EXECUTED, List.of("b")));
        assertFalse(says("c", Word.BLOCKED, ABC));
        assertFalse(says("b", Word.BLOCKED, ABC), "b executed it");
    }

    @Test
    void nothingIsSkippedThatAMemberExecutedWhateverItSaysLater() {
        says("c", Word.EXECUTED, ABC);
        says("a", Word.DIED, ABC);
        assertFalse(says("b", Word.DIED, ABC));
        assertFalse(says("c", Word.HELD, ABC));
        assertEquals(Word.RAN, cases.words(PLACE).get("c"), "it ran, and its state is gone");
        assertTrue(
                cases.isSaid("c", new ExecutionReport(PLACE, Word.HELD, 0, ABC, List.of())),
                "saying so again changes nothing");
        says("c", Word.EXECUTED, ABC);
        assertEquals(Word.EXECUTED, cases.words(PLACE).get("c"));
        assertFalse(cases.isSaid("c", new ExecutionReport(PLACE, Word.HELD, 0, ABC, List.of())));
    }

    @Test
    void nothingIsSkippedThatAMemberMayHaveRun() {
        says("a", Word.DIED, ABC);
        says("b", Word.DIED, ABC);
        assertFalse(cases.mustRun(PLACE));
        assertFalse(says("c", Word.RAN, ABC));
        assertTrue(cases.mustRun(PLACE));
        assertFalse(says("c", Word.DIED, ABC));
        assertEquals(List.of(), cases.silent(PLACE, ABC));
    }

    @Test
    void aCaseThatAllExecutedIsOver() {
        says("a", Word.DIED, ABC);
        says("a", Word.EXECUTED, ABC);
        says("b", Word.EXECUTED, ABC);
        assertEquals(Set.of(PLACE), cases.open());
        says("c", Word.EXECUTED, ABC);
        assertEquals(Set.of(), cases.open());
    }

    @Test
    void aWordThatComesAfterTheVerdictChangesNothing() {
        says("a", Word.DIED, ABC);
        says("b", Word.DIED, ABC);
        says("c", Word.DIED, ABC);
        assertFalse(says("c", Word.EXECUTED, ABC));
        assertTrue(cases.isSkipped(PLACE));
        assertEquals(Set.of(), cases.open());
    }

    @Test
    void reportsThatNameOtherMembersDoNotCountTogether() {
        says("a", Word.DIED, ABC);
        says("b", Word.DIED, ABC);
        assertFalse(says("c", Word.DIED, List.of("a", "b", "c", "d")));
        assertFalse(says("a", Word.DIED, List.of("a", "b", "c", "d")));
        assertFalse(says("b", Word.DIED, List.of("a", "b", "c", "d")));
        assertTrue(says("d", Word.HELD, List.of("a", "b", "c", "d")));
    }

    /** It cannot say anew whom it has heard of, and what it said of the request stays true. */
    @Test
    void theWordOfAMemberThatIsGoneCountsWhomeverItNamed() {
        List<String> four = List.of("a", "b", "c", "d");
        says("a", Word.DIED, ABC);
        says("b", Word.DIED, four);
        says("c", Word.DIED, four);
        ExecutionReport withoutA = new ExecutionReport(PLACE, Word.HELD, position, four, List.of("a"));
        assertFalse(cases.isSaid("d", withoutA));
        assertFalse(says("d", Word.HELD, four), "a may name another one yet");
        assertTrue(cases.report("d", withoutA));
    }

    @Test
    void anEntryOfAMemberThatAReportDoesNotNameMakesItVoid() {
        says("a", Word.DIED, ABC);
        long knownWithoutD = position;
        cases.entry("d", ++position);
        assertFalse(cases.isSaid("a", new ExecutionReport(PLACE, Word.DIED, 0, ABC, List.of())));
        says("b", Word.DIED, ABC);
        assertFalse(says("c", Word.HELD, knownWithoutD, ABC));
        // Once all have known of that entry, and still say that d is none of them, it was removed.
        says("a", Word.DIED, ABC);
        says("b", Word.DIED, ABC);
        assertTrue(says("c", Word.HELD, ABC));
    }

    @Test
    void aSnapshotHoldsTheCasesAndTheVerdicts() {
        says("a", Word.DIED, ABC);
        says("b", Word.HELD, ABC);
        Place other = new Place(12, 0);
        for (String member : ABC) {
            cases.report(member, new ExecutionReport(other, Word.DIED, position, ABC, List.of()));
        }
        WireWriter writer = new WireWriter(64);
        cases.write(writer);
        WireReader reader = new WireReader("cases", writer.toBytes());
        SkippedRequests read = SkippedRequests.read(SkipRule.UNANIMOUS, reader);
        reader.end();
        assertTrue(read.isSkipped(other));
        assertEquals(Map.of("a", Word.DIED, "b", Word.HELD), read.words(PLACE));
        WireWriter again = new WireWriter(64);
        read.write(again);
        assertEquals(
                java.util.HexFormat.of().formatHex(writer.toBytes()),
                java.util.HexFormat.of().formatHex(again.toBytes()));
        assertFalse(read.report("c", new ExecutionReport(PLACE, Word.HELD, position, ABC, List.of())));
        assertTrue(read.report("b", new ExecutionReport(PLACE, Word.DIED, position, ABC, List.of())));
    }

    @Test
    void aTimerIsSkippedAsARequestIsAndASnapshotHoldsItsPlace() {
        Place timer = Place.ofTimer(12, 3);
        for (String member : List.of("a", "b")) {
            assertFalse(cases.report(member, new ExecutionReport(timer, Word.DIED, position, ABC, List.of())));
        }
        assertEquals(Set.of(timer), read().open());
        assertTrue(cases.report("c", new ExecutionReport(timer, Word.HELD, position, ABC, List.of())));
        assertTrue(read().isSkipped(timer));
        assertFalse(read().isSkipped(new Place(12, 3)));
    }

    private SkippedRequests read() {
        WireWriter writer = new WireWriter(64);
        cases.write(writer);
        return SkippedRequests.read(SkipRule.UNANIMOUS, new WireReader("cases", writer.toBytes()));
    }

    @Test
    void halfOfTheMembersIsNoMajority() {
        List<String> four = List.of("a", "b", "c", "d");
        assertFalse(says("a", Word.DIED, four));
        assertFalse(says("b", Word.DIED, four));
        assertFalse(says("c", Word.HELD, four));
        assertFalse(says("d", Word.HELD, four));
        assertTrue(says("d", Word.DIED, four));
    }

    @Test
    void anEntryThatTheReporterKnewDoesNotMakeItsReportVoid() {
        cases.entry("d", position);
        assertFalse(says("a", Word.DIED, position, ABC));
        assertFalse(says("b", Word.DIED, position, ABC));
        assertTrue(says("c", Word.HELD, 20, ABC));
    }

    @Test
    void theLatestThousandVerdictsAreRemembered() {
        for (int i = 1; i <= 1_000; i++) {
            assertTrue(skips(new Place(i, 0)));
        }
        assertTrue(cases.isSkipped(new Place(1, 0)));
        assertTrue(skips(new Place(1_001, 0)));
        assertFalse(cases.isSkipped(new Place(1, 0)));
        assertTrue(cases.isSkipped(new Place(2, 0)));
    }

    /** The only member died of it. */
    private boolean skips(Place place) {
        return cases.report("a", new ExecutionReport(place, Word.DIED, position, List.of("a"), List.of()));
    }

    // ------------------------------------------------- copies and snapshots

    @Test
    void aCopyHoldsTheSameAndStaysAsItIs() {
        says("a", Word.DIED, ABC);
        skips(new Place(12, 0));
        SkippedRequests copy = cases.copy();
        byte[] before = bytes(cases);
        assertArrayEquals(before, bytes(copy));
        says("b", Word.DIED, ABC);
        skips(new Place(13, 0));
        assertArrayEquals(before, bytes(copy));
        assertFalse(Arrays.equals(before, bytes(cases)));
    }

    @Test
    void aSnapshotWithSeveralCasesAndVerdictsIsRead() {
        byte[] snapshot = snapshot(ABC, places(7, 8, 9), places(1, 2, 3));
        SkippedRequests read = SkippedRequests.read(SkipRule.UNANIMOUS, new WireReader("cases", snapshot));
        assertEquals(new TreeSet<>(places(7, 8, 9)), read.open());
        assertTrue(read.isSkipped(new Place(2, 0)));
        assertArrayEquals(snapshot, bytes(read));
    }

    @Test
    void aSnapshotThatNamesAMemberARequestOrAVerdictTwiceIsRefused() {
        assertRefused(snapshot(List.of("a", "a"), List.of(), List.of()), "number of a member that does not rise");
        assertRefused(snapshot(List.of(), places(7, 7), List.of()), "position of a request that does not rise");
        assertRefused(snapshot(List.of(), List.of(), places(7, 7)), "position of a request that does not rise");
    }

    @Test
    void aSnapshotInAnotherOrderIsRefused() {
        assertRefused(snapshot(List.of("b", "a"), List.of(), List.of()), "number of a member that does not rise");
        assertRefused(snapshot(List.of(), places(8, 7), List.of()), "position of a request that does not rise");
        assertRefused(snapshot(List.of(), List.of(), places(8, 7)), "position of a request that does not rise");
    }

    private static void assertRefused(byte[] snapshot, String cause) {
        MalformedFrameException refused = assertThrows(
                MalformedFrameException.class,
                () -> SkippedRequests.read(SkipRule.UNANIMOUS, new WireReader("cases", snapshot)));
        assertTrue(refused.getMessage().contains(cause), refused.getMessage());
    }

    private static List<Place> places(long... positions) {
        return Arrays.stream(positions)
                .mapToObj(position -> new Place(position, 0))
                .toList();
    }

    private static byte[] bytes(SkippedRequests cases) {
        WireWriter writer = new WireWriter(64);
        cases.write(writer);
        return writer.toBytes();
    }

    /** As {@link SkippedRequests#write} would write it, in any order. */
    private static byte[] snapshot(List<String> heard, List<Place> open, List<Place> skipped) {
        WireWriter writer = new WireWriter(64);
        writer.u8(1);
        writer.varint(heard.size());
        heard.forEach(member -> {
            writer.text("member", member, 64);
            writer.varint(5);
        });
        writer.varint(open.size());
        open.forEach(place -> {
            writer.varint(1);
            writer.text("member", "a", 64);
            new ExecutionReport(place, Word.DIED, 5, ABC, List.of()).write(writer);
        });
        writer.varint(skipped.size());
        skipped.forEach(place -> {
            writer.varint(place.position());
            writer.varint(place.index());
        });
        return writer.toBytes();
    }
}
