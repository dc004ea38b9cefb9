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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ProcessGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command from end to end, with attacks of two seconds. Rates and latencies of so short a run are not judged here. */
@Timeout(240)
class AttackTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** An attack whose member writes too much into its log. Both attacks are on a service of one member, which starts soonest. */
    private static final String TALKATIVE = "scmp-replay";

    private static final String BESIDE = "scmp-flood";

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
    void attacksAreMeasuredSideBySideAndOneThatFailsRunsOnceMoreAlone() throws Exception {
        Path file = folder.resolve("result.json");
        AttackCommand command = new AttackCommand(Attacks.all(), AttackTest::members, () -> "c0ffee");
        StringWriter out = new StringWriter();
        int exitCode = new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(
                        BESIDE,
                        TALKATIVE,
                        "--lanes",
                        "2",
                        "--duration",
                        "2s",
                        "--seed",
                        "7",
                        "--json",
                        file.toString());
        JsonNode report = MAPPER.readTree(Files.readString(file));
        List<JsonNode> talkative = new ArrayList<>();
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
            if (attack.get("name").asText().equals(TALKATIVE)) {
                talkative.add(attack);
                assertFalse(attack.get("passed").asBoolean(), all);
                assertTrue(attack.get("logLines").asLong() > AttackResult.MOST_LOG_LINES, all);
                assertTrue(attack.get("remarks").toString().contains("a member that says too much"), all);
            }
        }
        assertEquals(2, talkative.size());
        assertEquals("[\"" + BESIDE + "\"]", talkative.get(0).get("beside").toString());
        assertEquals("[]", talkative.get(1).get("beside").toString());
        assertEquals(2, report.get("passed").asInt() + report.get("failed").asInt());
        assertTrue(report.get("failed").asInt() > 0, report.toString());
        JsonNode conditions = report.get("conditions");
        assertEquals("c0ffee", conditions.get("commit").asText());
        assertEquals(64 << 20, conditions.get("heapBytes").asLong());
        assertEquals(2_000, conditions.get("durationMillis").asLong());
        assertEquals("default", conditions.get("service").asText());
        assertTrue(report.get("ranAlone").toString().contains(TALKATIVE), report.toString());
        assertTrue(out.toString().contains("failed beside others and ran again alone: "), out.toString());
        assertEquals(ExitCodes.CHECK_FAILED, exitCode);
        assertTrue(out.toString().contains(BESIDE), out.toString());
    }

    /** Members as they are, but for that of the one attack, whose folder has its name. */
    private static Function<MemberProgram.Of, MemberProgram> members(Service service) {
        return of -> of.folder().toString().contains("attack-" + TALKATIVE)
                ? MemberProgram.counters(quick(of), TalkativeServer.class)
                : service.member(quick(of));
    }

    /** With the first compiler alone: members would keep the second one busy for longer than they live. */
    private static MemberProgram.Of quick(MemberProgram.Of of) {
        ProcessGroup.Place place = of.place();
        List<String> options = new ArrayList<>(place.options());
        options.add("-XX:TieredStopAtLevel=1");
        return new MemberProgram.Of(
                of.member(),
                of.known(),
                new ProcessGroup.Place(place.host(), place.prefix(), place.data(), options, place.classes()),
                of.settings(),
                of.secret(),
                of.folder());
    }
}
