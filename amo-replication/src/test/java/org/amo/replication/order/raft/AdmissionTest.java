package org.amo.replication.order.raft;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final int LARGE = (int) (Admission.MAX_BYTES / 2);

    /** Two threads fill what is left for one, while a third gives something back. */
    @Test
    void noMoreEnterThanThereIsRoomForAndWhatLeftHasLeft() {
        Meetings.prove(
                () -> {
                    Admission admission = new Admission();
                    return filling(admission::enter, admission::leave);
                },
                () -> {
                    WithoutLock admission = new WithoutLock();
                    return filling(admission::enter, admission::leave);
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
            if (entries >= Admission.MAX_ENTRIES || (bytes + length > Admission.MAX_BYTES && entries > 0)) {
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
