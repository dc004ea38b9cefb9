package org.amo.benchmarks.dpg;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Records the deliveries of one life of a site, in its order, and its longest pause. Any thread. */
final class DeliveryLog {
    /** Bytes of a message that name it. */
    static final int HEAD = Long.BYTES;

    private long[] ids = new long[1_024];
    private int size;
    private int dummies;
    private final List<Integer> segments = new ArrayList<>();
    private long lastNanos;
    private long longestNanos;

    static byte[] message(long id, int bytes) {
        return ByteBuffer.allocate(bytes).putLong(id).array();
    }

    synchronized void segment() {
        segments.add(size);
    }

    void delivered(byte[] message, int offset) {
        delivered(ByteBuffer.wrap(message, offset, HEAD).getLong());
    }

    synchronized void delivered(long id) {
        long now = System.nanoTime();
        if (lastNanos != 0) {
            longestNanos = Math.max(longestNanos, now - lastNanos);
        }
        lastNanos = now;
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, 2 * size);
        }
        ids[size++] = id;
    }

    synchronized void dummy() {
        dummies++;
    }

    synchronized int size() {
        return size;
    }

    synchronized int dummies() {
        return dummies;
    }

    /** From here on pauses are looked for. */
    synchronized void watch() {
        lastNanos = System.nanoTime();
        longestNanos = 0;
    }

    /** The longest time since {@link #watch} in which nothing was delivered. */
    synchronized double longestPauseMillis() {
        long still = System.nanoTime() - lastNanos;
        return Math.max(longestNanos, still) / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    /** The deliveries of each segment between two absences. */
    synchronized List<long[]> segments() {
        List<long[]> parts = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            int end = i + 1 < segments.size() ? segments.get(i + 1) : size;
            parts.add(Arrays.copyOfRange(ids, segments.get(i), end));
        }
        return parts;
    }

    synchronized long[] all() {
        return Arrays.copyOf(ids, size);
    }
}
