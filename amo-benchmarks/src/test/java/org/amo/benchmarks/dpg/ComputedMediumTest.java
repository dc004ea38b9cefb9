package org.amo.benchmarks.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Suspended delivery on the single-access medium: computed, so that a busy machine gives the same. */
class ComputedMediumTest {
    private static final int BYTES = 1_000;
    private static final boolean ALL = Boolean.getBoolean("amo.allSeeds");

    static LongStream seeds() {
        return LongStream.rangeClosed(1, ALL ? 8 : 1);
    }

    static IntStream groups() {
        return ALL ? IntStream.of(20, 50) : IntStream.of(20);
    }

    /** The bars of figure 3: at least 0.6 of the link's payload in agreed order, reports at most 20 %. */
    @ParameterizedTest
    @MethodSource("seeds")
    void sevenSitesThatAlwaysHaveAnotherMessageFillTheLink(long seed) {
        ComputedMedium.Result result = ComputedMedium.run(Figure3.MEGABITS, 7, 0, BYTES, 2, seed);
        assertTrue(result.perSecond() >= 0.75 * Figure3.MEGABITS * 1e6 / 8 / BYTES, result::toString);
        assertTrue(result.reportSharePercent() <= 12, result::toString);
        assertEquals(0, result.violationsPerMillion());
    }

    /** What the paper left open: a larger group takes what the paper's group delivers. */
    @ParameterizedTest
    @MethodSource("groups")
    void aLargerGroupKeepsUpAtThePapersRate(int sites) {
        ComputedMedium.Result result = ComputedMedium.run(Figure3.MEGABITS, sites, 740, BYTES, 3, 1);
        assertTrue(result.perSecond() >= 0.95 * 740, result::toString);
        assertTrue(result.reportSharePercent() <= 12, result::toString);
        assertTrue(result.mostVertices() <= 100, result::toString);
        assertEquals(0, result.violationsPerMillion());
    }
}
