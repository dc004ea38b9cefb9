package org.amo.base.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimeHistogramTest {
    private final TimeHistogram times = new TimeHistogram();

    private Map<String, Number> told() {
        Map<String, Number> told = new LinkedHashMap<>();
        times.readings("amo_x_seconds", "X").forEach(each -> told.put(each.fullName(), each.value()));
        return told;
    }

    @Test
    void aClassHoldsTimesUpToItsBoundAndAllClassesBelow() {
        times.add(100_000);
        times.add(100_001);
        times.add(2_000_000_000L);
        times.add(3_600_000_000_000L);
        Map<String, Number> told = told();
        assertEquals(19, told.size());
        assertEquals(1L, told.get("amo_x_seconds_bucket.0.0001"));
        assertEquals(2L, told.get("amo_x_seconds_bucket.0.00025"));
        assertEquals(2L, told.get("amo_x_seconds_bucket.1.0"));
        assertEquals(3L, told.get("amo_x_seconds_bucket.2.5"));
        assertEquals(3L, told.get("amo_x_seconds_bucket.10.0"));
        assertEquals(4L, told.get("amo_x_seconds_bucket.+Inf"));
        assertEquals(4L, told.get("amo_x_seconds_count"));
        assertEquals(3_602.000200001, told.get("amo_x_seconds_sum").doubleValue(), 1e-9);
    }

    @Test
    void aNegativeTimeIsNone() {
        times.add(-5);
        assertEquals(1L, told().get("amo_x_seconds_bucket.0.0001"));
        assertEquals(0.0, told().get("amo_x_seconds_sum"));
    }
}
