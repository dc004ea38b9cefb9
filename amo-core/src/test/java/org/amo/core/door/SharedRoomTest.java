package org.amo.core.door;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class SharedRoomTest {
    private static final int MOST = 8_192;
    private static final long MOST_BYTES = 128L << 20;
    private static final int LARGE = (int) (MOST_BYTES / 2);

    @Test
    void theirNumberIsLimited() {
        SharedRoom room = new SharedRoom(2, 100);
        assertTrue(room.enter(1));
        assertTrue(room.enter(1));
        assertFalse(room.enter(1));
        room.leave(1);
        assertTrue(room.enter(1));
    }

    @Test
    void thoseWithoutBytesAreLimitedByTheirNumber() {
        SharedRoom room = new SharedRoom(MOST, 100);
        for (int i = 0; i < MOST; i++) {
            assertTrue(room.enter(0));
        }
        assertFalse(room.enter(0));
        room.leave(0);
        assertTrue(room.enter(0));
    }

    @Test
    void theirBytesAreLimited() {
        SharedRoom room = new SharedRoom(10, 100);
        assertTrue(room.enter(60));
        assertFalse(room.enter(41));
        assertTrue(room.enter(40));
        room.leave(60);
        assertTrue(room.enter(60));
        assertFalse(room.enter(1));
    }

    @Test
    void oneAloneMayHaveMoreBytes() {
        SharedRoom room = new SharedRoom(10, 100);
        assertTrue(room.enter(1_000));
        assertFalse(room.enter(1));
        room.leave(1_000);
        assertTrue(room.enter(101));
        assertFalse(room.enter(0));
    }

    /** Two threads fill what is left for one, while a third gives something back. */
    @Test
    void noMoreEnterThanThereIsRoomForAndWhatLeftHasLeft() {
        Meetings.prove(
                () -> {
                    SharedRoom room = new SharedRoom(MOST, MOST_BYTES);
                    return filling(room::enter, room::leave);
                },
                () -> {
                    WithoutLock room = new WithoutLock();
                    return filling(room::enter, room::leave);
                });
    }

    private static Meeting filling(IntPredicate enter, IntConsumer leave) {
        AtomicInteger entered = new AtomicInteger();
        Meeting.Act act = () -> {
            for (int i = 0; i < 3; i++) {
                if (enter.test(LARGE)) {
                    entered.incrementAndGet();
                    leave.accept(LARGE);
                    entered.decrementAndGet();
                }
            }
            if (enter.test(LARGE)) {
                entered.incrementAndGet();
            }
        };
        return Meeting.of(
                () -> {
                    int in = entered.get();
                    boolean room = enter.test(LARGE);
                    return in == 2 && !room ? "" : in + " of 2 have entered, room for another: " + room;
                },
                act,
                act,
                act);
    }

    /** The same without its lock. */
    private static final class WithoutLock {
        private int entries;
        private long bytes;

        boolean enter(int length) {
            if (entries >= MOST || (bytes + length > MOST_BYTES && entries > 0)) {
                return false;
            }
            entries++;
            bytes += length;
            return true;
        }

        void leave(int length) {
            entries--;
            bytes -= length;
        }
    }
}
