package org.amo.core.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Holds the attempt that is under way and the time to look after it. An attempt that cannot be ended at its time is looked
 * after again, less and less often. Guarded by the lock of its owner.
 *
 * @param <A> the shell's name for an attempt, compared by identity
 */
public final class AttemptWatch<A> {
    private static final long CHECK_MILLIS = 20;
    private static final long MAX_CHECK_MILLIS = 2_000;

    private @Nullable A current;
    private long checkMillis;
    private long pauseMillis;
    private boolean timedOut;

    /** An attempt may leave now, and has until then to be answered. */
    public void begin(A attempt, long untilMillis) {
        current = attempt;
        timedOut = false;
        checkMillis = untilMillis;
        pauseMillis = CHECK_MILLIS;
    }

    /** None is under way any more. */
    public void end() {
        current = null;
    }

    /** The attempt under way, if one is. */
    public Optional<A> current() {
        return Optional.ofNullable(current);
    }

    /** The attempt under way, once it has taken its time and it is time to look after it (again). */
    public Optional<A> overdue(long nowMillis) {
        if (current == null || timedOut || nowMillis < checkMillis) {
            return Optional.empty();
        }
        checkMillis = nowMillis + pauseMillis;
        pauseMillis = Math.min(2 * pauseMillis, MAX_CHECK_MILLIS);
        return Optional.of(current);
    }

    /** Claims the attempt for a time-out. False when it ended meanwhile. */
    @SuppressWarnings("ReferenceEquality") // an attempt is itself only
    public boolean timesOut(A late) {
        if (current != late || timedOut) {
            return false;
        }
        timedOut = true;
        return true;
    }

    /** Whether the attempt under way was claimed for a time-out. */
    public boolean timedOut() {
        return current != null && timedOut;
    }
}
