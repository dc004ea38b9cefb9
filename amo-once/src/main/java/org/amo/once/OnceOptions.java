package org.amo.once;

import java.time.Duration;
import org.amo.base.Experimental;

/**
 * Settings of an executor. Executors over the same tables should have the same retention: for keys that carry their time, the shortest
 * one counts.
 *
 * @param retention how long a record is kept at least, counted by the store's clock from the begin of the attempt that ran.
 *     Default 24 hours; at least four deadlines, at most {@link #MAX_RETENTION}
 * @param deadline how long the store may be away: no attempt begins later, and a commit whose answer was lost is looked for that
 *     long. Default 30 s
 * @param lockTimeout how long a call waits for another one with the same key. Default 5 s; at most the deadline
 * @param attempts how often the work runs at most, all but the last time rolled back by the store. Default 10
 * @param maxReplyBytes a longer reply is not stored, and its call is rolled back. Default 1 MiB
 * @param ahead how far the time of a key may be ahead of the store's clock. Default 1 hour
 */
@Experimental
public record OnceOptions(
        Duration retention, Duration deadline, Duration lockTimeout, int attempts, int maxReplyBytes, Duration ahead) {
    /** A year: the table holds every call of that time. */
    public static final Duration MAX_RETENTION = Duration.ofDays(366);

    private static final int DEADLINES_IN_RETENTION = 4;

    /** @throws IllegalArgumentException naming the setting that cannot work */
    public OnceOptions {
        if (deadline.compareTo(Duration.ofMillis(1)) < 0
                || lockTimeout.isNegative()
                || lockTimeout.compareTo(deadline) > 0) {
            throw new IllegalArgumentException("deadline must be positive, and lockTimeout at most as long: deadline="
                    + deadline + " lockTimeout=" + lockTimeout);
        }
        // A commit whose answer was lost is looked for until a deadline later; its record must be there still.
        if (retention.compareTo(deadline.multipliedBy(DEADLINES_IN_RETENTION)) < 0
                || retention.compareTo(MAX_RETENTION) > 0) {
            throw new IllegalArgumentException("retention must be at least four deadlines and at most " + MAX_RETENTION
                    + ": retention=" + retention + " deadline=" + deadline);
        }
        if (attempts < 1 || maxReplyBytes < 0 || ahead.isNegative()) {
            throw new IllegalArgumentException(
                    "attempts must be positive, maxReplyBytes and ahead not negative: attempts=" + attempts
                            + " maxReplyBytes=" + maxReplyBytes + " ahead=" + ahead);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private Duration retention = Duration.ofHours(24);
        private Duration deadline = Duration.ofSeconds(30);
        private Duration lockTimeout = Duration.ofSeconds(5);
        private int attempts = 10;
        private int maxReplyBytes = 1 << 20;
        private Duration ahead = Duration.ofHours(1);

        private Builder() {}

        public Builder retention(Duration value) {
            retention = value;
            return this;
        }

        public Builder deadline(Duration value) {
            deadline = value;
            return this;
        }

        public Builder lockTimeout(Duration value) {
            lockTimeout = value;
            return this;
        }

        public Builder attempts(int count) {
            attempts = count;
            return this;
        }

        public Builder maxReplyBytes(int bytes) {
            maxReplyBytes = bytes;
            return this;
        }

        public Builder ahead(Duration value) {
            ahead = value;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that cannot work */
        public OnceOptions build() {
            return new OnceOptions(retention, deadline, lockTimeout, attempts, maxReplyBytes, ahead);
        }
    }
}
