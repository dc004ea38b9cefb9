package org.amo.replication;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

/** What the delivery thread waits at while too much is to be executed. */
class BacklogTest {
    private static final long FOR_EVER_MILLIS = 3_000;
    private static final int TASKS = 5;

    private interface Room {
        void await() throws InterruptedException;

        void add();

        void done();
    }

    @Test
    void whoWaitsForRoomIsWokenForItAndNoMoreWaitsThanMay() {
        Meetings.prove(() -> delivering(sound()), () -> delivering(new LooksOutsideTheLock()));
    }

    private static Room sound() {
        Backlog backlog = new Backlog(1);
        return new Room() {
            @Override
            public void await() {
                backlog.awaitRoom();
            }

            @Override
            public void add() {
                backlog.add(1);
            }

            @Override
            public void done() {
                backlog.done(1);
            }
        };
    }

    private static Meeting delivering(Room room) {
        AtomicInteger waiting = new AtomicInteger();
        String[] wrong = {""};
        return Meeting.of(
                () -> wrong[0],
                () -> {
                    for (int i = 0; i < TASKS; i++) {
                        long since = System.nanoTime();
                        room.await();
                        if (System.nanoTime() - since >= TimeUnit.MILLISECONDS.toNanos(FOR_EVER_MILLIS)) {
                            wrong[0] = "nobody woke who waited";
                        }
                        if (waiting.incrementAndGet() > 1) {
                            wrong[0] = "more waits than may";
                        }
                        room.add();
                    }
                },
                executing(room, waiting));
    }

    @SuppressWarnings("ThreadPriorityCheck") // nothing to do yet
    private static Meeting.Act executing(Room room, AtomicInteger waiting) {
        return () -> {
            for (int i = 0; i < TASKS; i++) {
                while (waiting.get() == 0) {
                    Thread.yield();
                }
                waiting.decrementAndGet();
                room.done();
            }
        };
    }

    private static final class LooksOutsideTheLock implements Room {
        private final AtomicInteger waiting = new AtomicInteger();

        @Override
        @SuppressWarnings({"WaitNotInLoop", "ThreadPriorityCheck"}) // planted; so that others come in between soon
        public void await() throws InterruptedException {
            if (waiting.get() >= 1) {
                Thread.yield();
                synchronized (this) {
                    wait(FOR_EVER_MILLIS);
                }
            }
        }

        @Override
        public void add() {
            waiting.incrementAndGet();
        }

        @Override
        public void done() {
            waiting.decrementAndGet();
            synchronized (this) {
                notifyAll();
            }
        }
    }
}
