package org.amo.lab.blackbox.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.amo.cli.ExitCodes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of a minute each; four hours. */
@Tag("slow")
class ManySeedsTest {
    private static final int SEEDS = 10;
    private static final int MOST_SEEDS_FOR_A_PLANT = 5;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"active,3", "active,5", "leader,3", "leader,5", "passive,3", "passive,5"})
    void tenSeedsBreakNoRule(String style, String replicas) throws IOException, InterruptedException {
        noSeedBreaksARule("--style", style, "--replicas", replicas);
    }

    /** In the styles active and leader the agent makes its members equal, in style passive the updates do. */
    @ParameterizedTest
    @CsvSource({"active,3", "active,5", "leader,3", "leader,5", "passive,3", "passive,5"})
    void tenSeedsOfABankThatDrawsBreakNoRule(String style, String replicas) throws IOException, InterruptedException {
        noSeedBreaksARule("--service", "nondeterministic", "--style", style, "--replicas", replicas);
    }

    /**
     * Each change is in each of the three groups once, while members of all of them are killed. The first one has so many replicas, and
     * nested calls are refused in style passive.
     */
    @ParameterizedTest
    @CsvSource({"active,3", "active,5", "leader,3", "leader,5"})
    void tenSeedsOfAChainBreakNoRule(String style, String replicas) throws IOException, InterruptedException {
        noSeedBreaksARule("--service", "chain", "--style", style, "--replicas", replicas);
    }

    /** Clients of a few calls, over a network that loses and repeats datagrams. */
    @ParameterizedTest
    @ValueSource(strings = {"3", "5"})
    void tenSeedsOfFirstCallsByDatagramBreakNoRule(String replicas) throws IOException, InterruptedException {
        noSeedBreaksARule("--service", "counter", "--transport", "udp", "--replicas", replicas);
    }

    private void noSeedBreaksARule(String... arguments) throws IOException, InterruptedException {
        for (int seed = 1; seed <= SEEDS; seed++) {
            List<String> words = new ArrayList<>(List.of(arguments));
            words.addAll(List.of("--seed", Integer.toString(seed)));
            ChaosProcess run = run(words.toArray(String[]::new));
            assertEquals(ExitCodes.OK, run.exitCode(), "seed " + seed + ": " + run.said());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dedupe-on-receipt",
                "sack-outside-order",
                "sack-forgets-id",
                "local-timers",
                "completed-entries-only"
            })
    void everyPlantIsFound(String plant) throws IOException, InterruptedException {
        boolean found = false;
        for (int seed = 1; seed <= MOST_SEEDS_FOR_A_PLANT && !found; seed++) {
            Path json = folder.resolve("result");
            ChaosProcess run = run("--plant", plant, "--seed", Integer.toString(seed), "--json", json.toString());
            found = run.exitCode() == ExitCodes.CHECK_FAILED
                    && (breaksAPromise(new ObjectMapper().readTree(json.toFile())) || breaksARule(run.said()));
        }
        assertTrue(found, plant + " was not found with " + MOST_SEEDS_FOR_A_PLANT + " seeds");
    }

    /** A run without a fault, or with calls of unknown outcome alone, has failed and found nothing. */
    private static boolean breaksAPromise(JsonNode result) {
        return result.get("executedTwice").asLong() + result.get("lost").asLong() > 0
                || !result.get("statesEqual").asBoolean()
                || result.get("diverged").asLong() > 0;
    }

    /** Of the history, other than that nothing was answered. */
    private static boolean breaksARule(String said) {
        return said.lines().anyMatch(line -> line.matches("FAIL +(?!calls|progress)[a-z]+ .*"));
    }

    private ChaosProcess run(String... arguments) throws IOException, InterruptedException {
        String[] all = new String[arguments.length + 2];
        all[0] = "--duration";
        all[1] = "60s";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return ChaosProcess.run(folder.resolve("output"), all);
    }
}
