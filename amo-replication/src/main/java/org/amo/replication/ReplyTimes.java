package org.amo.replication;

import java.util.Arrays;
import org.amo.base.observe.TimeHistogram;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.request.Answer;

/**
 * Measures the time from the arrival of each attempt to its answer, over the present and the last second that had any. One thread at a
 * time, but {@link #timed} is called by any.
 *
 * <p>Times are counted in classes that are a sixteenth of their value wide, so a percentile is at most that much too large.
 */
final class ReplyTimes {
    static final long WINDOW_NANOS = 1_000_000_000;

    private static final int FRACTIONS_BITS = 4;
    private static final int FRACTIONS = 1 << FRACTIONS_BITS;

    /** Nineteen hours; longer times count as that. */
    private static final long MOST_MICROS = (1L << 36) - 1;

    private static final int CLASSES = index(MOST_MICROS) + 1;

    private final TimeHistogram sinceStart = new TimeHistogram();
    private int[] present = new int[CLASSES];
    private int[] last = new int[CLASSES];
    private long begunNanos;

    ReplyTimes(long nowNanos) {
        begunNanos = nowNanos;
    }

    /** A listener that measures and then tells the other one. */
    AnswerListener timed(AnswerListener listener, long nowNanos) {
        return new Timed(listener, nowNanos);
    }

    private final class Timed implements AnswerListener {
        private final AnswerListener listener;
        private final long arrivedNanos;

        Timed(AnswerListener listener, long arrivedNanos) {
            this.listener = listener;
            this.arrivedNanos = arrivedNanos;
        }

        @Override
        public void onAnswer(Answer answer) {
            long now = System.nanoTime();
            add(now - arrivedNanos, now);
            listener.onAnswer(answer);
        }
    }

    /** All times since the start. Any thread. */
    TimeHistogram histogram() {
        return sinceStart;
    }

    void add(long nanos, long nowNanos) {
        sinceStart.add(nanos);
        turn(nowNanos);
        present[index(Math.max(0, Math.min(MOST_MICROS, nanos / 1_000)))]++;
    }

    /** 99 of 100 took no longer; 0 if nothing was answered. */
    long microsP99(long nowNanos) {
        turn(nowNanos);
        long all = (long) Arrays.stream(present).sum() + Arrays.stream(last).sum();
        long slower = all / 100;
        int i = CLASSES;
        long seen = 0;
        while (i > 0 && seen <= slower) {
            i--;
            seen += present[i] + last[i];
        }
        return all == 0 ? 0 : largest(i);
    }

    private void turn(long nowNanos) {
        long age = nowNanos - begunNanos;
        if (age < WINDOW_NANOS) {
            return;
        }
        int[] free = last;
        last = present;
        present = free;
        Arrays.fill(present, 0);
        if (age >= 2 * WINDOW_NANOS) {
            Arrays.fill(last, 0);
        }
        begunNanos = nowNanos;
    }

    /** Exact below 32, then 16 classes for each power of two. */
    private static int index(long micros) {
        int power = Math.max(0, Long.SIZE - 1 - FRACTIONS_BITS - Long.numberOfLeadingZeros(Math.max(1, micros)));
        return power * FRACTIONS + (int) (micros >>> power);
    }

    /** The largest time of a class. */
    private static long largest(int index) {
        int power = Math.max(0, index / FRACTIONS - 1);
        return ((long) (index - power * FRACTIONS + 1) << power) - 1;
    }
}
