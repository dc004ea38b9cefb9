package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Section 4.5: the least time between two messages of a site follows overflows, here and elsewhere. */
class FlowControlTest {
    private static final long START = 500;
    private final FlowControl flow = new FlowControl(
            DpgOptions.builder().flowControl(10, 5_000, 100, 1_000).build(), START);

    @Test
    void theCycleStandsBetweenTwoMessages() {
        assertEquals(START, flow.nextMicros());
        flow.onSent(700);
        assertEquals(710, flow.nextMicros());
        flow.onOverflow();
        flow.onSent(800);
        assertEquals(910, flow.nextMicros());
    }

    @Test
    void theCycleRisesToItsCeilingAndNoReportLowersIt() {
        for (int i = 0; i < 100; i++) {
            flow.onOverflow();
        }
        assertEquals(5_000, flow.cycleMicros());
        flow.onReport(20);
        assertEquals(5_000, flow.cycleMicros());
    }

    /** A step down for each period that has passed, however rarely it is asked. */
    @Test
    void theCycleFallsByAStepAPeriod() {
        flow.onReport(3_000);
        flow.onTime(START + 999);
        assertEquals(3_000, flow.cycleMicros());
        flow.onTime(START + 1_000);
        assertEquals(2_900, flow.cycleMicros());
        flow.onTime(START + 1_999);
        assertEquals(2_900, flow.cycleMicros());
        flow.onTime(START + 4_500);
        assertEquals(2_600, flow.cycleMicros(), "three periods at once");
        flow.onTime(START + 4_999);
        assertEquals(2_600, flow.cycleMicros());
        flow.onTime(START + 5_000);
        assertEquals(2_500, flow.cycleMicros());
        flow.onTime(Long.MAX_VALUE / 2);
        assertEquals(10, flow.cycleMicros());
    }
}
