package org.amo.interceptors.server;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Holds the execution thread back while the server's main is still activating its objects: the log may deliver
 * requests that an earlier process received for them before they are there.
 *
 * <p>The timeout counts from the opening of the replica, not from each request. After it, a request does not wait for
 * an object that is missing or was deactivated.
 */
final class ActivationGate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final long patienceNanos;
    private long openedNanos;
    private boolean opened;

    ActivationGate(Duration patience) {
        this.patienceNanos = patience.toNanos();
    }

    /** The replica is about to deliver. Only the first call counts. */
    void open() {
        lock.lock();
        try {
            if (!opened) {
                opened = true;
                openedNanos = System.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }

    /** An object or an adapter has come into being. */
    void activated() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The lookup's result, now or after an activation; empty once the timeout has passed. */
    <T> Optional<T> await(Supplier<Optional<T>> lookup) {
        Optional<T> found = lookup.get();
        if (found.isPresent()) {
            return found;
        }
        lock.lock();
        try {
            while (true) {
                found = lookup.get();
                long left = opened ? patienceNanos - (System.nanoTime() - openedNanos) : 0;
                if (found.isPresent() || left <= 0) {
                    return found;
                }
                changed.awaitNanos(Math.min(left, TimeUnit.SECONDS.toNanos(1)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }
}
