package org.amo.linearizable.rocksdb;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Hands tasks of any thread to one owner, up to a number.
 *
 * <p>Invariant: a task that {@link #put} took is given to the owner once, by {@link #take} or by {@link #end}, also when the
 * two meet.
 */
final class OwnerQueue<T> {
    private final BlockingQueue<T> waiting;
    private volatile boolean ended;

    /** The outcome of a put. */
    enum Put {
        TAKEN,
        FULL,
        ENDED
    }

    OwnerQueue(int most) {
        waiting = new ArrayBlockingQueue<>(most);
    }

    /** Any thread; at once. No task equals another. */
    Put put(T task) {
        if (ended) {
            return Put.ENDED;
        }
        if (!waiting.offer(task)) {
            return Put.FULL;
        }
        // A thread that offers after the owner's last look sees the end, and takes the task back if it is still there.
        return ended && waiting.remove(task) ? Put.ENDED : Put.TAKEN;
    }

    /** The owner: waits for one, and gets all that are there, at most so many. */
    void take(List<T> into, int most) throws InterruptedException {
        into.add(waiting.take());
        waiting.drainTo(into, most - 1);
    }

    /** The owner takes nothing more. Returns the tasks that will not run. */
    List<T> end() {
        ended = true;
        List<T> left = new ArrayList<>();
        waiting.drainTo(left);
        return left;
    }
}
