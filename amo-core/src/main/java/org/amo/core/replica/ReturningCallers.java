package org.amo.core.replica;

/**
 * Decides whether the next entry waits a moment for the callers that the last one answered (docs/decisions/0021).
 *
 * <p>Callers in a loop come back one after the other. If the first of them went alone, all others would wait for its entry,
 * and so it would stay: one request, then all the rest, in turn. So after an entry with several requests as many are
 * expected again, with those that waited already. The next goes when they are there or when callers stop coming. A wait in
 * vain is not tried again for a while, so that callers that do not come back cost little; a single caller never waits.
 */
final class ReturningCallers {
    /** No expectation lives longer. */
    private static final long LONGEST_MILLIS = 5;

    private static final int MOST_DOUBLINGS = 6;

    private int expected;
    private long untilMillis;
    private int failures;
    private int entriesToSkip;

    /** An entry is done: that many callers were answered, and that many requests wait. */
    void answered(int callers, int waiting, long nowMillis) {
        if (entriesToSkip > 0) {
            entriesToSkip--;
            expected = 0;
        } else {
            expected = callers + waiting;
            untilMillis = nowMillis + LONGEST_MILLIS;
        }
    }

    /** Whether those that wait should wait on. */
    boolean mayStillCome(int waiting, long nowMillis) {
        return waiting > 0 && waiting < expected && nowMillis < untilMillis;
    }

    /** An entry leaves with that many of those that waited. */
    void left(int requests) {
        if (expected > 1 && requests >= expected) {
            failures = 0;
        }
        expected = 0;
    }

    /** No caller has come for a moment. */
    void gaveUp(int waiting) {
        if (expected > 0 && waiting < expected - expected / 4) {
            failures = Math.min(failures + 1, MOST_DOUBLINGS);
            entriesToSkip = 1 << failures;
        }
        expected = 0;
    }
}
