package org.amo.lab.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The main job from end to end: real processes, a kill -9, a restart, a verdict. */
@Timeout(180)
@Tag("slow")
class DemoTest {

    @TempDir
    Path folder;

    @Test
    void aFollowerIsKilledAndComesBackAndEveryCallIsExecutedOnce() throws Exception {
        Path history = folder.resolve("history.jsonl");
        Run run = Run.of(
                "demo",
                "--duration",
                "4s",
                "--clients",
                "2",
                "--threads",
                "1",
                "--kill",
                "follower",
                "--json",
                "-",
                "--history",
                history.toString());
        assertEquals(ExitCodes.OK, run.exitCode(), run.out() + run.err());
        JsonNode result = new ObjectMapper().readTree(run.out());
        assertEquals(0, result.get("executedTwice").asLong());
        assertEquals(0, result.get("lost").asLong());
        assertTrue(result.get("statesEqual").asBoolean());
        assertTrue(result.get("ok").asLong() > 20, run.out());
        int killed = 0;
        int restarted = 0;
        for (JsonNode replica : result.get("replicas")) {
            killed += replica.get("killed").asBoolean() ? 1 : 0;
            restarted += replica.get("restarted").asBoolean() ? 1 : 0;
            assertEquals(result.get("replicas").get(0).get("digest"), replica.get("digest"));
        }
        assertEquals(1, killed);
        assertEquals(1, restarted);
        assertTrue(history.toFile().length() > 1_000);
    }

    /** Clients that live for a few calls, each first one a datagram, while the member that serves them is killed. */
    @Test
    void firstCallsByDatagramAreExecutedOnceToo() throws Exception {
        Run run = Run.of("demo", "--transport", "udp", "--duration", "5s", "--clients", "2", "--json", "-");
        assertEquals(ExitCodes.OK, run.exitCode(), run.out() + run.err());
        JsonNode result = new ObjectMapper().readTree(run.out());
        assertEquals(
                0, result.get("executedTwice").asLong() + result.get("lost").asLong());
        assertEquals(0, result.get("failed").asLong() + result.get("unknown").asLong());
        assertTrue(result.get("ok").asLong() > 20, run.out());
        assertTrue(result.findValuesAsText("killed").contains("true"), run.out());
    }
}
