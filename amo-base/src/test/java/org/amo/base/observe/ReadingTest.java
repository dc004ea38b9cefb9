package org.amo.base.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ReadingTest {
    @Test
    void theNameOfACounterEndsInTotalAndThatOfAGaugeDoesNot() {
        assertEquals(3L, Reading.counter("amo_calls_total", 3, "Calls").value());
        refused(() -> Reading.counter("amo_calls", 3, "Calls"));
        refused(() -> Reading.gauge("amo_calls_total", 3, "Calls"));
    }

    @Test
    void partsOfAHistogramHaveNamesOfTheirOwn() {
        Reading count = Reading.ofHistogram("amo_x_seconds_count", 1L, "X");
        assertEquals("amo_x_seconds", count.metric());
        assertEquals(
                "amo_calls_total",
                Reading.counter("amo_calls_total", 3, "Calls").metric());
        refused(() -> Reading.ofHistogram("amo_x_seconds", 1L, "X"));
        refused(() -> Reading.gauge("amo_x_count", 1, "X"));
    }

    @Test
    void theFullNameHasTheValuesOfTheLabels() {
        assertEquals("amo_x", Reading.gauge("amo_x", 1, "X").fullName());
        assertEquals(
                "amo_x.STALE",
                Reading.gauge("amo_x", 1, "X").with("reason", "STALE").fullName());
    }

    @Test
    void aNameIsOneThatAMonitoringSystemTakes() {
        for (String wrong : new String[] {"", "1_call", "amo.calls", "amo-calls", "amoCalls", "amo_calls "}) {
            refused(() -> Reading.gauge(wrong, 1, "Calls"));
        }
    }

    @Test
    void labelsAreNamesAndNoneIsThatOfTheComponent() {
        Reading reading = Reading.gauge("amo_calls", 1, "Calls");
        assertEquals(
                Map.of("cause", "any text"), reading.with("cause", "any text").labels());
        for (String wrong : new String[] {"group", "id", "Cause", "a b", ""}) {
            refused(() -> reading.with(wrong, "x"));
        }
    }

    @Test
    void labelsCannotBeChangedAfterwards() {
        TreeMap<String, String> labels = new TreeMap<>(Map.of("cause", "a"));
        Reading reading = new Reading("amo_calls", Reading.Type.GAUGE, "Calls", labels, 1L);
        labels.put("cause", "b");
        assertEquals(Map.of("cause", "a"), reading.labels());
        assertThrows(UnsupportedOperationException.class, () -> reading.labels().put("cause", "c"));
    }

    @Test
    void aValueIsALongOrADouble() {
        assertEquals(0.5, Reading.gauge("amo_lag_seconds", 0.5, "Lag").value());
        refused(() -> new Reading("amo_x", Reading.Type.GAUGE, "X", Collections.emptySortedMap(), BigDecimal.ONE));
    }

    @Test
    void theReasonOfAnObstacleIsOneLine() {
        Readiness not = Readiness.not(" the disk\n\tis full\r\nmake room\n");
        assertFalse(not.isReady());
        assertEquals("the disk is full make room", not.obstacle().orElseThrow());
        assertTrue(Readiness.READY.isReady());
    }

    private static void refused(Executable making) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, making);
        assertEquals(1, e.getMessage().lines().count());
    }
}
