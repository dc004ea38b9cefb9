package org.amo.replication.order.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time run RAFT: its own thread, which runs all requests that wait, or a guest. A guest is another thread with
 * a request. It has the turn only if no other thread has it and no request waits, and it runs that one request. This saves the
 * wake-up of RAFT's thread.
 *
 * <p>Requests of one thread run in the order of that thread. Each turn sees the effects of the earlier ones.
 *
 * <p>Invariant: as long as a request is open, a thread has the turn, or the turn is passed to RAFT's thread, which is woken. So no
 * request waits until a time is over.
 *
 * @param <T> a request
 */
class RaftTurns<T> {
    private final ConcurrentLinkedQueue<T> waiting = new ConcurrentLinkedQueue<>();

    /** Requests that have not been run, those of the present turn included. The thread that raises it from 0 has the turn. */
    private final AtomicInteger open = new AtomicInteger();

    private final LongSupplier nanoTime;
    private volatile boolean passed;
    private volatile @Nullable Thread own;
    private volatile long guestEndedNanos;

    // Of the thread that has the turn; 0 while there is none. Open requests that are not from the queue, and those from
    // there.
    private int outside;
    private int taken;

    RaftTurns() {
        this(System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    RaftTurns(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.guestEndedNanos = nanoTime.getAsLong();
    }

    /** Any thread asks for a turn as a guest. @return whether it has the turn until {@link #end} */
    boolean begin() {
        if (!open.compareAndSet(0, 1)) {
            return false;
        }
        outside = 1;
        return true;
    }

    /**
     * The turn of a guest ends.
     *
     * @param more whether RAFT's thread has something to do, even if no request waits
     */
    final void end(boolean more) {
        guestEndedNanos = nanoTime.getAsLong();
        if (more) {
            pass();
            return;
        }
        outside = 0;
        if (open.decrementAndGet() > 0) {
            pass();
        }
    }

    /** Hands in a request for RAFT's thread. Any thread, guests included. */
    final void put(T request) {
        waiting.add(request);
        if (open.getAndIncrement() == 0) {
            pass();
        }
    }

    /** The thread that has the turn gives it to RAFT's thread. */
    private void pass() {
        passed = true;
        LockSupport.unpark(own);
    }

    /**
     * RAFT's thread waits for the turn.
     *
     * @param nanos if nothing comes for so long, it has the turn all the same
     * @return whether something has come
     */
    final boolean await(long nanos) throws InterruptedException {
        own = Thread.currentThread();
        long since = nanoTime.getAsLong();
        while (!passed) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long now = nanoTime.getAsLong();
            long last = guestEndedNanos;
            long idle = now - (last - since > 0 ? last : since);
            if (idle < nanos) {
                LockSupport.parkNanos(this, nanos - idle);
            } else if (begin()) {
                return false;
            } else {
                since = now; // a guest has the turn
            }
        }
        passed = false;
        return true;
    }

    /** All requests that wait, for RAFT's thread, which has the turn until {@link #endOwn}. */
    final List<T> take() {
        int count = open.get() - outside;
        List<T> requests = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            // Each was added before it was counted.
            T next = waiting.poll();
            if (next == null) {
                throw new IllegalStateException("a request is missing");
            }
            requests.add(next);
            taken++;
        }
        return requests;
    }

    /** The turn of RAFT's thread ends. It has the next one, too, if requests have come meanwhile. */
    final void endOwn() {
        int ended = outside + taken;
        outside = 0;
        taken = 0;
        if (open.addAndGet(-ended) > 0) {
            passed = true;
        }
    }
}
