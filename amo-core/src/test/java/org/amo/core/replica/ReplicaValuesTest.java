package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.junit.jupiter.api.Test;

/** Decisions, places and reports: what members of all versions must agree on. */
final class ReplicaValuesTest {

    /** The codes go into the digest by which members are compared. */
    @Test
    void eachDecisionHasACodeOfItsOwnForEver() {
        assertEquals(
                List.of(8, 2, 17, 18, 19, 20, 33, 34, 35, 36, 37, 38, 39, 40, 41),
                Arrays.stream(Decision.values()).map(Decision::code).toList());
    }

    @Test
    void theOrderRefusesForEachBudgetThatItKnowsAndForNoLocalOne() {
        for (Budget budget : Budget.values()) {
            if (budget.isLocal()) {
                assertThrows(IllegalArgumentException.class, () -> Decision.overloaded(budget), budget::name);
            } else {
                Decision decision = Decision.overloaded(budget);
                assertEquals(Optional.of(budget), decision.budget());
                assertEquals(Optional.of(Refusal.OVERLOADED), decision.refusal());
            }
        }
        assertEquals(Optional.empty(), Decision.EXECUTE.refusal());
        assertEquals(Optional.empty(), Decision.LIVE.refusal());
        assertEquals(Optional.of(Refusal.STALE), Decision.STALE.refusal());
        assertEquals(Optional.empty(), Decision.STALE.budget());
    }

    @Test
    void placesRiseByPositionAndThenByIndex() {
        List<Place> rising =
                List.of(new Place(0, 0), new Place(0, 7), new Place(1, 0), new Place(1, 1), new Place(20, 0));
        assertEquals(
                rising,
                rising.stream()
                        .sorted((one, other) -> other.compareTo(one))
                        .sorted()
                        .toList());
        assertEquals("20/0", new Place(20, 0).toString());
        assertThrows(IllegalArgumentException.class, () -> new Place(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> Place.ofTimer(-1, 0));
    }

    @Test
    void theTimersOfAnEntryStandBeforeItsRequestsInTheOrderOfTheirTurns() {
        List<Place> rising = List.of(
                new Place(6, Integer.MAX_VALUE),
                Place.ofTimer(7, 0),
                Place.ofTimer(7, 1),
                Place.ofTimer(7, 200),
                new Place(7, 0),
                Place.ofTimer(8, 0));
        assertEquals(
                rising,
                rising.stream()
                        .sorted((one, other) -> other.compareTo(one))
                        .sorted()
                        .toList());
        assertEquals(200, Place.ofTimer(7, 200).turn());
        assertTrue(Place.ofTimer(7, Integer.MAX_VALUE).isTimer());
        assertFalse(new Place(7, 0).isTimer());
        assertEquals("timer at 7/t200", Place.ofTimer(7, 200).named());
        assertEquals("request at 7/3", new Place(7, 3).named());
    }

    @Test
    void aReportNamesItsMembersOnceAndRising() {
        assertEquals(
                List.of("a", "b", "c"),
                new ExecutionReport(new Place(5, 1), Word.DIED, 9, List.of("c", "a", "b", "a"), List.of()).members());
    }

    @Test
    void aReportIsReadAsItWasWritten() {
        for (Word word : Word.values()) {
            ExecutionReport report = new ExecutionReport(new Place(5, 1), word, 9, List.of("a", "b"), List.of());
            assertEquals(report, read(report::write));
        }
        List<String> most = IntStream.range(10, 74).mapToObj(Integer::toString).toList();
        ExecutionReport large = new ExecutionReport(new Place(5, 1), Word.HELD, 9, most, List.of());
        assertEquals(large, read(large::write));
        for (int turn : new int[] {0, 1, Integer.MAX_VALUE}) {
            ExecutionReport ofTimer =
                    new ExecutionReport(Place.ofTimer(5, turn), Word.DIED, 9, List.of("a", "b"), List.of());
            assertEquals(ofTimer, read(ofTimer::write));
        }
    }

    @Test
    void aReportOutsideItsFormIsMalformed() {
        malformed(writer -> report(writer, 0, "a", "b"), "word");
        malformed(writer -> report(writer, 6, "a", "b"), "word");
        malformed(writer -> report(writer, 1, "b", "a"), "does not rise");
        malformed(writer -> report(writer, 1, "a", "a"), "does not rise");
        malformed(writer -> report(writer, 1, "x".repeat(65)), "member");
        malformed(
                writer -> report(
                        writer,
                        1,
                        IntStream.range(10, 75).mapToObj(Integer::toString).toArray(String[]::new)),
                "members");
    }

    private static void report(WireWriter writer, int word, String... members) {
        writer.varint(5);
        writer.varint(1);
        writer.u8(word);
        writer.varint(9);
        writer.varint(members.length);
        for (String member : members) {
            writer.text(member);
        }
        writer.varint(0);
    }

    private static ExecutionReport read(Consumer<WireWriter> form) {
        WireWriter writer = new WireWriter(64);
        form.accept(writer);
        return ExecutionReport.read(new WireReader("report", writer.toBytes()));
    }

    private static void malformed(Consumer<WireWriter> form, String says) {
        String message =
                assertThrows(MalformedFrameException.class, () -> read(form)).getMessage();
        assertTrue(message.contains(says), message);
    }
}
