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
    private static final Map<String, Long> FIRST_SEEDS = Map.ofEntries(
            Map.entry("request-before-token", 14L),
            Map.entry("token-without-incarnation", 12L),
            Map.entry("clock-stays-on-removal", 4L),
            Map.entry("acknowledge-only-incarnation", 4L),
            Map.entry("clock-not-durable", 2L),
            Map.entry("acknowledge-former-life", 33L),
            Map.entry("evict-without-bound", 33L),
            Map.entry("expired-is-not-sent", 5L),
            Map.entry("forgotten-while-it-waits", 23L),
            Map.entry("refused-is-delivered", 3L),
            Map.entry("reordering-window-never-shrinks", 13L),
            Map.entry("key-reused-after-restart", 64L),
            Map.entry("replay-accepted-after-restart", 20L),
            Map.entry("former-keys-dropped-at-rotation", 9L),
            Map.entry("record-number-unchecked", 9L),
            Map.entry("keys-used-at-answer", 9L),
            Map.entry("address-without-proof", 28L));

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

    @Test
    void theSameSeedGivesTheSameKeys() {
        Seeds.repeats("exon", 9, 100);
    }
}
