package org.amo.lab.attack;

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
import java.util.Set;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ScmpCounterServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command from end to end, with attacks of two seconds. Rates and latencies of so short a run are not judged here. */
@Timeout(240)
class AttackTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** An attack whose member writes too much into its log, on a service of one member, which starts soonest. */
    private static final String TALKATIVE = "scmp-replay";

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
        assertTrue(names.size() >= 45, names.toString());
        String list = Run.of("attack", "--list").out();
        for (String name : names) {
            assertTrue(list.contains(name + " "), name);
        }
    }

    @Test
    void anAttackThatDoesNotConcernAServiceIsTheUsersMistake() {
        Run run = Run.of("attack", "frame-lengths", "--service", "bank");
        assertEquals(ExitCodes.USER, run.exitCode());
        assertTrue(run.isOneLineOfError(), run.err());
    }

    @Test
    void anAttackIsMeasuredAndOneThatMissesABarEndsTheCommandWithOne() throws Exception {
        Path file = folder.resolve("result.json");
        AttackCommand command = new AttackCommand(Attacks.all(), service -> AttackTest::talkative, () -> "c0ffee");
        StringWriter out = new StringWriter();
        int exitCode = new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(TALKATIVE, "--duration", "2s", "--seed", "7", "--json", file.toString());
        JsonNode report = MAPPER.readTree(Files.readString(file));
        assertEquals(1, report.get("attacks").size(), report.toString());
        JsonNode attack = report.get("attacks").get(0);
        String all = attack.toString();
        assertEquals(TALKATIVE, attack.get("name").asText());
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
        assertFalse(attack.get("passed").asBoolean(), all);
        assertTrue(attack.get("logLines").asLong() > AttackResult.MOST_LOG_LINES, all);
        assertTrue(attack.get("remarks").toString().contains("a member that says too much"), all);
        assertEquals("[]", attack.get("after").toString());
        assertEquals(0, report.get("passed").asInt());
        assertEquals(1, report.get("failed").asInt());
        assertEquals("[]", report.get("ranAlone").toString());
        JsonNode conditions = report.get("conditions");
        assertEquals("c0ffee", conditions.get("commit").asText());
        assertEquals(64 << 20, conditions.get("heapBytes").asLong());
        assertEquals(2_000, conditions.get("durationMillis").asLong());
        assertEquals("default", conditions.get("service").asText());
        assertEquals(ExitCodes.CHECK_FAILED, exitCode);
        assertTrue(out.toString().contains(TALKATIVE), out.toString());
    }

    private static MemberProgram talkative(MemberProgram.Of of) {
        return ScmpCounterServer.member(QuickMembers.of(of), TalkativeServer.class);
    }
}
