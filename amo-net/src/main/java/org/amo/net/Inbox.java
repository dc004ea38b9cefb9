package org.amo.net;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Hands items from any thread to one owner thread. The owner is woken once for all items that gather until it comes.
 *
 * <p>Invariant: all items put in before {@link #wake} returned true, or before {@link #awake}, are there for the owner that
 * this call has woken; later items wake it again. So nothing is left behind.
 *
 * @param <T> the items handed over
 */
public final class Inbox<T> {
    private final ConcurrentLinkedQueue<T> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();

    /** Any thread; {@link #wake} must follow. */
    public void put(T item) {
        waiting.add(item);
    }

    /** Any thread. Returns whether the caller has to make the owner run: no other thread has since it last ran. */
    public boolean wake() {
        return !woken.getAndSet(true);
    }

    /** The owner, before it takes anything: an item put in after this finds the flag down and wakes it again. */
    public void awake() {
        woken.set(false);
    }

    /** The oldest that is there, or null. The owner; and any thread once the owner will not run any more. */
    public @Nullable T poll() {
        return waiting.poll();
    }
}
