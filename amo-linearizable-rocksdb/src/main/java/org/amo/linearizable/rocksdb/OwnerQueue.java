package org.amo.linearizable.rocksdb;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Tasks of any thread for one owner, up to a number.
 *
 * <p>Invariant: what {@link #put} took is given to the owner once, by {@link #take} or by {@link #end}, also when the two meet.
 */
final class OwnerQueue<T> {
    private final BlockingQueue<T> waiting;
    private volatile boolean ended;

    /** What became of a task. */
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
        // Who offers after the owner's last look sees that it has ended, and takes the task back if it is still there.
        return ended && waiting.remove(task) ? Put.ENDED : Put.TAKEN;
    }

    /** The owner: waits for one, and gets all that are there, at most so many. */
    void take(List<T> into, int most) throws InterruptedException {
        into.add(waiting.take());
        waiting.drainTo(into, most - 1);
    }

    /** The owner takes nothing more. Returns what nobody will run. */
    List<T> end() {
        ended = true;
        List<T> left = new ArrayList<>();
        waiting.drainTo(left);
        return left;
    }
}
