package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class CallPermitsTest {
    private static final int KILOBYTE = 1_000;

    private interface Door {
        boolean enter(int bytes, long waitMillis) throws InterruptedException;
    }

    private interface Exit {
        void leave(int bytes);
    }

    @Test
    void aBodyLargerThanEverythingGetsEverything() throws InterruptedException {
        CallPermits room = new CallPermits(4, 4);
        assertTrue(room.enter(1 << 20, 0));
        assertFalse(room.enter(1, 0));
        room.leave(1 << 20);
        assertTrue(room.enter(1, 0));
    }

    /** Room for two: a third is refused while they are in, and nothing of the room is lost by a refusal. */
    @Test
    void noMoreAreInThanThereIsRoomForAndARefusalTakesNothing() {
        Meetings.prove(
                () -> {
                    CallPermits room = new CallPermits(3, 2);
                    return calling(room::enter, room::leave);
                },
                () -> {
                    WithoutSemaphores room = new WithoutSemaphores(3, 2);
                    return calling(room::enter, room::leave);
                });
    }

    private static Meeting calling(Door door, Exit exit) {
        AtomicInteger in = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Meeting.Act act = () -> {
            for (int i = 0; i < 4; i++) {
                if (door.enter(KILOBYTE, 0)) {
                    most.accumulateAndGet(in.incrementAndGet(), Math::max);
                    in.decrementAndGet();
                    exit.leave(KILOBYTE);
                }
            }
        };
        return Meeting.of(
                () -> {
                    try {
                        int free = 0;
                        while (door.enter(KILOBYTE, 0)) {
                            free++;
                        }
                        return most.get() <= 2 && free == 2 ? "" : most + " were in, then there is room for " + free;
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return "interrupted";
                    }
                },
                act,
                act,
                act);
    }

    /** Two counts that are asked first and changed then. */
    private static final class WithoutSemaphores {
        private volatile int calls;
        private volatile int kilobytes;

        WithoutSemaphores(int calls, int kilobytes) {
            this.calls = calls;
            this.kilobytes = kilobytes;
        }

        @SuppressWarnings({"NonAtomicVolatileUpdate", "UnusedVariable"}) // planted
        boolean enter(int bytes, long waitMillis) {
            if (calls < 1 || kilobytes < 1) {
                return false;
            }
            calls--;
            kilobytes--;
            return true;
        }

        @SuppressWarnings({"NonAtomicVolatileUpdate", "UnusedVariable"}) // planted
        void leave(int bytes) {
            calls++;
            kilobytes++;
        }
    }
}
