package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimTotals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exon in virtual time, and each of its rules taken out (rows E2 to E7, E9, E11 to E13, E15, E16). */
class ExonSimulationTest {
    /** The first seeds that find a plant (docs/protocols/exon.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "request-before-token", 9L,
            "token-without-incarnation", 60L,
            "acknowledge-only-incarnation", 80L,
            "acknowledge-former-life", 60L,
            "evict-without-bound", 60L,
            "clock-not-durable", 2L,
            "expired-is-not-sent", 5L);

    @ParameterizedTest
    @EnumSource(Faults.class)
    void noFaultLosesOrDoublesAMessage(Faults faults) {
        int seeds = faults == Faults.NONE ? Seeds.many(3, 10) : Seeds.many(12, 400);
        SimTotals totals = Seeds.noViolation("exon", seeds, faults, 50);
        assertEquals(faults == Faults.NONE, totals.faults().isEmpty(), totals::toString);
    }

    @ParameterizedTest
    @EnumSource(ExonRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(ExonRule rule) {
        Seeds.isFound("exon", rule.plant(), FIRST_SEEDS.getOrDefault(rule.plant(), 1L));
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Seeds.repeats("exon", 100);
    }
}
