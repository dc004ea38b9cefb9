package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.core.replica.FtsPoison.Mutant;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that end members, in virtual time, and what goes wrong without the rules of the group's verdict. By these the request is
 * skipped or runs everywhere, and the group goes on: {@link FtsSimulationTest#noFaultBreaksARule}.
 */
class FtsPoisonTest {
    /** The first seeds that find a mutant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<Mutant, Long> FIRST_SEEDS = Map.ofEntries(
            Map.entry(Mutant.WITHOUT_THOSE_THAT_EXECUTED_IT, 6L),
            Map.entry(Mutant.WITHOUT_THOSE_THAT_ARE_BLOCKED, 372L),
            Map.entry(Mutant.FORGETS_WHAT_IT_RAN, 372L),
            Map.entry(Mutant.DEATH_HIDES_RUN, 3L),
            Map.entry(Mutant.HOLDS_WITHOUT_MEMORY, 4L),
            Map.entry(Mutant.PROMISE_LOST_BY_DEATH, 4L),
            Map.entry(Mutant.PROMISE_OF_ONE_PROCESS, 4L),
            Map.entry(Mutant.FORGETS_SKIPS, 6L),
            Map.entry(Mutant.KEEPS_BEGUN, 35L),
            Map.entry(Mutant.NEW_MEMBER_ANSWERS, 67L),
            Map.entry(Mutant.LOSES_REPORTS, 2L));

    /** Whether some calls of this seed end members, in runs without a mutant. */
    static boolean isOn(long seed, Faults faults) {
        return new FtsPoison(seed, faults, Mutant.NONE).isOn();
    }

    @ParameterizedTest
    @EnumSource(
            value = Mutant.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "NONE_WHEN_POWER_IS_CUT", "NONE_IN_REPLAYS", "NONE_IN_EARLY_REPLAYS"})
    void aMutantIsFound(Mutant mutant) {
        long first = FIRST_SEEDS.getOrDefault(mutant, 1L);
        Seeds.isFound("fts", mutant.plant(), first);
    }

    /** The runs that find the mutant about old notes, without the mutant. */
    @Test
    void aLossOfPowerBehindARequestThatEndsTheOthersBreaksNoRule() {
        Map<String, Long> faults = faultsThatBreakNoRule(SimOptions.of(Faults.DEFAULT), Mutant.NONE_WHEN_POWER_IS_CUT);
        assertTrue(faults.getOrDefault("powerCut", 0L) > 1, faults::toString);
    }

    /** The runs that find the mutants of promises, without a mutant. In style passive no replay executes a request again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deathsInSeveralRequestsAndInReplaysBreakNoRule(boolean passive) {
        SimOptions active = SimOptions.of(Faults.DEFAULT);
        Map<String, Long> faults =
                faultsThatBreakNoRule(passive ? active.withPassive() : active, Mutant.NONE_IN_REPLAYS);
        assertTrue(faults.getOrDefault("requestSkipped", 0L) > 1, faults::toString);
        assertTrue(faults.getOrDefault("holderKilled", 0L) > 1, faults::toString);
        assertTrue(passive || faults.getOrDefault("relapse", 0L) > 0, faults::toString);
    }

    /** A member that died of a request and, before it could report that, of an earlier one. */
    @Test
    void deathsInReplaysBeforeTheReportBreakNoRule() {
        Map<String, Long> faults = faultsThatBreakNoRule(SimOptions.of(Faults.DEFAULT), Mutant.NONE_IN_EARLY_REPLAYS);
        assertTrue(faults.getOrDefault("relapse", 0L) > Seeds.many(2, 6), faults::toString);
    }

    /** Runs without a planted bug. @return how often each fault happened */
    private static Map<String, Long> faultsThatBreakNoRule(SimOptions options, Mutant none) {
        Map<String, Long> faults = new TreeMap<>();
        for (long seed = 1; seed <= Seeds.many(10, 1_000); seed++) {
            SimResult result = FtsSimulation.run(options, seed, none);
            long failed = seed;
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + failed);
            result.faults().forEach((fault, times) -> faults.merge(fault, times, Long::sum));
        }
        return faults;
    }
}
