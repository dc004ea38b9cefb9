package org.amo.net;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands items from any thread to one owner thread. The owner is woken once for all items that gather until it comes.
 *
 * <p>Invariant: all items put in before {@link #wake} returned true, or before {@link #awake}, are there for the owner that
 * this call has woken; later items wake it again. So nothing is left behind.
 *
 * <p>After {@link #end} the owner need not run any more: items that it has not taken, and later ones, are refused.
 *
 * @param <T> the items handed over
 */
public final class Inbox<T> {
    private final ConcurrentLinkedQueue<T> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final Consumer<? super T> refused;
    // Set before waiting items are refused, and read by other threads after they put one in: none is left behind.
    private volatile boolean ended;

    /** Of an owner that ends with all threads that put items in. */
    public Inbox() {
        this(item -> {});
    }

    /** @param refused is given each item that the owner will not take, in the thread that put it in or the one of {@link #end} */
    public Inbox(Consumer<? super T> refused) {
        this.refused = refused;
    }

    /** Any thread; {@link #wake} must follow, unless this has ended. */
    public void put(T item) {
        waiting.add(item);
        if (ended) {
            refuseWaiting();
        }
    }

    /** Any thread: refuses items that wait, and later ones. */
    public void end() {
        ended = true;
        refuseWaiting();
    }

    public boolean hasEnded() {
        return ended;
    }

    private void refuseWaiting() {
        for (T next = poll(); next != null; next = poll()) {
            refused.accept(next);
        }
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
