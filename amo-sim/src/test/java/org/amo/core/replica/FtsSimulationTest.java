package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.Faults;
import org.amo.sim.Plant;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimTotals;
import org.amo.sim.Simulations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The decision table, the replica and the client session in virtual time, and each of their rules taken out. */
class FtsSimulationTest {
    private static final int PLANT_SEEDS = 1_000;

    /** How often at least the parts of the world come about that only some seeds have. In a build, some of them need not. */
    private static Map<String, Integer> least(Faults faults) {
        boolean harsh = faults == Faults.HARSH;
        return Map.of(
                "memberEnds", Seeds.many(6, 10),
                "requestSkipped", 1,
                "otherResult", Seeds.many(harsh ? 0 : 2, 5),
                "diverged", Seeds.many(harsh ? 0 : 1, 3),
                "divergenceNamed", Seeds.many(0, 1),
                "nestedCall", Seeds.many(40, 100),
                "nestedRepeat", Seeds.many(0, 1),
                "nestedUnknown", 1,
                "nestedSnapshot", Seeds.many(0, 1),
                "greedyClient", Seeds.many(2, 3));
    }

    /** The first seeds that find a plant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.ofEntries(
            Map.entry("upper-for-unknown-only", 332L),
            Map.entry("refuse-first-submission", 281L),
            Map.entry("unknown-is-refusal", 128L),
            Map.entry("sync-retried", 69L),
            Map.entry("full-acknowledged", 90L),
            Map.entry("refused-carrier-ignored", 49L),
            Map.entry("empty-start-open", 35L),
            Map.entry("repeats-untold", 26L),
            Map.entry("snapshot-unchecked", 26L),
            Map.entry("expired-before-stale", 10L),
            Map.entry("wall-clock-stamps", 9L),
            Map.entry("snapshot-two-positions", 7L),
            Map.entry("record-unchecked", 7L),
            Map.entry("damage-taken-for-crash", 7L),
            Map.entry("damaged-votes", 7L),
            Map.entry("parameters-per-process", 6L),
            Map.entry("deliver-before-majority", 5L),
            Map.entry("purge-without-resolved", 4L),
            Map.entry("sack-of-unseen-ignored", 4L),
            Map.entry("lost-copy-uncounted", 2L));

    /** With nested calls and divergences, and of the first ones those with requests that end members. */
    private static LongStream seeds(Faults faults) {
        return faults == Faults.NONE
                ? LongStream.rangeClosed(1, Seeds.many(2, 20))
                : Seeds.firstAndRare(8, 80, seed -> isRare(seed, faults), 1_000);
    }

    private static boolean isRare(long seed, Faults faults) {
        return hasNestedCalls(seed, faults)
                || hasDivergence(seed, faults)
                || (seed <= 30 && FtsPoisonTest.isOn(seed, faults));
    }

    private static boolean hasNestedCalls(long seed, Faults faults) {
        return FtsSimulation.nested(SimOptions.of(faults), seed, greed(seed, faults), false)
                .isOn();
    }

    private static boolean hasDivergence(long seed, Faults faults) {
        return FtsSimulation.divergence(
                        seed,
                        faults,
                        greed(seed, faults),
                        new FtsPoison(seed, faults, FtsPoison.Mutant.NONE),
                        DetectorBug.NONE,
                        false)
                .isOn();
    }

    private static FtsGreed greed(long seed, Faults faults) {
        return new FtsGreed(seed, faults, FtsGreed.Mutant.NONE);
    }

    @ParameterizedTest
    @EnumSource(Faults.class)
    void noFaultBreaksARule(Faults faults) {
        boolean none = faults == Faults.NONE;
        SimTotals totals = Seeds.noViolation("fts", seeds(faults), faults, 200);
        System.out.println(faults + ": " + totals.faults());
        assertEquals(none, totals.faults().isEmpty(), totals::toString);
        if (!none) {
            least(faults)
                    .forEach((part, least) -> assertTrue(
                            totals.faults().getOrDefault(part, 0L) >= least, () -> part + " of " + totals.faults()));
        }
    }

    @ParameterizedTest
    @EnumSource(SafetyRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(SafetyRule rule) {
        isFound(rule.plant());
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void aClientWithABugIsFoundWithTheDefaultFaults(FtsMutant mutant) {
        isFound(mutant.plant());
    }

    static List<FtsMutant> mutants() {
        return Planted.all(FtsMutant.values());
    }

    @ParameterizedTest
    @EnumSource(value = SimDisks.Mutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMemberThatTakesDamageLightlyIsFound(SimDisks.Mutant mutant) {
        isFound(mutant.plant());
    }

    private static void isFound(String plant) {
        Seeds.isFound("fts", plant, FIRST_SEEDS.getOrDefault(plant, 1L));
    }

    /** Also where a part is drawn apart from the world: one seed has calls that end members and nested calls, the other a divergence. */
    @Test
    void theSameSeedGivesTheSameRun() {
        Seeds.repeats(
                "fts",
                first(seed -> FtsPoisonTest.isOn(seed, Faults.HARSH) && hasNestedCalls(seed, Faults.HARSH)),
                1_000);
        Seeds.repeats("fts", first(seed -> hasDivergence(seed, Faults.HARSH)), 1_000);
    }

    private static long first(LongPredicate suits) {
        return LongStream.iterate(1, seed -> seed + 1).filter(suits).findFirst().orElseThrow();
    }

    @Test
    void aViolationIsTheSameWithAndWithoutATrace() {
        SimOptions options = SimOptions.of(Faults.DEFAULT).withPlant("sack-forgets-id");
        SimTotals totals = SimTotals.run("fts", 1, PLANT_SEEDS, options, result -> {});
        SimResult found = totals.firstViolation().orElseThrow();
        assertTrue(found.violation().orElseThrow().trace().size() > 1, "a violation has a trace, asked for or not");
        SimResult replayed = new FtsSimulation().run(options.withTrace(), found.seed());
        assertEquals(
                found.violation().orElseThrow().detail(),
                replayed.violation().orElseThrow().detail());
    }

    @Test
    void theNumberOfReplicasCanBeChosen() {
        SimOptions options = new SimOptions(Faults.DEFAULT, Optional.empty(), OptionalInt.of(5), true);
        SimResult result = new FtsSimulation().run(options, 3);
        assertEquals(Optional.empty(), result.violation());
        assertTrue(result.trace().stream().anyMatch(line -> line.contains(" r4: runs call")), "r4 executes too");
    }

    @Test
    void everyRuleIsAPlantWithANameOfItsOwn() {
        List<Plant> plants = Simulations.plants();
        Set<String> names = new HashSet<>();
        for (Plant plant : plants) {
            assertTrue(plant.name().matches("[a-z]{2,}(-[a-z]+)+"), plant.name());
            assertTrue(names.add(plant.name()), plant.name() + " is there twice");
            assertTrue(Simulations.protocols().contains(plant.protocol()), plant.protocol());
        }
        assertEquals(
                SafetyRule.values().length
                        + Planted.all(FtsMutant.values()).size()
                        + Planted.all(NestedBug.values()).size()
                        + Planted.all(FtsPassive.Mutant.values()).size()
                        + Planted.all(FtsParallel.Mutant.values()).size()
                        + Planted.all(SimDisks.Mutant.values()).size()
                        + Planted.all(FtsReads.Mutant.values()).size()
                        + Planted.all(DetectorBug.values()).size()
                        + Planted.all(FtsPoison.Mutant.values()).size()
                        + Planted.all(FtsGreed.Mutant.values()).size()
                        + Planted.all(FtsTimers.Mutant.values()).size()
                        + Planted.all(FtsDatagrams.Mutant.values()).size()
                        + Planted.all(FtsIdentities.Mutant.values()).size()
                        + Planted.all(FtsLevels.Mutant.values()).size(),
                plants.stream().filter(plant -> plant.protocol().equals("fts")).count());
    }

    @Test
    void whatDoesNotExistIsNamed() {
        SimOptions unknown = SimOptions.of(Faults.NONE).withPlant("no-such-plant");
        String plant = assertThrows(IllegalArgumentException.class, () -> new FtsSimulation().run(unknown, 1))
                .getMessage();
        assertTrue(plant.contains("no-such-plant") && plant.contains("--list-plants"), plant);
        String protocol = assertThrows(IllegalArgumentException.class, () -> Simulations.of("tcp"))
                .getMessage();
        assertTrue(protocol.contains("tcp") && protocol.contains("fts"), protocol);
        String faults = assertThrows(IllegalArgumentException.class, () -> Faults.parse("mild"))
                .getMessage();
        assertTrue(faults.contains("mild") && faults.contains("harsh"), faults);
    }

    @Test
    void theCommandReplaysTheSeed() {
        assertEquals(
                "./amo sim fts --seeds 42..42 --faults harsh --plant sack-forgets-id --trace",
                SimTotals.replayCommand("fts", SimOptions.of(Faults.HARSH).withPlant("sack-forgets-id"), 42));
    }
}
