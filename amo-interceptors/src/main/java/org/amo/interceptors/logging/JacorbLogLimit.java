package org.amo.interceptors.logging;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/**
 * Bounds the messages that a client can make JacORB log: a message of one form once a minute, four forms a minute,
 * without traces. The next message of a form says how many were left out. Messages differ in form if they differ in
 * more than numbers and addresses. Records of other loggers pass. Any thread.
 */
public final class JacorbLogLimit implements Filter {
    private static final String JACORB = "org.jacorb";
    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final int FORMS_A_MINUTE = 4;

    /** So many forms are told apart; a client that invents more does not fill the heap. */
    private static final int MOST_FORMS = 100;

    private final LongSupplier nanoClock;

    /** By form: how many records were left out since the last one that passed. Guarded by this. */
    private final Map<String, Long> leftOut = new HashMap<>();

    /** By form: when the last one passed. Guarded by this. */
    private final Map<String, Long> passed = new HashMap<>();

    /** Made by the platform's logging. */
    public JacorbLogLimit() {
        this(System::nanoTime);
    }

    JacorbLogLimit(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    @Override
    public boolean isLoggable(LogRecord record) {
        String logger = record.getLoggerName();
        if (logger == null || !logger.startsWith(JACORB)) {
            return true;
        }
        String message = String.valueOf(record.getMessage());
        String form = message.replaceAll("[0-9a-f]*[0-9][0-9a-f]*", "#");
        long now = nanoClock.getAsLong();
        synchronized (this) {
            passed.values().removeIf(when -> now - when >= MINUTE_NANOS);
            if (passed.containsKey(form) || passed.size() >= FORMS_A_MINUTE) {
                if (leftOut.size() < MOST_FORMS || leftOut.containsKey(form)) {
                    leftOut.merge(form, 1L, Long::sum);
                }
                return false;
            }
            passed.put(form, now);
            Long count = leftOut.remove(form);
            Throwable thrown = record.getThrown();
            record.setMessage(message
                    + (thrown == null ? "" : " (" + thrown + ")")
                    + (count == null ? "" : " (and " + count + " more like it)"));
            record.setThrown(null);
            return true;
        }
    }
}
