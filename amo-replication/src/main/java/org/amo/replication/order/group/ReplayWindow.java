package org.amo.replication.order.group;

import java.util.Arrays;

/**
 * Refuses the second copy of a numbered frame: the sliding window of IPsec (RFC 4303, section 3.4.3). A number is taken
 * once; a number that lies {@value #SIZE} or more below the highest one taken is refused, since the window no longer tells
 * whether it came before. Not safe for threads; the caller holds a lock.
 */
final class ReplayWindow {
    /**
     * Numbers are shared by all connections of the sender, so frames of the sender's other threads may overtake a
     * frame. A frame that falls out of the window is lost like one in the network: JGroups sends it again.
     */
    static final int SIZE = 1 << 16;

    private final long[] seen = new long[SIZE / Long.SIZE];
    private long highest;

    /**
     * @param number 1 or more
     * @return false if it came before, or is too far behind to tell
     */
    boolean accept(long number) {
        if (!isNew(number)) {
            return false;
        }
        if (number > highest) {
            forget(highest + 1, number);
            highest = number;
        }
        seen[word(number)] |= 1L << number;
        return true;
    }

    /** Whether {@link #accept} would take it. */
    boolean isNew(long number) {
        return number >= 1
                && number > highest - SIZE
                && (number > highest || (seen[word(number)] & (1L << number)) == 0);
    }

    /** The places of these numbers still hold the bits of numbers one window earlier. */
    private void forget(long first, long last) {
        if (last - first >= SIZE) {
            Arrays.fill(seen, 0);
            return;
        }
        for (long number = first; number <= last; number++) {
            seen[word(number)] &= ~(1L << number);
        }
    }

    private static int word(long number) {
        return (int) ((number & (SIZE - 1)) / Long.SIZE);
    }
}
