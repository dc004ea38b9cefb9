package org.amo.lab.blackbox.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.List;
import org.amo.cli.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One short run of the command with disks that lie and a heap that is used up. */
@Timeout(400)
class DiskChaosTest {
    /** The first fault flips a bit in the log of a killed replica, the second takes all memory of another one. */
    private static final String SEED = "7281";

    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void aFlippedBitIsRepairedAndNoRuleIsBroken() throws Exception {
        Path json = folder.resolve("result");
        ChaosProcess run = ChaosProcess.run(
                folder.resolve("output"),
                "--service",
                "counter",
                "--faults",
                "disk,memory",
                "--duration",
                "10s",
                "--seed",
                SEED,
                "--clients",
                "3",
                "--json",
                json.toString());
        assertEquals(ExitCodes.OK, run.exitCode(), run.said());
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        for (String zero : List.of("executedTwice", "lost", "violations")) {
            assertEquals(0, result.get(zero).asLong(), run.said());
        }
        assertTrue(result.get("statesEqual").asBoolean(), run.said());
        assertTrue(result.get("faults").path("bitFlip").asLong() > 0, run.said());
        assertTrue(result.get("repaired").asLong() > 0, run.said());
    }
}
