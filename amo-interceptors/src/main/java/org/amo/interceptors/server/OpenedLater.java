package org.amo.interceptors.server;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Something that one thread opens, which takes long, while others wait for it or close it. Any thread.
 *
 * <p>Invariant: what was opened is closed once after {@link #close}, whichever of the two came first.
 */
final class OpenedLater<T> {
    private final Consumer<T> closer;
    private final CompletableFuture<T> opened = new CompletableFuture<>();

    // Guarded by this, as is the end of opened, whose waiters run nothing in the thread that ends it.
    private boolean closed;

    OpenedLater(Consumer<T> closer) {
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

    /** What is open, at once. */
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
