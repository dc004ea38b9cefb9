package org.amo.interceptors.server;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Holds a resource that one thread opens, which takes long, while others wait for it or close it. Any thread.
 *
 * <p>Invariant: an opened resource is closed once after {@link #close}, in either order of the two.
 */
final class LazyResource<T> {
    private final Consumer<T> closer;
    private final CompletableFuture<T> opened = new CompletableFuture<>();

    // Guarded by this, as is the completion of opened: its waiters run nothing in the thread that completes it.
    private boolean closed;

    LazyResource(Consumer<T> closer) {
        this.closer = closer;
    }

    void opened(T value) {
        boolean late;
        synchronized (this) {
            opened.complete(value);
            late = closed;
        }
        if (late) {
            closer.accept(value);
        }
    }

    void failed(Throwable why) {
        opened.completeExceptionally(why);
    }

    /** Waits at most so long. */
    T get(long millis) throws InterruptedException, ExecutionException, TimeoutException {
        return opened.get(millis, TimeUnit.MILLISECONDS);
    }

    /** The resource if it is open; does not wait. */
    Optional<T> now() {
        return opened.isDone() && !opened.isCompletedExceptionally() ? Optional.of(opened.join()) : Optional.empty();
    }

    void close() {
        Optional<T> open;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = now();
        }
        open.ifPresent(closer);
    }
}
