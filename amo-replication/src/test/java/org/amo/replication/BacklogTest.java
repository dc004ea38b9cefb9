package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the delivery thread waits in for {@link ExecutionThread}. */
class BacklogTest {
    private static final int MOST = 2;
    private static final long FOR_EVER_MILLIS = 200;

    private interface Waiting {
        void awaitRoom() throws InterruptedException;
    }

    /** One delivers and waits for room, one executes; at the end all has been counted out. */
    @Test
    void whatIsAddedAndRemovedAtOnceIsCounted() {
        proveCounts(Thread::yield);
    }

    /** The planted bugs are hard to meet, so that the acts run far more often. */
    @Test
    @Tag("slow")
    void theSameBesideBugsThatShowForAMoment() {
        Runnable moment = () -> {};
        proveCounts(moment);
        proveMakesRoom(moment);
        proveEnds(moment);
    }

    /** @param moment between the read and the write of the planted bug */
    private static void proveCounts(Runnable moment) {
        Meetings.prove(
                () -> {
                    Backlog backlog = new Backlog(1, Long.MAX_VALUE);
                    return counting(
                            count -> backlog.add(count, 0), count -> backlog.remove(count, 0), backlog::awaitRoom);
                },
                () -> {
                    WithoutLock backlog = new WithoutLock(moment);
                    return counting(backlog::add, backlog::remove, backlog::awaitRoom);
                });
    }

    /** Whatever is left when the acts have ended would hold up the next that waits: nothing may be left. */
    private static Meeting counting(IntConsumer add, IntConsumer remove, Waiting waiting) {
        return Meeting.of(
                () -> {
                    try {
                        waiting.awaitRoom();
                        return "";
                    } catch (InterruptedException | IllegalStateException e) {
                        return "no room, and nothing waits to be done: " + e.getMessage();
                    }
                },
                () -> each(add),
                () -> each(remove));
    }

    private static void each(IntConsumer change) {
        for (int i = 0; i < 4; i++) {
            change.accept(1);
        }
    }

    @Test
    void whoMakesRoomWakesWhoWaitsForIt() {
        proveMakesRoom(Thread::yield);
    }

    private static void proveMakesRoom(Runnable moment) {
        Meetings.prove(
                () -> {
                    Backlog backlog = new Backlog(MOST, Long.MAX_VALUE);
                    backlog.add(MOST, 0);
                    return waiting(backlog::awaitRoom, () -> backlog.remove(1, 0));
                },
                () -> {
                    LooksBeforeItLocks backlog = new LooksBeforeItLocks(moment);
                    return waiting(backlog::awaitRoom, backlog::remove);
                });
    }

    @Test
    void whoEndsItWakesWhoWaitsForRoom() {
        proveEnds(Thread::yield);
    }

    private static void proveEnds(Runnable moment) {
        Meetings.prove(
                () -> {
                    Backlog backlog = new Backlog(MOST, Long.MAX_VALUE);
                    backlog.add(MOST, 0);
                    return waiting(backlog::awaitRoom, backlog::close);
                },
                () -> {
                    LooksBeforeItLocks backlog = new LooksBeforeItLocks(moment);
                    return waiting(backlog::awaitRoom, backlog::remove);
                });
    }

    @Test
    void theProducerIsToldOfRoomOnceEachTimeThereWasNone() {
        Backlog backlog = new Backlog(2, 100);
        AtomicInteger told = new AtomicInteger();
        backlog.onRoom(told::incrementAndGet);
        backlog.add(3, 30);
        assertFalse(backlog.hasRoom());
        backlog.remove(1, 10);
        assertEquals(0, told.get(), "two are still waiting");
        backlog.remove(1, 10);
        assertTrue(backlog.hasRoom());
        backlog.remove(1, 10);
        assertEquals(1, told.get(), "there was room before the last one");

        backlog.add(1, 100);
        assertFalse(backlog.hasRoom(), "for bytes");
        backlog.open(true);
        assertEquals(2, told.get());
        backlog.open(false);
        assertFalse(backlog.hasRoom());
        backlog.close();
        assertEquals(3, told.get());
    }

    /** A producer that has asked before goes on, since it would block its thread for long. */
    @Test
    @Timeout(60)
    void anOpenBacklogThatIsBoundedHasNoRoomAndBlocksNoProducer() throws InterruptedException {
        Backlog backlog = new Backlog(2, 100);
        AtomicInteger told = new AtomicInteger();
        backlog.onRoom(told::incrementAndGet);
        backlog.open(true);
        backlog.add(2, 0);
        assertTrue(backlog.hasRoom());
        backlog.bound();
        assertFalse(backlog.hasRoom());
        backlog.awaitRoom();
        backlog.open(false);
        assertFalse(backlog.hasRoom());
        backlog.remove(1, 0);
        assertEquals(1, told.get());

        backlog.open(true);
        backlog.add(2, 0);
        assertTrue(backlog.hasRoom(), "the bound was that of the wait before");
    }

    @Test
    void bytesThatAreRemovedMakeRoom() {
        Backlog backlog = new Backlog(10, 100);
        backlog.add(2, 100);
        assertFalse(backlog.hasRoom());
        backlog.remove(1, 60);
        assertTrue(backlog.hasRoom());
    }

    /** Who is never woken does not end, which is a violation. */
    private static Meeting waiting(Waiting waiting, Runnable makeRoom) {
        return Meeting.of(() -> "", makeRoom::run, waiting::awaitRoom);
    }

    /** The count as a field, its wait an error. */
    private static final class WithoutLock {
        private final Runnable moment;
        private int waiting;

        WithoutLock(Runnable moment) {
            this.moment = moment;
        }

        void add(int count) {
            int more = waiting + count;
            moment.run();
            waiting = more;
        }

        void remove(int count) {
            waiting -= count;
        }

        void awaitRoom() {
            if (waiting >= 1) {
                throw new IllegalStateException(waiting + " are counted");
            }
        }
    }

    private static final class LooksBeforeItLocks {
        private final Runnable moment;
        private final AtomicInteger waiting = new AtomicInteger(MOST);

        LooksBeforeItLocks(Runnable moment) {
            this.moment = moment;
        }

        void remove() {
            waiting.decrementAndGet();
            synchronized (this) {
                notifyAll();
            }
        }

        /** Does not wait for ever, so that the test need not either. */
        @SuppressWarnings("WaitNotInLoop") // what is planted
        void awaitRoom() throws InterruptedException {
            if (waiting.get() >= MOST) {
                moment.run();
                long since = System.nanoTime();
                synchronized (this) {
                    wait(FOR_EVER_MILLIS);
                }
                if (System.nanoTime() - since >= TimeUnit.MILLISECONDS.toNanos(FOR_EVER_MILLIS)) {
                    throw new IllegalStateException("nobody woke who waited");
                }
            }
        }
    }
}
