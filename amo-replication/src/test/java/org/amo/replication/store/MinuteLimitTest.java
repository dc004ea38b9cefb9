package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MinuteLimitTest {
    @Test
    void oneWarningAMinutePasses() {
        AtomicLong nanos = new AtomicLong(-7);
        MinuteLimit limit = new MinuteLimit(nanos::get);
        assertTrue(limit.pass());
        assertFalse(limit.pass());
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1) - 1);
        assertFalse(limit.pass());
        nanos.incrementAndGet();
        assertTrue(limit.pass());
        assertFalse(limit.pass());
    }
}
