package org.amo.replication.service;

import java.time.Duration;
import java.util.Optional;
import org.amo.base.Experimental;

/**
 * Options of a read ({@link AmoClient#query(byte[], ReadOptions)}).
 *
 * @param maxAge how old the state may be; empty for a linearizable read
 * @param deadline of the read, 1 ms to 10 minutes; empty for that of the client
 */
@Experimental
public record ReadOptions(Optional<Duration> maxAge, Optional<Duration> deadline) {
    private static final Duration MOST = Duration.ofMinutes(10);

    public ReadOptions {
        maxAge.ifPresent(age -> check("the age of a read", age));
        deadline.ifPresent(time -> check("a deadline", time));
    }

    private static void check(String what, Duration value) {
        if (value.toMillis() < 1 || value.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(what + " is 1 ms to 10 minutes: " + value);
        }
    }

    /** The result holds every call that was answered, to any client, before the read began. */
    public static ReadOptions linearizable() {
        return new ReadOptions(Optional.empty(), Optional.empty());
    }

    /**
     * The result holds every call that was answered, to any client, until so long before the read reached its member. The member
     * counts from its own latest question for a read index, by its monotonic clock: no other clock matters. It asks the leader
     * only if that question is older. Reads of one client never go back in the order.
     *
     * @param maxAge 1 ms to 10 minutes
     */
    public static ReadOptions stale(Duration maxAge) {
        return new ReadOptions(Optional.of(maxAge), Optional.empty());
    }

    /** The same with a deadline of its own. */
    public ReadOptions within(Duration value) {
        return new ReadOptions(maxAge, Optional.of(value));
    }
}
