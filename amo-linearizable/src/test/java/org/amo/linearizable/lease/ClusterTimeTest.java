package org.amo.linearizable.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Times and ids of leases are numbers with limits. */
class ClusterTimeTest {
    private static final ClusterTime LAST = new ClusterTime(ClusterTime.MAX_MILLIS);

    private static ClusterTime at(long millis) {
        return new ClusterTime(millis);
    }

    @Test
    void aTimeIsWithinItsLimits() {
        assertEquals(0, ClusterTime.ZERO.millis());
        assertEquals(1L << 53, LAST.millis());
        assertThrows(IllegalArgumentException.class, () -> at(-1));
        assertThrows(IllegalArgumentException.class, () -> at(LAST.millis() + 1));
    }

    @Test
    void aLeaseIdIsWithinItsLimits() {
        assertEquals(1, new LeaseId(1).value());
        assertEquals(1L << 62, new LeaseId(LeaseId.MAX_VALUE).value());
        assertThrows(IllegalArgumentException.class, () -> new LeaseId(0));
        assertThrows(IllegalArgumentException.class, () -> new LeaseId(LeaseId.MAX_VALUE + 1));
    }

    @Test
    void aSumStopsAtTheLastTime() {
        assertEquals(at(12), at(5).plusMillis(7));
        assertEquals(LAST, at(LAST.millis() - 1).plusMillis(1));
        assertEquals(LAST, at(LAST.millis() - 1).plusMillis(2));
    }

    @Test
    void timesAreOrderedByTheirMilliseconds() {
        assertTrue(at(6).isAfter(at(5)));
        assertFalse(at(5).isAfter(at(5)));
        assertEquals(at(6), ClusterTime.max(at(5), at(6)));
        assertEquals(at(6), ClusterTime.max(at(6), at(5)));
        assertEquals(
                List.of(at(1), at(2), at(3)),
                Stream.of(at(2), at(3), at(1)).sorted().toList());
    }
}
