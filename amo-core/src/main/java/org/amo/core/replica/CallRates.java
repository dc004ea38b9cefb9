package org.amo.core.replica;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Calls a second, by key: a bucket that holds the calls of one second and fills in ordered time (generic cell rate
 * algorithm: of each bucket only the time is kept at which it is full again). A bucket that is full is not kept, so
 * there are at most as many as calls were accepted within a second or so.
 *
 * <p>Replicated state. One thread owns it.
 */
final class CallRates<K extends Comparable<K>> {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long SWEEP_EVERY_MILLIS = 1_000;

    private final Map<K, Long> fullAgainMicros = new HashMap<>();
    private long sweepAtMillis;

    /** Whether the bucket has a call left. */
    boolean allows(K key, long callsPerSecond, long orderedTimeMillis) {
        return callsPerSecond == 0
                || later(key, callsPerSecond, orderedTimeMillis)
                        <= 1_000 * orderedTimeMillis + Math.max(MICROS_PER_SECOND, interval(callsPerSecond));
    }

    /** One call was accepted. */
    void take(K key, long callsPerSecond, long orderedTimeMillis) {
        if (callsPerSecond > 0) {
            sweep(orderedTimeMillis);
            fullAgainMicros.put(key, later(key, callsPerSecond, orderedTimeMillis));
        }
    }

    /** Those that are not full, in rising order of their keys, with the time at which each is. */
    void forEach(long orderedTimeMillis, BiConsumer<K, Long> visitor) {
        notFull(orderedTimeMillis).forEach(visitor);
    }

    /** How many are not full. */
    int size(long orderedTimeMillis) {
        return notFull(orderedTimeMillis).size();
    }

    /** One that was in a snapshot. */
    void restore(K key, long fullAgain) {
        fullAgainMicros.put(key, fullAgain);
    }

    CallRates<K> copy() {
        CallRates<K> copy = new CallRates<>();
        copy.fullAgainMicros.putAll(fullAgainMicros);
        return copy;
    }

    private Map<K, Long> notFull(long orderedTimeMillis) {
        Map<K, Long> found = new TreeMap<>(fullAgainMicros);
        found.values().removeIf(full -> full <= 1_000 * orderedTimeMillis);
        return found;
    }

    /** When the bucket is full again if one more call is taken out now. */
    private long later(K key, long callsPerSecond, long orderedTimeMillis) {
        long now = 1_000 * orderedTimeMillis;
        return Math.max(now, fullAgainMicros.getOrDefault(key, now)) + interval(callsPerSecond);
    }

    private static long interval(long callsPerSecond) {
        return Math.max(1, MICROS_PER_SECOND / callsPerSecond);
    }

    private void sweep(long orderedTimeMillis) {
        if (orderedTimeMillis >= sweepAtMillis) {
            sweepAtMillis = orderedTimeMillis + SWEEP_EVERY_MILLIS;
            fullAgainMicros.values().removeIf(full -> full <= 1_000 * orderedTimeMillis);
        }
    }
}
