package org.amo.net;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Figures that a component tells in its own thread, for threads that ask at any time: those of now, or the latest ones if the component
 * does not answer within 50 ms or has ended.
 *
 * @param <T> the figures of one moment
 */
public final class LatestFigures<T> {
    private static final long PATIENCE_MILLIS = 50;

    private final Supplier<? extends CompletionStage<T>> component;
    private volatile T latest;

    /**
     * Asks nothing yet.
     *
     * @param none the figures of a component that has not answered yet
     * @param component asked each time, from any thread
     */
    public LatestFigures(T none, Supplier<? extends CompletionStage<T>> component) {
        this.latest = none;
        this.component = component;
    }

    /** The figures of now, or the latest. An interruption stays. */
    public T get() {
        try {
            latest = component.get().toCompletableFuture().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException unanswered) {
            // It is busy, or has ended.
        }
        return latest;
    }
}
