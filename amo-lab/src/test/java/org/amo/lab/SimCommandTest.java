package org.amo.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.junit.jupiter.api.Test;

class SimCommandTest {

    @Test
    void progressTellsTheTimeThatIsLeft() {
        assertEquals("400 of 2,000 seeds, 12 s left", SimCommand.progress(400, 2_000, 3));
    }

    @Test
    void seedsWithoutViolationEndWellAndTheirTotalsAreJson() throws Exception {
        Run run = Run.of("sim", "fts", "--seeds", "1..3", "--json", "-");
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        JsonNode object = new ObjectMapper().readTree(run.out());
        Set<String> names = new HashSet<>();
        object.fieldNames().forEachRemaining(names::add);
        assertTrue(names.containsAll(List.of(
                "protocol",
                "seeds",
                "operations",
                "faults",
                "violations",
                "firstViolation",
                "seedsPerSecond",
                "commit")));
        assertEquals(3, object.get("seeds").asLong());
        assertEquals(0, object.get("violations").asLong());
        assertTrue(object.get("firstViolation").isNull());
        assertTrue(object.get("operations").asLong() > 100);
        assertTrue(object.get("faults").isIntegralNumber());
    }

    @Test
    void aPlantedBugIsFoundAndTheMessageReplaysIt() throws Exception {
        Run run = Run.of("sim", "fts", "--seeds", "1..50", "--plant", "sack-outside-order", "--json", "-");
        assertEquals(ExitCodes.CHECK_FAILED, run.exitCode());
        JsonNode first = new ObjectMapper().readTree(run.out()).get("firstViolation");
        String seed = first.get("seed").asText();
        assertTrue(first.get("rule").asText().length() > 3);
        assertTrue(first.get("trace").size() > 10);
        assertTrue(run.err()
                .contains("./amo sim fts --seeds " + seed + ".." + seed + " --faults default"
                        + " --plant sack-outside-order"));
        Run again = Run.of("sim", "fts", "--seeds", seed, "--plant", "sack-outside-order", "--json", "-");
        assertEquals(
                first, new ObjectMapper().readTree(again.out()).get("firstViolation"), "the seed alone reproduces");
    }

    /** Row D15: how often the order was violated is told for each medium and detector. */
    @Test
    void dpgTellsViolationsPerMillionForEachMediumAndDetector() throws Exception {
        Run run = Run.of("sim", "dpg", "--seeds", "6..8", "--faults", "none", "--json", "-");
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        JsonNode object = new ObjectMapper().readTree(run.out());
        assertTrue(object.get("simulatedSecondsPerSecond").asDouble() > 0);
        JsonNode rows = object.get("rows");
        assertTrue(rows.size() >= 2, run.out());
        long seeds = 0;
        for (JsonNode row : rows) {
            seeds += row.get("seeds").asLong();
            assertTrue(row.get("name").asText().contains("; "), row::toString);
            assertTrue(row.get("deliveries").asLong() > 100, row::toString);
            assertEquals(0, row.get("violationsPerMillion").asDouble(), row::toString);
            assertTrue(row.get("reportSharePercent").asDouble() > 0, row::toString);
        }
        assertEquals(3, seeds);
        Run words = Run.of("sim", "dpg", "--seeds", "8..8", "--faults", "none");
        assertTrue(words.out().contains("bounded delay; delays: 1 seeds"), words.out());
        assertTrue(words.out().contains("out of place and 0.0 unheard per million"), words.out());
    }

    @Test
    void plantsAreListedOneALine() {
        Run run = Run.of("sim", "--list-plants");
        assertEquals(ExitCodes.OK, run.exitCode());
        List<String> lines = run.out().lines().toList();
        assertTrue(lines.size() >= 38, run.out());
        lines.forEach(line -> assertTrue(line.matches("(fts|scmp|scmp-rpc|lease|exon|dpg) [a-z][a-z-]{3,} .+"), line));
    }

    @Test
    void oneMemberAloneIsNoViolation() {
        Run run = Run.of("sim", "fts", "--seeds", "1..5", "--faults", "harsh", "--sites", "1", "--json", "-");
        assertEquals(ExitCodes.OK, run.exitCode(), run.out() + run.err());
    }

    @Test
    void mistakesAreOneLineAndExitCode2() {
        for (String line : List.of(
                "sim",
                "sim exon-and-on",
                "sim fts --seeds 9..1",
                "sim fts --seeds many",
                "sim fts --faults cruel",
                "sim fts --plant no-such-plant",
                "sim fts --sites 0",
                "sim exon --sites 1 --seeds 1..1",
                "sim scmp --sites 3 --seeds 1..1",
                "sim scmp-rpc --sites 3 --seeds 1..1",
                "sim fts --seeds 1..1 --json /no/such/folder/file.json")) {
            Run run = Run.of(line.split(" ", -1));
            assertEquals(ExitCodes.USER, run.exitCode(), line + run.err());
            assertTrue(run.isOneLineOfError(), line + run.err());
        }
    }
}
