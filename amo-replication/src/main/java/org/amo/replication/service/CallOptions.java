package org.amo.replication.service;

import java.time.Duration;
import java.util.Optional;
import org.amo.base.Experimental;

/**
 * Options of calls and reads ({@link AmoClient#with}). An option that is left out has the value of the client.
 *
 * @param deadline of a call or read, 1 ms to 10 minutes; empty for that of the client
 * @param maxAge how old the state may be that a read finds; empty for a linearizable read. Calls have no use for it
 */
@Experimental
public record CallOptions(Optional<Duration> deadline, Optional<Duration> maxAge) {
    private static final Duration MOST = Duration.ofMinutes(10);

    public CallOptions {
        deadline.ifPresent(time -> check("a deadline", time));
        maxAge.ifPresent(age -> check("the age of a read", age));
    }

    private static void check(String what, Duration value) {
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(what + " is 1 ms to 10 minutes: " + value);
        }
    }

    /** Those of the client; reads are linearizable: they hold every call that was answered, to any client, before they began. */
    public static CallOptions defaults() {
        return new CallOptions(Optional.empty(), Optional.empty());
    }

    /** A deadline: of each call and read by itself, from its beginning. */
    public static CallOptions deadline(Duration value) {
        return defaults().within(value);
    }

    /**
     * A read holds every call that was answered, to any client, until so long before the read reached its member. The member
     * counts from its own latest question for a read index, by its monotonic clock: no other clock matters. It asks the leader
     * only if that question is older. Reads of one client never go back in the order.
     *
     * @param maxAge 1 ms to 10 minutes
     */
    public static CallOptions stale(Duration maxAge) {
        return new CallOptions(Optional.empty(), Optional.of(maxAge));
    }

    /** The same with that deadline. */
    public CallOptions within(Duration value) {
        return new CallOptions(Optional.of(value), maxAge);
    }
}
