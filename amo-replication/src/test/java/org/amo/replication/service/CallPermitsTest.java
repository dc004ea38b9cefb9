package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Tag;
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
        prove(Thread::yield);
    }

    /** The planted bug is hard to meet, so that the acts run far more often. */
    @Test
    @Tag("slow")
    void theSameBesideABugThatShowsForAMoment() {
        prove(() -> {});
    }

    /** @param moment between the read and the write of the planted bug */
    private static void prove(Runnable moment) {
        Meetings.prove(
                () -> {
                    CallPermits room = new CallPermits(3, 2);
                    return calling(room::enter, room::leave);
                },
                () -> {
                    WithoutSemaphores room = new WithoutSemaphores(3, 2, moment);
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

    /** At the first question there is no room, and before the stage is in the queue there is. */
    @Test
    void roomThatIsGivenBackBeforeTheStageIsInTheQueueIsFound() {
        AtomicInteger questions = new AtomicInteger();
        RoomQueue queue = new RoomQueue(bytes -> questions.getAndIncrement() > 0, Runnable::run);
        assertTrue(queue.whenRoom(1).isDone());
    }

    @Test
    void aClosedQueueLetsNoStageWait() {
        RoomQueue queue = new RoomQueue(bytes -> false, Runnable::run);
        CompletableFuture<Void> before = queue.whenRoom(1);
        assertFalse(before.isDone());
        queue.close();
        assertTrue(before.isDone());
        assertTrue(queue.whenRoom(1).isDone());
    }

    /** A later question is not answered before an earlier one, which may be for more room. */
    @Test
    void stagesEndInTheOrderOfTheirQuestions() {
        AtomicInteger room = new AtomicInteger(1);
        RoomQueue queue = new RoomQueue(bytes -> bytes <= room.get(), Runnable::run);
        CompletableFuture<Void> large = queue.whenRoom(2);
        CompletableFuture<Void> small = queue.whenRoom(1);
        queue.onRoom();
        assertFalse(large.isDone() || small.isDone());
        room.set(2);
        queue.onRoom();
        assertTrue(large.isDone() && small.isDone());
    }

    /** The one call leaves while a stage is asked for: the stage ends all the same. */
    @Test
    @Tag("slow")
    void aStageThatIsAskedForWhileRoomIsGivenBackEnds() {
        Meetings.prove(
                () -> {
                    CallPermits room = new CallPermits(1, 1);
                    return leaving(room, () -> room.whenRoom(1));
                },
                () -> {
                    CallPermits room = new CallPermits(1, 1);
                    AskingFirst queue = new AskingFirst(Thread::yield);
                    return leaving(
                            room, () -> queue.whenRoom(() -> room.whenRoom(1).isDone()), queue::onRoom);
                });
    }

    private static Meeting leaving(CallPermits room, Supplier<CompletableFuture<Void>> asking, Runnable... behind) {
        AtomicReference<CompletableFuture<Void>> stage = new AtomicReference<>();
        try {
            assertTrue(room.enter(1, 0));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Meeting.of(
                () -> stage.get().isDone() ? "" : "there is room, and the stage has not ended",
                () -> {
                    room.leave(1);
                    List.of(behind).forEach(Runnable::run);
                },
                () -> stage.set(asking.get()));
    }

    /** Planted: it asks for room before the stage is in the queue, and not again. */
    private static final class AskingFirst {
        private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
        private final Runnable moment;

        /** @param moment between the question and the place in the queue */
        AskingFirst(Runnable moment) {
            this.moment = moment;
        }

        CompletableFuture<Void> whenRoom(BooleanSupplier hasRoom) {
            CompletableFuture<Void> stage = new CompletableFuture<>();
            if (hasRoom.getAsBoolean()) {
                stage.complete(null);
            } else {
                moment.run();
                waiting.add(stage);
            }
            return stage;
        }

        void onRoom() {
            for (CompletableFuture<Void> each = waiting.poll(); each != null; each = waiting.poll()) {
                each.complete(null);
            }
        }
    }

    /** Two counts that are asked first and changed then. */
    private static final class WithoutSemaphores {
        private final Runnable moment;
        private volatile int calls;
        private volatile int kilobytes;

        WithoutSemaphores(int calls, int kilobytes, Runnable moment) {
            this.calls = calls;
            this.kilobytes = kilobytes;
            this.moment = moment;
        }

        @SuppressWarnings({"NonAtomicVolatileUpdate", "UnusedVariable"}) // planted
        boolean enter(int bytes, long waitMillis) {
            if (calls < 1 || kilobytes < 1) {
                return false;
            }
            calls--;
            int left = kilobytes - 1;
            moment.run();
            kilobytes = left;
            return true;
        }

        @SuppressWarnings({"NonAtomicVolatileUpdate", "UnusedVariable"}) // planted
        void leave(int bytes) {
            calls++;
            kilobytes++;
        }
    }
}
