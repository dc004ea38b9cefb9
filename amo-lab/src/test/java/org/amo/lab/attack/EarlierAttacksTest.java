package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.lab.attack.AttackResult.Measured;
import org.amo.lab.attack.HonestCalls.Comparison;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A report that resumes another one, without a run. */
class EarlierAttacksTest {
    private static final String COMMIT = "c0ffee";
    private static final Attack FIRST = Attack.onBank("first", "y", (target, pace) -> {});
    private static final Attack SECOND = Attack.onBank("second", "y", (target, pace) -> {});
    private static final AttackConditions CONDITIONS =
            AttackConditions.of(COMMIT, new AttackSettings(64 << 20, 60_000, 1), Optional.empty());

    @TempDir
    private Path folder = Path.of("unset");

    private static AttackResult result(Attack attack, double heapPercent, long executedTwice) {
        Comparison fine = new Comparison(1, 1, 100, 10);
        Measured measured = new Measured(true, heapPercent, fine, true, 3, 0, executedTwice, 0);
        return AttackResult.of(attack, Service.BANK, measured, true, new AttackRate(1), 1, List.of("a remark"));
    }

    private static AttackResult passed(Attack attack) {
        return result(attack, 50, 0);
    }

    private static AttackResult failed(Attack attack) {
        return result(attack, 99, 0);
    }

    private Path file(AttackConditions conditions, List<String> failedEarlier, AttackResult... results)
            throws Exception {
        Path file = folder.resolve("result.json");
        JsonNode report =
                new ObjectMapper().valueToTree(AttackReport.of(List.of(results), List.of(), failedEarlier, conditions));
        Files.writeString(file, report.toString());
        return file;
    }

    private static EarlierAttacks read(Path file) {
        return EarlierAttacks.read(file, CONDITIONS, List.of(FIRST, SECOND));
    }

    @Test
    void anAttackThatPassedIsTakenAsItWasAndOneThatFailedOrIsMissingRuns() throws Exception {
        EarlierAttacks one = read(file(CONDITIONS, List.of(), passed(FIRST), failed(SECOND)));
        assertEquals(List.of(passed(FIRST)), one.kept());
        assertTrue(one.has(FIRST));
        assertFalse(one.has(SECOND));
        assertEquals(List.of("second"), one.failed());
        EarlierAttacks other = read(file(CONDITIONS, List.of(), passed(SECOND)));
        assertFalse(other.has(FIRST));
        assertEquals(List.of(), other.failed());
    }

    @Test
    void aRunAloneIsTakenWithTheOneThatItReplaces() throws Exception {
        AttackResult shared = failed(FIRST).after(List.of("second"));
        EarlierAttacks earlier = read(file(CONDITIONS, List.of(), shared, passed(FIRST)));
        assertEquals(List.of(shared, passed(FIRST)), earlier.kept());
        assertEquals(List.of(), earlier.failed());
        assertFalse(read(file(CONDITIONS, List.of(), shared, failed(FIRST))).has(FIRST));
    }

    @Test
    void noSecondRunHidesACallThatRanTwice() throws Exception {
        AttackResult twice = result(FIRST, 50, 1);
        EarlierAttacks earlier = read(file(CONDITIONS, List.of(), twice));
        assertEquals(List.of(twice), earlier.kept());
        assertEquals(
                1,
                AttackReport.of(earlier.kept(), List.of(FIRST), earlier.failed(), CONDITIONS)
                        .failed());
    }

    @Test
    void anEarlierFailureStaysToldWhenItsReportIsResumedTwice() throws Exception {
        EarlierAttacks earlier = read(file(CONDITIONS, List.of("first"), passed(FIRST), passed(SECOND)));
        assertTrue(earlier.has(FIRST));
        assertEquals(List.of("first"), earlier.failed());
    }

    @Test
    void resultsOfOtherConditionsAreRefusedByName() throws Exception {
        AttackSettings settings = new AttackSettings(64 << 20, 60_000, 1);
        for (AttackConditions other : List.of(
                AttackConditions.of("decade", settings, Optional.empty()),
                AttackConditions.of(COMMIT, new AttackSettings(96 << 20, 60_000, 1), Optional.empty()),
                AttackConditions.of(COMMIT, new AttackSettings(64 << 20, 30_000, 1), Optional.empty()),
                AttackConditions.of(COMMIT, settings, Optional.of(Service.BANK)),
                new AttackConditions(COMMIT, "another", 64 << 20, 60_000, "default"))) {
            Path file = file(other, List.of(), passed(FIRST));
            CliException refused = assertThrows(CliException.class, () -> read(file), other.toString());
            assertEquals(ExitCodes.USER, refused.exitCode());
            assertEquals(1, CONDITIONS.differences(other).size());
            assertTrue(
                    String.valueOf(refused.getMessage())
                            .contains(CONDITIONS.differences(other).get(0)),
                    refused.toString());
        }
    }

    @Test
    void aFileThatIsNoResultIsTheUsersMistake() throws Exception {
        Path file = folder.resolve("result.json");
        for (String text : List.of("", "{", "[]", "7", "{\"attacks\":[],\"passed\":0,\"failed\":0}")) {
            Files.writeString(file, text);
            CliException refused = assertThrows(CliException.class, () -> read(file), text);
            assertEquals(ExitCodes.USER, refused.exitCode());
            assertEquals(1, String.valueOf(refused.getMessage()).lines().count(), refused.toString());
        }
        assertThrows(CliException.class, () -> read(folder.resolve("missing")));
    }

    @Test
    void aProgramThatDoesNotKnowItsCommitResumesNothing() throws Exception {
        AttackConditions unknown = AttackConditions.of(
                AttackConditions.UNKNOWN, new AttackSettings(64 << 20, 60_000, 1), Optional.empty());
        Path file = file(unknown, List.of(), passed(FIRST));
        assertThrows(CliException.class, () -> EarlierAttacks.read(file, unknown, List.of(FIRST)));
    }

    @Test
    void theCommandWritesOneMergedFileInPlaceOfTheEarlierOne() throws Exception {
        Path file = file(CONDITIONS, List.of("second"), passed(FIRST), passed(SECOND));
        JsonNode before = new ObjectMapper().readTree(Files.readString(file));
        StringWriter out = new StringWriter();
        int exitCode = new CommandLine(new AttackCommand(List.of(FIRST, SECOND), each -> each::member, () -> COMMIT))
                .setOut(new PrintWriter(out))
                .execute("all", "--resume", file.toString(), "--json", file.toString());
        assertEquals(ExitCodes.OK, exitCode, out.toString());
        assertEquals(before, new ObjectMapper().readTree(Files.readString(file)));
        assertTrue(out.toString().contains("failed in the earlier result: second"), out.toString());
        assertTrue(out.toString().contains("PASSED: 2 of 2 attacks passed"), out.toString());
    }

    @Test
    void theFileOfAnInterruptedRunHasTheResultsSoFar() throws Exception {
        Path file = folder.resolve("result.json");
        List<String> before = new ArrayList<>();
        AttackCommand command = new AttackCommand(
                List.of(FIRST, SECOND),
                service -> of -> {
                    // Of three members; no attack gets beyond the first one.
                    before.add(Files.exists(file) ? text(file) : "");
                    throw CliException.environment("no members here");
                },
                () -> COMMIT);
        int exitCode = new CommandLine(command)
                .setOut(new PrintWriter(new StringWriter()))
                .execute("all", "--json", file.toString());
        assertEquals(ExitCodes.CHECK_FAILED, exitCode);
        assertEquals(2, before.size(), before.toString());
        assertEquals("", before.get(0));
        JsonNode soFar = new ObjectMapper().readTree(before.get(1));
        assertEquals(1, soFar.get("attacks").size());
        assertEquals("[\"second\"]", soFar.get("missing").toString());
        JsonNode end = new ObjectMapper().readTree(Files.readString(file));
        assertEquals(2, end.get("failed").asInt());
        assertEquals("[]", end.get("missing").toString());
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
