package org.amo.base.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations by size, as a histogram of Prometheus: classes up to 100 microseconds, 250, 500, and so on to 10 seconds, and one for
 * longer ones. Any thread.
 */
public final class TimeHistogram {
    private static final List<String> BOUNDS = List.of(
            "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5",
            "1.0", "2.5", "5.0", "10.0");
    private static final long[] NANOS = BOUNDS.stream()
            .mapToLong(seconds -> Math.round(Double.parseDouble(seconds) * 1e9))
            .toArray();

    private final AtomicLongArray counts = new AtomicLongArray(NANOS.length + 1);
    private final LongAdder sumNanos = new LongAdder();

    /** With nothing counted. */
    public TimeHistogram() {}

    /** Counts a duration; a negative one as none. */
    public void add(long nanos) {
        long duration = Math.max(0, nanos);
        int place = 0;
        while (place < NANOS.length && duration > NANOS[place]) {
            place++;
        }
        sumNanos.add(duration);
        counts.incrementAndGet(place);
    }

    /**
     * As readings: {@code NAME_bucket} with the label {@code le}, {@code NAME_sum} in seconds and {@code NAME_count}.
     *
     * @param name ends in {@code _seconds}
     */
    public List<Reading> readings(String name, String help) {
        List<Reading> readings = new ArrayList<>();
        long upTo = 0;
        for (int i = 0; i <= NANOS.length; i++) {
            upTo += counts.get(i);
            String bound = i < NANOS.length ? BOUNDS.get(i) : "+Inf";
            readings.add(Reading.ofHistogram(name + "_bucket", upTo, help).with("le", bound));
        }
        double seconds = (double) sumNanos.sum() / TimeUnit.SECONDS.toNanos(1);
        readings.add(Reading.ofHistogram(name + "_sum", seconds, help));
        readings.add(Reading.ofHistogram(name + "_count", upTo, help));
        return readings;
    }
}
