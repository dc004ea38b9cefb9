package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.amo.base.observe.Reading;
import org.junit.jupiter.api.Test;

class CommitTimesTest {
    private final CommitTimes times = new CommitTimes();

    private Number told(String part) {
        return times.histogram().readings("amo_x_seconds", "X").stream()
                .filter(each -> each.name().equals("amo_x_seconds_" + part))
                .map(Reading::value)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachSubmissionIsMeasuredOnce() {
        times.submitted(7, 1_000_000_000);
        times.submitted(8, 2_000_000_000);
        times.delivered(8, 5_000_000_000L);
        times.delivered(7, 5_000_000_000L);
        times.delivered(7, 9_000_000_000L);
        assertEquals(2L, told("count"));
        assertEquals(7.0, told("sum"));
    }

    @Test
    void oneThatIsNotKnownIsNotMeasured() {
        times.delivered(0, 5);
        assertEquals(0L, told("count"));
    }

    @Test
    void ofTooManyTheOldestAreForgotten() {
        for (int i = 0; i <= 1_024; i++) {
            times.submitted(i, 0);
        }
        times.delivered(0, 1_000_000_000);
        assertEquals(0L, told("count"));
        times.delivered(1_024, 1_000_000_000);
        assertEquals(1L, told("count"));
    }
}
