package org.amo.sim.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimTotals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Linearizable calls in virtual time, and each of their rules taken out (rows R1, R3 to R10, R12 to R14, R17, R18). */
class LeaseSimulationTest {
    /** The first seeds that find a plant (docs/protocols/linearizable-rpc.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "takeover-with-old-time", 96L,
            "bound-stays-behind", 5L,
            "clean-without-bound", 6L,
            "retry-under-new-id", 14L,
            "ended-lease-confirmed", 4L);

    @ParameterizedTest
    @EnumSource(Faults.class)
    void noFaultRunsACallTwiceOrLosesOneOrForgetsAClient(Faults faults) {
        int seeds = faults == Faults.NONE ? Seeds.many(3, 10) : Seeds.many(12, 400);
        SimTotals totals = Seeds.noViolation("lease", seeds, faults, 50);
        assertEquals(faults == Faults.NONE, totals.faults().isEmpty(), totals::toString);
    }

    @ParameterizedTest
    @EnumSource(LeaseRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(LeaseRule rule) {
        Seeds.isFound("lease", rule.plant(), FIRST_SEEDS.getOrDefault(rule.plant(), 1L));
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Seeds.repeats("lease", 100);
    }
}
