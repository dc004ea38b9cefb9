package org.amo.observe;

import java.util.HashMap;
import java.util.Map;

/** Admits a bounded number of open pages. A page that has not asked for a while has left. Any thread. */
final class Viewers {
    /** Each asks once a second. */
    static final int MOST = 24;

    static final long LEFT_NANOS = 5_000_000_000L;

    private static final int LONGEST_NAME = 32;

    /** When each asked last. At most {@link #MOST}. */
    private final Map<String, Long> asked = new HashMap<>();

    /** @param name drawn by the page; those without one, as of scripts, count as one */
    synchronized boolean admits(String name, long nowNanos) {
        String known = name.substring(0, Math.min(LONGEST_NAME, name.length()));
        if (!asked.containsKey(known) && asked.size() >= MOST) {
            asked.values().removeIf(last -> nowNanos - last > LEFT_NANOS);
            if (asked.size() >= MOST) {
                return false;
            }
        }
        asked.put(known, nowNanos);
        return true;
    }
}
