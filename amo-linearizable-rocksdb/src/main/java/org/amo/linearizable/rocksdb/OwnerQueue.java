package org.amo.linearizable.rocksdb;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Hands tasks of any thread to one owner, up to a number, and beyond it those that the owner itself must not miss.
 *
 * <p>Invariant: a task that {@link #put} or {@link #putOwn} took is given to the owner once, by {@link #take} or by
 * {@link #end}, also when the two meet.
 */
final class OwnerQueue<T> {
    private final BlockingQueue<T> waiting = new LinkedBlockingQueue<>();
    private final int most;
    private volatile boolean ended;

    /** The outcome of a put. */
    enum Put {
        TAKEN,
        FULL,
        ENDED
    }

    OwnerQueue(int most) {
        this.most = most;
    }

    /** Any thread; at once. No task equals another. Threads that put at the same time may all take the last place. */
    Put put(T task) {
        if (!ended && waiting.size() >= most) {
            return Put.FULL;
        }
        return putOwn(task) ? Put.TAKEN : Put.ENDED;
    }

    /** The same for a task that has a place in any case: there are few. @return false if the owner has ended */
    boolean putOwn(T task) {
        if (ended) {
            return false;
        }
        waiting.add(task);
        // A thread that adds after the owner's last look sees the end, and takes the task back if it is still there.
        return !ended || !waiting.remove(task);
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
