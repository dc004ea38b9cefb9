package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class ReturnedRoomTest {
    private static final int UNITS = 3;

    private interface Room {
        boolean giveBack(int units);

        int take();

        boolean want();
    }

    @Test
    void nobodyIsWokenForALittleThatNobodyWants() {
        ReturnedRoom room = new ReturnedRoom();
        assertFalse(room.giveBack(ReturnedRoom.MUCH - 1));
        assertTrue(room.giveBack(1));
        assertEquals(ReturnedRoom.MUCH, room.take());
        assertFalse(room.giveBack(1));
        assertTrue(room.want(true), "it came before it was wanted");
        assertEquals(1, room.take());
        assertTrue(room.giveBack(1), "it is wanted");
        assertEquals(1, room.take());
        assertFalse(room.want(false));
        assertFalse(room.giveBack(1));
    }

    /** A peer that waits for room would wait for ever if room came back unseen. */
    @Test
    void whatIsWantedIsTaken() {
        Meetings.prove(() -> returning(sound()), () -> returning(new LooksFirst()));
    }

    private static Meeting returning(Room room) {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger giving = new AtomicInteger(1);
        AtomicLong taken = new AtomicLong();
        return Meeting.of(
                () -> taken.get() == UNITS ? "" : taken + " of " + UNITS + " units were taken",
                () -> {
                    for (int i = 0; i < UNITS; i++) {
                        if (room.giveBack(1)) {
                            asked.incrementAndGet();
                        }
                    }
                    giving.decrementAndGet();
                },
                () -> loop(room, asked, giving, taken));
    }

    /** Runs once by itself, and as often as it was asked. */
    @SuppressWarnings("ThreadPriorityCheck") // for the other, where cores are few
    private static void loop(Room room, AtomicInteger asked, AtomicInteger giving, AtomicLong taken) {
        int ran = -1;
        while (giving.get() > 0 || asked.get() > ran) {
            if (asked.get() > ran) {
                ran++;
                taken.addAndGet(room.take());
                if (room.want()) {
                    asked.incrementAndGet();
                }
            } else {
                Thread.yield();
            }
        }
    }

    private static Room sound() {
        ReturnedRoom room = new ReturnedRoom();
        return new Room() {
            @Override
            public boolean giveBack(int units) {
                return room.giveBack(units);
            }

            @Override
            public int take() {
                return room.take();
            }

            @Override
            public boolean want() {
                return room.want(true);
            }
        };
    }

    /** Looks whether room came back before it says that it wants some. */
    private static final class LooksFirst implements Room {
        private final AtomicInteger units = new AtomicInteger();
        private volatile boolean wanted;

        @Override
        public boolean giveBack(int more) {
            units.addAndGet(more);
            return wanted;
        }

        @Override
        public int take() {
            return units.getAndSet(0);
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // so that the other comes in between soon
        public boolean want() {
            boolean some = units.get() > 0;
            Thread.yield();
            wanted = true;
            return some;
        }
    }
}
