package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.lab.attack.AttackResult.Measured;
import org.amo.lab.attack.HonestCalls.Comparison;
import org.amo.lab.attack.HonestCalls.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a run is judged, without a run. */
class BarsTest {
    private static final long MILLI = 1_000_000;

    @TempDir
    private Path folder = Path.of("unset");

    private static Measured measured(boolean alive, double heap, double rate, double p99, boolean equal, long lines) {
        return new Measured(alive, heap, new Comparison(rate, p99, 100, 10), equal, lines, 0, 0, 0);
    }

    private static AttackReport report(AttackResult... results) {
        return AttackReport.of(
                List.of(results), List.of(), List.of(), new AttackConditions("c0ffee", "x", 1, 1, "default"));
    }

    @Test
    void eachBarAloneDecides() {
        assertTrue(measured(true, 90, 0.7, 5, true, 100).reachesAllBars());
        assertFalse(measured(false, 90, 0.7, 5, true, 100).reachesAllBars());
        assertFalse(measured(true, 90.1, 0.7, 5, true, 100).reachesAllBars());
        assertFalse(measured(true, 90, 0.69, 5, true, 100).reachesAllBars());
        assertFalse(measured(true, 90, 0.7, 5.01, true, 100).reachesAllBars());
        assertFalse(measured(true, 90, 0.7, 5, false, 100).reachesAllBars());
        assertFalse(measured(true, 90, 0.7, 5, true, 101).reachesAllBars());
        Comparison fine = new Comparison(1, 1, 100, 10);
        assertFalse(new Measured(true, 50, fine, true, 0, 0, 1, 0).reachesAllBars());
        assertFalse(new Measured(true, 50, fine, true, 0, 0, 0, 1).reachesAllBars());
    }

    @Test
    void aRunThatCouldNotBeMeasuredHasNotPassed() {
        Attack attack = Attack.onBank("x", "y", (target, pace) -> {});
        assertTrue(AttackResult.of(
                        attack, Service.BANK, measured(true, 50, 1, 1, true, 0), true, new AttackRate(1), 1, List.of())
                .passed());
        assertFalse(AttackResult.of(
                        attack, Service.BANK, measured(true, 50, 1, 1, true, 0), false, new AttackRate(1), 1, List.of())
                .passed());
        assertEquals(1, report(AttackResult.failed(attack, Service.BANK, "z")).failed());
    }

    @Test
    void anAttackThatFailedAfterAnotherCountsOnceWithItsRunAlone() {
        Attack attack = Attack.onBank("x", "y", (target, pace) -> {});
        AttackResult shared = AttackResult.failed(attack, Service.BANK, "z").after(List.of("other"));
        AttackResult alone = AttackResult.of(
                attack, Service.BANK, measured(true, 50, 1, 1, true, 0), true, new AttackRate(1), 1, List.of());
        assertTrue(shared.isRunAgain());
        assertTrue(shared.isExcused());
        assertEquals(0, report(shared, alone).failed());
        assertEquals(1, report(shared, alone).passed());
        assertEquals(List.of("x"), report(shared, alone).ranAlone());
        assertEquals(List.of(), report(alone).ranAlone());
        assertEquals(
                1,
                report(shared, AttackResult.failed(attack, Service.BANK, "z")).failed());
        assertFalse(alone.after(List.of("other")).isRunAgain());
        assertFalse(AttackResult.failed(attack, Service.BANK, "z").isRunAgain(), "it was the first on its group");
    }

    @Test
    void noAttackBeforeItExcusesACallThatRanTwiceOrGotLost() {
        Attack attack = Attack.onBank("x", "y", (target, pace) -> {});
        Comparison fine = new Comparison(1, 1, 100, 10);
        AttackResult alone = AttackResult.of(
                attack, Service.BANK, measured(true, 50, 1, 1, true, 0), true, new AttackRate(1), 1, List.of());
        for (Measured wrong : List.of(
                new Measured(true, 50, fine, true, 0, 0, 1, 0),
                new Measured(true, 50, fine, true, 0, 0, 0, 1),
                new Measured(true, 50, fine, false, 0, 0, 0, 0))) {
            AttackResult shared = AttackResult.of(attack, Service.BANK, wrong, true, new AttackRate(1), 1, List.of())
                    .after(List.of("other"));
            assertTrue(shared.isRunAgain());
            assertFalse(shared.isExcused());
            AttackReport report = report(shared, alone);
            assertEquals(1, report.failed());
            assertEquals(0, report.passed());
            assertEquals(List.of("x"), report.ranAlone());
        }
    }

    @Test
    void anAttackWhoseRunAloneIsStillToComeIsMissing() {
        Attack attack = Attack.onBank("x", "y", (target, pace) -> {});
        AttackResult shared = AttackResult.failed(attack, Service.BANK, "z").after(List.of("other"));
        AttackConditions conditions = new AttackConditions("c0ffee", "x", 1, 1, "default");
        assertEquals(
                List.of("x"),
                AttackReport.of(List.of(shared), List.of(attack), List.of(), conditions)
                        .missing());
    }

    @Test
    void theTableTellsARunThatCountsFromOneThatIsExcused() {
        Attack attack = Attack.onBank("x", "y", (target, pace) -> {});
        AttackResult shared = AttackResult.failed(attack, Service.BANK, "z").after(List.of("other"));
        StringWriter out = new StringWriter();
        AttackTable table = new AttackTable(Optional.of(new PrintWriter(out)));
        table.row(shared);
        assertTrue(out.toString().contains("failed after others, again alone:"), out.toString());
        table.row(AttackResult.failed(attack, Service.BANK, "z"));
        assertTrue(out.toString().contains("FAILED" + System.lineSeparator()), out.toString());
        table.end(report(shared));
        assertTrue(out.toString().contains("failed after others and ran again alone: x"), out.toString());
    }

    @Test
    void honestClientsAreComparedWithThemselves() throws Exception {
        StringBuilder history = new StringBuilder();
        // 100 calls a second of 5 ms for a second, 50 a second of 20 ms for a second, then 100 a second again.
        for (int i = 0; i < 300; i++) {
            boolean attack = i >= 100 && i < 200;
            if (!attack || i % 2 == 0) {
                call(history, i, i * 10L * MILLI, (attack ? 20 : 5) * MILLI, "ok");
            }
        }
        Comparison comparison =
                read(history).compare(window(0, 1_000), window(0, 1_000), window(1_000, 2_000), window(2_000, 3_000));
        assertEquals(0.5, comparison.rateRatio(), 0.03);
        assertEquals(4, comparison.p99Ratio(), 0.01);
        assertEquals(100, comparison.calmRate(), 1);
        assertEquals(5, comparison.calmP99Millis(), 0.01);
    }

    @Test
    void aGroupThatDoesNotRecoverGainsNothingByIt() throws Exception {
        StringBuilder history = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            call(history, i, i * 10L * MILLI, 5 * MILLI, "ok");
        }
        call(history, 100, 1_000 * MILLI, 900 * MILLI, "info");
        call(history, 101, 2_100 * MILLI, 800 * MILLI, "ok");
        Comparison comparison =
                read(history).compare(window(0, 1_000), window(0, 1_000), window(1_000, 2_000), window(2_000, 3_000));
        assertEquals(0, comparison.rateRatio());
        // A call without an answer counts with the time that it took, and the slow one afterwards is no standard.
        assertEquals(900 / 5.0, comparison.p99Ratio(), 0.01);
    }

    @Test
    void slowCallsAfterTheAttackAreNoStandardEither() throws Exception {
        StringBuilder history = new StringBuilder();
        // As many calls in each second; those of the first take 5 ms, those under attack 40 ms, those afterwards 400
        // ms.
        long[] millis = {5, 40, 400};
        for (int i = 0; i < 300; i++) {
            call(history, i, i * 10L * MILLI, millis[i / 100] * MILLI, "ok");
        }
        Comparison comparison =
                read(history).compare(window(0, 1_000), window(0, 1_000), window(1_000, 2_000), window(2_000, 3_400));
        assertEquals(8, comparison.p99Ratio(), 0.01);
        assertEquals(5, comparison.calmP99Millis(), 0.01);
    }

    @Test
    void aGroupThatEarlierAttacksHaveSlowedIsNoEasierStandard() throws Exception {
        StringBuilder history = new StringBuilder();
        // Calls of 5 ms every 10 ms, then before, under and after a second attack of 20 ms every 20 ms.
        for (int i = 0; i < 400; i++) {
            boolean later = i >= 100;
            if (!later || i % 2 == 0) {
                call(history, i, i * 10L * MILLI, (later ? 20 : 5) * MILLI, "ok");
            }
        }
        HonestCalls calls = read(history);
        Comparison comparison =
                calls.compare(window(0, 1_000), window(1_000, 2_000), window(2_000, 3_000), window(3_000, 4_000));
        assertEquals(0.5, comparison.rateRatio(), 0.03);
        assertEquals(4, comparison.p99Ratio(), 0.01);
        assertFalse(calls.isLike(window(0, 1_000), window(1_000, 2_000)));
        assertTrue(calls.isLike(window(1_000, 2_000), window(2_000, 3_000)));
    }

    @Test
    void callsThatAreWrittenLaterAreReadOn() throws Exception {
        Path file = folder.resolve("history");
        StringBuilder history = new StringBuilder();
        call(history, 1, 0, 10 * MILLI, "ok");
        int half = history.indexOf("\n") + 1;
        Files.writeString(file, history.substring(0, half));
        try (HonestCalls calls = HonestCalls.open(List.of(file))) {
            calls.readOn();
            Files.writeString(file, history.substring(half), StandardOpenOption.APPEND);
            calls.readOn();
            Window second = window(0, 1_000);
            assertEquals(1, calls.compare(second, second, second, second).calmRate(), 0.01);
        }
    }

    @Test
    void eachLogLineCountsForOneAttack() throws Exception {
        LogWatch watch = new LogWatch(folder);
        Path log = folder.resolve("replica-a-1.log");
        Files.writeString(log, "warm\n");
        watch.begin();
        Files.writeString(log, "first\n", StandardOpenOption.APPEND);
        assertEquals(List.of("first"), watch.takeLines());
        Files.writeString(log, "second\n", StandardOpenOption.APPEND);
        assertEquals(List.of("second"), watch.takeLines());
        assertEquals(List.of(), watch.takeLines());
    }

    @Test
    void aTimeWithoutACallCountsAsOneCallOfItsLength() throws Exception {
        StringBuilder history = new StringBuilder();
        call(history, 1, 0, 10 * MILLI, "ok");
        Comparison comparison =
                read(history).compare(window(0, 1_000), window(0, 1_000), window(1_000, 3_000), window(3_000, 4_000));
        assertEquals(200, comparison.p99Ratio(), 0.01);
    }

    @Test
    void onlyWhatFullCollectionsLeftSinceTheBeginningCounts() throws Exception {
        HeapWatch watch = new HeapWatch(folder, 60L << 20);
        Path log = folder.resolve("gc-1.log");
        Files.writeString(log, "[1s] GC(0) Pause Full (Ergonomics) 50M->44M(58M) 9.9ms\n");
        watch.begin();
        assertEquals(OptionalLong.empty(), watch.mostLeftBytes());
        Files.writeString(
                log,
                Files.readString(log) + "[2s] GC(1) Pause Young (Allocation Failure) 50M->49M(58M) 1ms\n"
                        + "[2s] GC(2) Pause Full (Diagnostic Command) 49M->29M(58M) 9.9ms\n"
                        + "[2s] GC(3) Pause Full (Diagnostic Command) 49M->20M(58M) 9.9ms\n");
        assertEquals(OptionalLong.of(29L << 20), watch.mostLeftBytes());
        assertEquals(50, watch.percent(29L << 20), 0.01);
        watch.leaveOut(1);
        assertEquals(OptionalLong.empty(), watch.mostLeftBytes());
    }

    private static void call(StringBuilder history, int id, long begin, long nanos, String end) {
        history.append("{\"type\":\"invoke\",\"client\":\"c1\",\"id\":\"" + id + "\",\"t\":" + begin + "}\n");
        history.append(
                "{\"type\":\"" + end + "\",\"client\":\"c1\",\"id\":\"" + id + "\",\"t\":" + (begin + nanos) + "}\n");
    }

    private HonestCalls read(StringBuilder history) throws Exception {
        Path file = folder.resolve("history");
        Files.writeString(file, history.append("{\"type\":\"inv"));
        try (HonestCalls calls = HonestCalls.open(List.of(file))) {
            calls.readOn();
            return calls;
        }
    }

    private static Window window(long beginMillis, long endMillis) {
        return new Window(beginMillis * MILLI, endMillis * MILLI);
    }
}
