package org.amo.benchmarks.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.amo.benchmarks.link.LinkSettings;
import org.junit.jupiter.api.Test;

class PointTest {
    private static final Point CLEAN = Point.oneWay(100, 10, 1);

    @Test
    void jitterHoldsEachPacketAndReorderingSomeOfThem() {
        LinkSettings jitter = CLEAN.jitter(5).link(1);
        assertEquals(1, jitter.reordering());
        assertEquals(5_000, jitter.reorderMicros());
        LinkSettings reordered = CLEAN.reordered(10).link(1);
        assertEquals(0.1, reordered.reordering());
        assertEquals(10_000, reordered.reorderMicros());
        assertEquals(0, CLEAN.link(1).reordering());
        assertEquals(0.01, jitter.loss());
    }

    @Test
    void aRowNamesTheDisorderThatThereIs() {
        assertEquals(5, CLEAN.jitter(5).settings().get("jitterMillis"));
        assertEquals(10, CLEAN.reordered(10).settings().get("reorderedPercent"));
        assertFalse(CLEAN.settings().containsKey("jitterMillis"));
        assertEquals(
                "one way, 100 Mbit/s, 10 ms, 1 % loss, jitter 5 ms",
                CLEAN.jitter(5).toString());
    }
}
