package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
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
}
