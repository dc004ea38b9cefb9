package org.amo.interceptors.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class JacorbLogLimitTest {
    private final AtomicLong now = new AtomicLong();
    private final JacorbLogLimit limit = new JacorbLogLimit(now::get);

    private static LogRecord jacorb(String message) {
        LogRecord record = new LogRecord(Level.SEVERE, message);
        record.setLoggerName("org.jacorb.orb.giop");
        return record;
    }

    @Test
    void oneFormPassesOnceAMinuteAndThenSaysHowManyThereWere() {
        assertTrue(limit.isLoggable(jacorb("Negative GIOP message size (-1) from 127.0.0.1:30240 (2c47a3a7)")));
        for (int i = 0; i < 1_000; i++) {
            assertFalse(
                    limit.isLoggable(jacorb("Negative GIOP message size (-" + i + ") from 127.0.0.1:" + i + " (2f)")));
        }
        now.addAndGet(60_000_000_000L);
        LogRecord next = jacorb("Negative GIOP message size (-7) from 127.0.0.1:1 (00)");
        assertTrue(limit.isLoggable(next));
        assertTrue(next.getMessage().endsWith("(and 1000 more like it)"), next.getMessage());
    }

    @Test
    void fourFormsPassAMinute() {
        int passed = 0;
        for (int i = 0; i < 500; i++) {
            passed += limit.isLoggable(jacorb("form " + "x".repeat(i))) ? 1 : 0;
        }
        assertEquals(4, passed);
    }

    @Test
    void anExceptionIsToldWithoutItsTrace() {
        LogRecord record = jacorb("Lost a message!");
        record.setThrown(new IllegalStateException("why"));
        assertTrue(limit.isLoggable(record));
        assertNull(record.getThrown());
        assertEquals("Lost a message! (java.lang.IllegalStateException: why)", record.getMessage());
    }

    @Test
    void recordsOfOthersPassAsTheyAre() {
        for (int i = 0; i < 10; i++) {
            LogRecord record = new LogRecord(Level.WARNING, "the same");
            record.setLoggerName("com.example");
            record.setThrown(new IllegalStateException());
            assertTrue(limit.isLoggable(record));
            assertEquals(IllegalStateException.class, record.getThrown().getClass());
        }
    }
}
