package org.amo.lab.blackbox.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.amo.cli.ExitCodes;
import org.amo.lab.chaos.Ledgers;
import org.amo.testkit.check.CheckReport;
import org.amo.testkit.check.Checker;
import org.amo.testkit.history.HistoryFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One short run of the command, and what becomes of its history when somebody changes a line. */
@Timeout(400)
class ChaosTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    private static Path folder;

    private static int exitCode;
    private static String said = "";

    @BeforeAll
    static void run() throws IOException, InterruptedException {
        ChaosProcess run = ChaosProcess.run(
                file("output"),
                "--duration",
                "12s",
                "--seed",
                "3",
                "--clients",
                "3",
                "--json",
                file("result").toString(),
                "--history",
                file("history").toString());
        exitCode = run.exitCode();
        said = run.said();
    }

    @Test
    void aRunWithFaultsBreaksNoRule() throws IOException {
        assertEquals(ExitCodes.OK, exitCode, said);
        JsonNode result = MAPPER.readTree(file("result").toFile());
        for (String zero : List.of("executedTwice", "lost", "violations")) {
            assertEquals(0, result.get(zero).asLong(), said);
        }
        assertEquals(3, result.get("seed").asLong());
        assertTrue(result.get("statesEqual").asBoolean());
        assertTrue(result.get("ok").asLong() > 20, said);
        assertEquals(
                result.get("calls").asLong(),
                result.get("ok").asLong()
                        + result.get("failed").asLong()
                        + result.get("unknown").asLong());
        assertTrue(result.get("longestGapMillis").asDouble() > 0);
        assertTrue(result.get("elections").isIntegralNumber(), said);
        assertTrue(result.get("duration").asDouble() == 12);
        long faults = 0;
        for (JsonNode count : result.get("faults")) {
            faults += count.asLong();
        }
        assertTrue(faults >= 1, said);
    }

    @Test
    void bothJudgesLetItsHistoryPass() throws IOException, InterruptedException {
        assertTrue(check(file("history")).passed(), said);
        assumeTrue(Judge.isThere(), "python3 is not installed: agreement is not tested");
        assertTrue(Judge.passes(file("history")));
    }

    /** What a server that lies would have left behind; every change is found by both. */
    @Test
    @Tag("slow")
    void bothJudgesFindWhatIsChanged() throws IOException, InterruptedException {
        assumeTrue(Judge.isThere(), "python3 is not installed: agreement is not tested");
        List<String> lines = Files.readAllLines(file("history"));
        int exec = indexOf(lines, "exec", "deposit");
        int ok = indexOf(lines, "ok", "deposit");
        Map<String, List<String>> changed = new LinkedHashMap<>();
        changed.put("executed twice", with(lines, exec, line -> line + "\n" + line));
        changed.put("not executed", with(lines, exec, line -> ""));
        changed.put("computed something else", with(lines, exec, line -> edit(line, "value", 77_777_777)));
        changed.put("answered something else", with(lines, ok, line -> edit(line, "value", 77_777_777)));
        changed.put("refused what ran", with(lines, ok, line -> edit(line, "type", "fail")));
        changed.put("executed elsewhere", with(lines, exec, line -> edit(line, "pos", 77_777_777)));
        changed.put("ended twice", with(lines, ok, line -> line + "\n" + line));
        changed.put(
                "another end",
                with(lines, indexOf(lines, "state", ""), line -> edit(line, "final", MAPPER.createObjectNode())));
        for (Map.Entry<String, List<String>> each : changed.entrySet()) {
            Path target = Files.write(file("changed"), each.getValue());
            assertTrue(check(target).violations() > 0, each.getKey() + ": the checker lets it pass");
            assertTrue(!Judge.passes(target), each.getKey() + ": the judge lets it pass");
        }
    }

    private static CheckReport check(Path history) throws IOException {
        return Checker.check(HistoryFile.read(history), Ledgers.bank());
    }

    /** Somewhere in the middle, a line of this type; of a call of this operation, if one is named. */
    private static int indexOf(List<String> lines, String type, String operation) throws IOException {
        Map<String, String> operations = new LinkedHashMap<>();
        for (String line : lines) {
            JsonNode event = MAPPER.readTree(line);
            if (event.has("op")) {
                operations.put(event.path("id").asText(), event.path("op").asText());
            }
        }
        for (int i = lines.size() / 2; i < lines.size(); i++) {
            JsonNode event = MAPPER.readTree(lines.get(i));
            if (event.path("type").asText().equals(type)
                    && operations.getOrDefault(event.path("id").asText(), "").equals(operation)) {
                return i;
            }
        }
        throw new AssertionError("no " + type + " in the history");
    }

    private static List<String> with(List<String> lines, int index, UnaryOperator<String> change) {
        List<String> copy = new ArrayList<>(lines);
        copy.set(index, change.apply(lines.get(index)));
        return copy;
    }

    private static String edit(String line, String field, Object value) {
        try {
            ObjectNode event = (ObjectNode) MAPPER.readTree(line);
            event.set(field, MAPPER.valueToTree(value));
            return event.toString();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path file(String name) {
        return folder.resolve(name);
    }
}
