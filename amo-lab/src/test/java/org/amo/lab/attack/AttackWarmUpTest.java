package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.benchmarks.ProcessTime.Spent;
import org.junit.jupiter.api.Test;

/** How long clients call before anything is measured, with processor times of our own. */
class AttackWarmUpTest {
    private static final AttackSettings SETTINGS = new AttackSettings(64 << 20, 60_000, 1);

    private final List<Long> waits = new ArrayList<>();
    private double compilerSeconds;
    private long turns;

    /** Each turn takes 2 s of processor time, so much of it by the compiler: one share for each turn, and the last for all others. */
    private Optional<String> await(double... shares) {
        return AttackWarmUp.await(SETTINGS, () -> new Spent(2.0 * turns, compilerSeconds), millis -> {
            waits.add(millis);
            if (waits.size() > 1) {
                compilerSeconds += 2 * shares[(int) Math.min(turns, shares.length - 1)];
                turns++;
            }
        });
    }

    @Test
    void measurementsBeginAtTheFirstTurnInWhichTheCompilersRest() {
        assertEquals(Optional.empty(), await(0.6, 0.06, 0.04, 0.9));
        assertEquals(List.of(20_000L, 5_000L, 5_000L, 5_000L), waits);
    }

    @Test
    void aThirdOfTheDurationPassesInAnyCase() {
        assertEquals(Optional.empty(), await(0));
        assertEquals(List.of(20_000L, 5_000L), waits);
    }

    @Test
    void afterThreeTimesTheDurationTheyBeginAllTheSameAndTheResultSaysSo() {
        String remark = await(0.6, 0.25).orElseThrow();
        assertTrue(remark.contains("25 %"), remark);
        assertEquals(180_000, waits.stream().mapToLong(Long::longValue).sum());
    }
}
