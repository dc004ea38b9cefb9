package org.amo.determinism.runtime;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A task that an operation has scheduled. It is due by the group's time. */
final class OrderedTimer<V extends @Nullable Object> extends OrderedFuture<V> implements ScheduledFuture<V> {
    private final Object source;
    private final long periodNanos;
    private final byte[] seed;
    private long dueNanos;
    private long scheduledNanos;
    private long number;

    /**
     * @param source the timer or executor that would run it elsewhere
     * @param dueNanos since 1970
     * @param periodNanos positive at a fixed rate, negative with a fixed delay, 0 if it runs once
     * @param seed of the random numbers of the operation that sets it; empty if they follow from the group's key
     */
    OrderedTimer(OperationTasks tasks, Object source, Callable<V> body, long dueNanos, long periodNanos, byte[] seed) {
        super(tasks, body);
        this.source = source;
        this.dueNanos = dueNanos;
        this.scheduledNanos = dueNanos;
        this.periodNanos = periodNanos;
        this.seed = seed;
    }

    byte[] seed() {
        return seed;
    }

    boolean isOf(Object executor) {
        return source == executor;
    }

    boolean isPeriodic() {
        return periodNanos != 0;
    }

    long dueNanos() {
        return dueNanos;
    }

    /** The time at which its latest run was due, also while that goes on; before its first run, the time at which it is due. */
    long scheduledNanos() {
        return scheduledNanos;
    }

    long periodNanos() {
        return periodNanos;
    }

    /** It waits for its turn; of timers that are due at once the lower number is first. */
    void queued(long turn) {
        number = turn;
    }

    /**
     * Runs it once.
     *
     * @return whether it is to run again
     */
    boolean fire(long nowNanos) {
        scheduledNanos = dueNanos;
        if (!isPeriodic()) {
            run();
            return false;
        }
        boolean again = runAndReset();
        throwFatal();
        dueNanos = OperationTasks.later(periodNanos > 0 ? dueNanos : nowNanos, Math.abs(periodNanos));
        return again;
    }

    @Override
    void runNow() {
        if (isPeriodic()) {
            throw WaitSubstitutes.never("a periodic task");
        }
        tasks().fireEarly(this);
    }

    @Override
    public boolean cancel(boolean interrupt) {
        boolean cancelled = super.cancel(interrupt);
        if (OperationTasks.current() == tasks()) {
            tasks().remove(this);
        }
        return cancelled;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(
                dueNanos - TimeUnit.MILLISECONDS.toNanos(TimeSubstitutes.systemCurrentTimeMillis()),
                TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        if (other instanceof OrderedTimer<?> timer) {
            return dueNanos == timer.dueNanos
                    ? Long.compare(number, timer.number)
                    : Long.compare(dueNanos, timer.dueNanos);
        }
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(periodNanos);
    }
}
