package org.amo.scmp;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** How small ρ may be (section 2.4): smaller, and messages that are merely late are flagged as duplicates. */
final class RetentionBound {
    private RetentionBound() {}

    /**
     * ρ ≥ ε + δ + RT(N).
     *
     * @param skew ε, between the clocks of sender and receiver
     * @param delay δ, within which a datagram arrives if it arrives
     * @param spacing from each send to the next retransmission; empty when a sender sends once
     */
    public static Duration minimum(Duration skew, Duration delay, List<Duration> spacing) {
        Duration sum = requireNotNegative("skew", skew).plus(requireNotNegative("delay", delay));
        for (Duration pause : spacing) {
            sum = sum.plus(requireNotNegative("spacing", pause));
        }
        return sum;
    }

    /** The pauses between N retransmissions that begin with one and double up to another. */
    public static List<Duration> doubling(Duration first, Duration most, int retransmissions) {
        return Stream.iterate(first, pause -> min(pause.multipliedBy(2), most))
                .limit(retransmissions)
                .toList();
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration requireNotNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + value);
        }
        return value;
    }
}
