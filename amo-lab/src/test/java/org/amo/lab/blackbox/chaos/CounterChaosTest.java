package org.amo.lab.blackbox.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.amo.cli.ExitCodes;
import org.amo.lab.chaos.Ledgers;
import org.amo.testkit.check.CheckReport;
import org.amo.testkit.check.Checker;
import org.amo.testkit.history.HistoryFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One short run with the plain Java counters, disks that lie and a heap that is used up. */
@Timeout(400)
@Tag("slow")
class CounterChaosTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The first fault takes all memory of a replica, the second flips a bit in the log of a killed one, also where no disk can be full. */
    private static final String SEED = "15661";

    @TempDir
    private Path folder = Path.of("unset");

    private final Map<String, String> operations = new HashMap<>();

    @Test
    void aFlippedBitIsRepairedAndTheHistoryHoldsWhatACheckerNeeds() throws Exception {
        ChaosProcess run = ChaosProcess.run(
                folder.resolve("output"),
                "--service",
                "counter",
                "--faults",
                "disk,memory",
                "--duration",
                "20s",
                "--seed",
                SEED,
                "--clients",
                "3",
                "--json",
                folder.resolve("result").toString(),
                "--history",
                folder.resolve("history").toString());
        String said = run.said();
        assertEquals(ExitCodes.OK, run.exitCode(), said);
        JsonNode result = MAPPER.readTree(folder.resolve("result").toFile());
        for (String zero : List.of("executedTwice", "lost", "violations")) {
            assertEquals(0, result.get(zero).asLong(), said);
        }
        assertTrue(result.get("ok").asLong() > 20, said);
        assertTrue(result.get("statesEqual").asBoolean(), said);
        assertTrue(result.get("faults").path("bitFlip").asLong() > 0, said);
        assertTrue(result.get("faults").path("memory").asLong() > 0, said);
        assertTrue(result.get("repaired").asLong() > 0, said);

        List<JsonNode> events = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("history"))) {
            events.add(MAPPER.readTree(line));
        }
        Set<String> valued = new HashSet<>();
        for (JsonNode event : events) {
            if (event.has("op")) {
                operations.put(event.path("id").asText(), event.path("op").asText());
            }
            if (event.path("type").asText().equals("exec") && event.has("value")) {
                assertTrue(!event.path("value").isTextual(), event::toString);
                valued.add(operations.getOrDefault(event.path("id").asText(), ""));
            }
        }
        assertTrue(valued.containsAll(List.of("add", "all")), valued::toString);
        assertTrue(check(events).passed(), () -> check(events).lines().toString());
        // What a service that lies would have left behind.
        assertTrue(check(changed(events, "exec", event -> event.put("value", 77_777_777)))
                        .violations("values")
                > 0);
        assertTrue(check(changed(events, "ok", event -> event.put("value", 77_777_777)))
                        .violations("replay")
                > 0);
        assertTrue(
                check(changed(events, "ok", event -> event.put("type", "fail"))).violations("refused") > 0);
        assertTrue(check(changed(events, "exec", event -> event.put("id", "of-nobody")))
                        .violations()
                > 0);
    }

    /** The events with one of an {@code add} in the middle changed. */
    private List<JsonNode> changed(List<JsonNode> events, String type, Consumer<ObjectNode> change) {
        for (int i = events.size() / 2; i < events.size(); i++) {
            JsonNode event = events.get(i);
            if (event.path("type").asText().equals(type)
                    && "add".equals(operations.get(event.path("id").asText()))) {
                List<JsonNode> copy = new ArrayList<>(events);
                ObjectNode other = event.deepCopy();
                change.accept(other);
                copy.set(i, other);
                return copy;
            }
        }
        throw new AssertionError("no " + type + " of an add in the history");
    }

    private static CheckReport check(List<JsonNode> events) {
        return Checker.check(
                HistoryFile.parse(events.stream().map(JsonNode::toString).toList()), Ledgers.counters());
    }
}
