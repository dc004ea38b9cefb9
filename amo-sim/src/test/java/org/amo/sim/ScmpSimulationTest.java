package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.scmp.ScmpRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** S4, S5 and figure 3-1 in virtual time, and each rule taken out. {@code -Dscmp.seeds=2000} runs 10^7 messages. */
class ScmpSimulationTest {
    private static final int PLANT_SEEDS = 1_000;
    private static final int SEEDS = Integer.getInteger("scmp.seeds", 40);

    @ParameterizedTest
    @CsvSource({"scmp, none", "scmp, default", "scmp, harsh", "scmp-rpc, none", "scmp-rpc, default", "scmp-rpc, harsh"})
    void noFaultBreaksARule(String protocol, String faults) {
        SimOptions options = SimOptions.of(Faults.parse(faults));
        int seeds = protocol.equals("scmp") ? SEEDS : (SEEDS + 3) / 4;
        SimTotals totals = SimTotals.run(protocol, 1, seeds, options, result -> {});
        assertEquals(
                Optional.empty(),
                totals.firstViolation().flatMap(SimResult::violation),
                () -> SimTotals.replayCommand(
                        protocol,
                        options,
                        totals.firstViolation().map(SimResult::seed).orElse(0L)));
        assertTrue(totals.operations() > (protocol.equals("scmp") ? 3_000L : 1_000L) * seeds, totals::toString);
        if (faults.equals("default")) {
            for (String kind : new String[] {"lost", "repeated", "held", "slow", "crash", "wrongClock", "clockStep"}) {
                assertTrue(totals.faults().getOrDefault(kind, 0L) > 0, () -> kind + " never happened: " + totals);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ScmpRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(ScmpRule rule) {
        SimOptions options = SimOptions.of(Faults.DEFAULT).withPlant(rule.plant());
        SimTotals totals = SimTotals.run(rule.protocol(), 1, PLANT_SEEDS, options, result -> {});
        Violation violation = totals.firstViolation()
                .flatMap(SimResult::violation)
                .orElseThrow(() -> new AssertionError(rule.plant() + " was not found in " + PLANT_SEEDS + " seeds"));
        assertTrue(violation.trace().size() > 1, "the violation has no trace");
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        for (String protocol : new String[] {"scmp", "scmp-rpc"}) {
            SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
            SimResult once = Simulations.of(protocol).run(options, 7);
            assertEquals(once, Simulations.of(protocol).run(options, 7));
            assertTrue(once.trace().size() > 1_000, "a traced run keeps every event");
        }
    }
}
