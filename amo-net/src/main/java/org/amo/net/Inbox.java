package org.amo.net;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What any thread hands to the one that owns something. The owner is woken once for all that gathers until it comes.
 *
 * <p>Invariant: whatever was put in before {@link #wake} returned true, and all that is put in before {@link #awake}, is
 * there for the owner that this call has woken; what comes later wakes it again. So nothing is left behind.
 *
 * @param <T> what is handed over
 */
public final class Inbox<T> {
    private final ConcurrentLinkedQueue<T> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();

    /** Any thread; {@link #wake} must follow. */
    public void put(T item) {
        waiting.add(item);
    }

    /** Any thread. Returns whether the caller has to have the owner run: nobody else has since it last ran. */
    public boolean wake() {
        return !woken.getAndSet(true);
    }

    /** The owner, before it takes anything: what is put in after this finds the flag down and wakes it again. */
    public void awake() {
        woken.set(false);
    }

    /** The oldest that is there, or null. The owner; and any thread once the owner will not run any more. */
    public @Nullable T poll() {
        return waiting.poll();
    }
}
