package org.amo.scmp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimTotals;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** S4, S5 and figure 3-1 in virtual time, and each rule taken out. {@code -Dscmp.seeds=2000} runs 10^7 messages. */
class ScmpSimulationTest {
    private static final int SEEDS = Integer.getInteger("scmp.seeds", Seeds.many(12, 400));

    /** The first seeds that find a plant (docs/protocols/scmp.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "latest-before-durable", 104L,
            "stored-latest-falls", 7L,
            "restart-without-waiting", 189L,
            "refusal-leaves-trace", 10L,
            "old-refusal-undoes-newer", 7L,
            "evict-without-upper", 3L,
            "one-upper-for-all", 3L,
            "completion-without-timestamp", 4L,
            "refusal-taken-as-now", 2L);

    @ParameterizedTest
    @CsvSource({"scmp, none", "scmp, default", "scmp, harsh", "scmp-rpc, none", "scmp-rpc, default", "scmp-rpc, harsh"})
    void noFaultBreaksARule(String protocol, String faults) {
        boolean filter = protocol.equals("scmp");
        int quarter = Math.max(5, SEEDS / 4);
        int seeds = !filter ? quarter : faults.equals("none") ? Seeds.many(quarter, SEEDS) : SEEDS;
        SimTotals totals = Seeds.noViolation(protocol, seeds, Faults.parse(faults), filter ? 3_000 : 500);
        if (faults.equals("default")) {
            for (String kind : new String[] {"lost", "repeated", "held", "slow", "crash", "wrongClock", "clockStep"}) {
                assertTrue(totals.faults().getOrDefault(kind, 0L) > 0, () -> kind + " never happened: " + totals);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ScmpRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(ScmpRule rule) {
        Seeds.isFound(rule.bug().protocol(), rule.plant(), FIRST_SEEDS.getOrDefault(rule.plant(), 1L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"scmp", "scmp-rpc"})
    void theSameSeedGivesTheSameRun(String protocol) {
        Seeds.repeats(protocol, 1_000);
    }
}
