package org.amo.cli.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.amo.cli.cluster.CounterMember;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command from end to end, with attacks of two seconds. Rates and latencies of so short a run are not judged here. */
@Timeout(240)
class AttackTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void theListNamesEachAttackOnceWithALineOfWords() throws Exception {
        Run run = Run.of("attack", "--list", "--json", "-");
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        Set<String> names = new HashSet<>();
        for (JsonNode attack : MAPPER.readTree(run.out()).get("attacks")) {
            String name = attack.get("name").asText();
            assertTrue(name.matches("[a-z0-9]+(-[a-z0-9]+)*"), name);
            assertTrue(names.add(name), name);
            assertFalse(attack.get("description").asText().contains("\n"), name);
            assertTrue(attack.get("services").size() > 0, name);
        }
        assertTrue(names.size() >= 40, names.toString());
        for (String name : names) {
            assertTrue(Run.of("attack", "--list").out().contains(name + " "), name);
        }
    }

    @Test
    void anAttackThatDoesNotConcernAServiceIsTheUsersMistake() {
        Run run = Run.of("attack", "frame-lengths", "--service", "bank");
        assertEquals(ExitCodes.USER, run.exitCode());
        assertTrue(run.isOneLineOfError(), run.err());
    }

    @Test
    void attacksOnBothServicesAreMeasuredAndHarmNobody() throws Exception {
        Path file = folder.resolve("result.json");
        Run run = Run.of(
                "attack",
                "context-malformed",
                "replay-sealed",
                "--duration",
                "2s",
                "--seed",
                "7",
                "--json",
                file.toString());
        JsonNode report = MAPPER.readTree(Files.readString(file));
        int passed = 0;
        for (JsonNode attack : report.get("attacks")) {
            String all = attack.toString();
            assertTrue(attack.get("alive").asBoolean(), all);
            assertTrue(attack.get("statesEqual").asBoolean(), all);
            assertEquals(0, attack.get("executedTwice").asLong(), all);
            assertEquals(0, attack.get("lost").asLong(), all);
            assertTrue(attack.get("steps").asLong() > 2, all);
            assertTrue(attack.get("honestRateRatio").asDouble() > 0, all);
            assertTrue(attack.get("honestP99Ratio").asDouble() > 0, all);
            assertTrue(
                    attack.get("heapPercent").asDouble() > 1
                            && attack.get("heapPercent").asDouble() < 100,
                    all);
            passed += attack.get("passed").asBoolean() ? 1 : 0;
        }
        assertEquals(2, report.get("attacks").size());
        assertEquals(passed, report.get("passed").asInt());
        assertEquals(2 - passed, report.get("failed").asInt());
        assertEquals(passed == 2 ? ExitCodes.OK : ExitCodes.CHECK_FAILED, run.exitCode());
        assertTrue(run.out().contains("replay-sealed"), run.out());
    }

    @Test
    void aMemberThatSaysTooMuchMakesTheCommandFail() throws Exception {
        Attack harmless = Attack.onCounter("harmless", "one connection, opened and closed", (target, pace) -> {
            pace.each(1, 1, i -> target.client(i).close());
            pace.hold();
        });
        AttackCommand command =
                new AttackCommand(List.of(harmless), service -> of -> new CounterMember(of, TalkativeServer.class));
        StringWriter out = new StringWriter();
        int exitCode = new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(new StringWriter()))
                .execute("harmless", "--duration", "1s", "--json", "-");
        assertEquals(ExitCodes.CHECK_FAILED, exitCode);
        JsonNode attack = MAPPER.readTree(out.toString()).get("attacks").get(0);
        assertTrue(attack.get("logLines").asLong() > AttackResult.MOST_LOG_LINES, attack.toString());
        assertFalse(attack.get("passed").asBoolean());
        assertTrue(attack.get("remarks").toString().contains("a member that says too much"), attack.toString());
    }
}
