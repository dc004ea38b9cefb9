package org.amo.interceptors;

import java.time.Duration;
import org.slf4j.Logger;

/** Warns at most once in a while, and then says how many warnings it kept to itself. Any thread may call it. */
public final class RateLimitedLog {
    private final Logger log;
    private final long pauseNanos;
    private long lastNanos;
    private long suppressed;
    private boolean spoken;

    public RateLimitedLog(Logger log, Duration pause) {
        this.log = log;
        this.pauseNanos = pause.toNanos();
    }

    public synchronized void warn(String message) {
        long now = System.nanoTime();
        if (spoken && now - lastNanos < pauseNanos) {
            suppressed++;
            return;
        }
        log.warn("{}{}", message, suppressed == 0 ? "" : " (and " + suppressed + " more like it)");
        spoken = true;
        lastNanos = now;
        suppressed = 0;
    }
}
