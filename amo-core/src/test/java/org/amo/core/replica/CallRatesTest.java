package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls a second in ordered time: a bucket of one second's calls that fills again. */
final class CallRatesTest {
    private final CallRates<String> rates = new CallRates<>();

    @Test
    void aBucketHoldsTheCallsOfASecondAndFillsEvenly() {
        assertEquals(10, take("a", 10, 5_000));
        assertEquals(0, take("a", 10, 5_099));
        assertEquals(1, take("a", 10, 5_100));
        assertEquals(3, take("a", 10, 5_400));
        assertEquals(10, take("a", 10, 60_000), "never more than a second's");
    }

    @Test
    void oneCallASecondIsOneCallASecond() {
        assertEquals(1, take("a", 1, 5_000));
        assertEquals(0, take("a", 1, 5_999));
        assertEquals(1, take("a", 1, 6_000));
    }

    @Test
    void keysDoNotShareTheirBuckets() {
        assertEquals(2, take("a", 2, 5_000));
        assertEquals(2, take("b", 2, 5_000));
    }

    @Test
    void withoutALimitNothingIsRefusedAndNothingKept() {
        for (int i = 0; i < 1_000; i++) {
            assertTrue(rates.allows("a", 0, 5_000));
            rates.take("a", 0, 5_000);
        }
        assertEquals(0, rates.size(5_000));
    }

    @Test
    void aBucketThatIsFullAgainIsNotKept() {
        take("b", 2, 5_000);
        take("a", 1, 5_000);
        assertEquals(List.of("a=6000000", "b=6000000"), kept(5_999));
        assertEquals(2, rates.size(5_999));
        assertEquals(List.of(), kept(6_000));
        assertEquals(0, rates.size(6_000));
    }

    /** Full buckets are dropped now and then, when a call is taken; the others stay. */
    @Test
    void aBucketThatIsNotFullOutlastsTheDropOfFullOnes() {
        take("b", 1, 5_000);
        take("a", 1, 5_500);
        take("c", 1, 6_000);
        assertFalse(rates.allows("a", 1, 6_000));
        assertTrue(rates.allows("a", 1, 6_500));
    }

    @Test
    void aRestoredBucketGoesOnWhereItWas() {
        take("a", 2, 5_000);
        CallRates<String> restored = new CallRates<>();
        rates.forEach(5_000, restored::restore);
        assertFalse(restored.allows("a", 2, 5_499));
        assertTrue(restored.allows("a", 2, 5_500));
    }

    @Test
    void aCopyIsOnItsOwn() {
        take("a", 2, 5_000);
        CallRates<String> copy = rates.copy();
        take("b", 2, 5_000);
        assertEquals(1, copy.size(5_000));
        assertFalse(copy.allows("a", 2, 5_000));
        assertTrue(copy.allows("b", 2, 5_000));
    }

    private int take(String key, int callsPerSecond, long now) {
        int taken = 0;
        while (taken <= 2 * callsPerSecond && rates.allows(key, callsPerSecond, now)) {
            rates.take(key, callsPerSecond, now);
            taken++;
        }
        return taken;
    }

    private List<String> kept(long now) {
        List<String> kept = new ArrayList<>();
        rates.forEach(now, (key, full) -> kept.add(key + "=" + full));
        return kept;
    }
}
