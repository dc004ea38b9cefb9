package org.amo.dpg.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.amo.dpg.Tag;
import org.junit.jupiter.api.Test;

class OrderDigestTest {
    private final OrderDigest here = new OrderDigest();
    private final OrderDigest there = new OrderDigest();

    private static void deliver(OrderDigest at, int... numbers) {
        for (int number : numbers) {
            at.delivered(new Tag(7, number));
        }
    }

    private void compare(long compared, long different) {
        assertEquals(List.of(compared, different), List.of(here.compared(), here.different()));
    }

    /** Row D15. */
    @Test
    void anotherOrderIsCountedAndTheSameIsNot() {
        deliver(here, 1, 2, 3);
        deliver(there, 1, 2, 3);
        here.onDigest(there.digest());
        compare(1, 0);
        deliver(here, 5, 4, 6);
        deliver(there, 4, 5, 6);
        here.onDigest(there.digest());
        compare(2, 1);
    }

    @Test
    void aMessageThatOneLacksIsCounted() {
        deliver(here, 1, 3);
        deliver(there, 1, 2, 3);
        // Three deliveries end in the same message there; here only two do.
        there.begin();
        deliver(there, 2, 3);
        here.onDigest(there.digest());
        compare(1, 1);
    }

    @Test
    void aDigestThatIsAheadWaitsUntilItsLastMessageIsDelivered() {
        deliver(here, 1);
        deliver(there, 1, 2, 3);
        here.onDigest(there.digest());
        compare(0, 0);
        deliver(here, 2);
        compare(0, 0);
        deliver(here, 3);
        compare(1, 0);
    }

    @Test
    void whatReachesBackBehindASegmentIsNotCompared() {
        deliver(there, 1, 2, 3);
        deliver(here, 9);
        here.begin();
        deliver(here, 2, 3);
        here.onDigest(there.digest());
        compare(0, 0);
    }

    @Test
    void onlyTheLastDeliveriesAreInADigest() {
        for (int i = 1; i <= 3 * OrderDigest.WINDOW; i++) {
            deliver(there, i);
            if (i > OrderDigest.WINDOW) {
                deliver(here, i);
            }
        }
        assertEquals(OrderDigest.WINDOW, there.digest().count());
        here.onDigest(there.digest());
        compare(1, 0);
    }
}
