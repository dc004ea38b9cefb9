package org.amo.linearizable.rocksdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

/** What {@link LinearizableStore} takes its calls from. */
class OwnerQueueTest {

    /** Otherwise as many calls as may wait could keep the store from what makes it serve them. */
    @Test
    void theOwnersTasksAreTakenThoughTheQueueIsFull() throws InterruptedException {
        OwnerQueue<Integer> queue = new OwnerQueue<>(1);
        assertEquals(OwnerQueue.Put.TAKEN, queue.put(1));
        assertEquals(OwnerQueue.Put.FULL, queue.put(2));
        assertTrue(queue.putOwn(3));
        List<Integer> given = new ArrayList<>();
        queue.take(given, 10);
        assertEquals(List.of(1, 3), given);
        assertEquals(List.of(), queue.end());
        assertFalse(queue.putOwn(4));
        assertEquals(OwnerQueue.Put.ENDED, queue.put(5));
    }

    /** A store that ends while calls come in: each of them runs, or is told that it does not, and none is forgotten. */
    @Test
    void eachTaskGoesToTheOwnerOrBackWhenTheOwnerEnds() {
        Meetings.prove(
                () -> {
                    OwnerQueue<Integer> queue = new OwnerQueue<>(8);
                    return ending(task -> queue.put(task) == OwnerQueue.Put.TAKEN, queue::end);
                },
                () -> {
                    AsksOnlyBefore queue = new AsksOnlyBefore();
                    return ending(queue::put, queue::end);
                });
    }

    private static Meeting ending(Predicate<Integer> put, Supplier<List<Integer>> end) {
        List<Integer> told = new ArrayList<>();
        boolean[] taken = new boolean[4];
        return Meeting.of(
                () -> {
                    for (int task = 0; task < taken.length; task++) {
                        if (taken[task] != told.contains(task)) {
                            return "task " + task + " taken: " + taken[task] + ", given to the owner: " + told;
                        }
                    }
                    return "";
                },
                () -> {
                    taken[0] = put.test(0);
                    taken[1] = put.test(1);
                },
                () -> {
                    taken[2] = put.test(2);
                    taken[3] = put.test(3);
                },
                () -> told.addAll(end.get()));
    }

    /** Does not look a second time, after it has put its task there. */
    private static final class AsksOnlyBefore {
        private final ArrayBlockingQueue<Integer> waiting = new ArrayBlockingQueue<>(8);
        private volatile boolean ended;

        boolean put(int task) {
            return !ended && waiting.offer(task);
        }

        List<Integer> end() {
            ended = true;
            List<Integer> left = new ArrayList<>();
            waiting.drainTo(left);
            return left;
        }
    }
}
