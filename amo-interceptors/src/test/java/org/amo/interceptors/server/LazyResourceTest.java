package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

/** What {@link ReplicaHandle} opens its replica in. */
class LazyResourceTest {

    /** An ORB that is destroyed while its member joins: the member must not stay in the group. */
    @Test
    void whatIsOpenedWhileOthersCloseIsClosedOnce() {
        Meetings.prove(
                () -> {
                    AtomicInteger closed = new AtomicInteger();
                    LazyResource<String> later = new LazyResource<>(value -> closed.incrementAndGet());
                    return closing(later::opened, later::close, closed);
                },
                () -> {
                    AtomicInteger closed = new AtomicInteger();
                    AsksBeforeItTells later = new AsksBeforeItTells(closed);
                    return closing(later::opened, later::close, closed);
                });
    }

    @Test
    void whatFailedIsNeverOpen() {
        LazyResource<String> later = new LazyResource<>(value -> {});
        later.failed(new IllegalStateException("planted"));
        assertEquals(Optional.empty(), later.now());
    }

    private static Meeting closing(Consumer<String> opened, Runnable close, AtomicInteger closed) {
        return Meeting.of(
                () -> closed.get() == 1 ? "" : "closed " + closed + " times",
                () -> opened.accept("replica"),
                close::run,
                close::run);
    }

    /** As it was: asks whether it was closed, and only then says that it is open. */
    private static final class AsksBeforeItTells {
        private final AtomicInteger count;
        private final CompletableFuture<String> opened = new CompletableFuture<>();
        private boolean closed;

        AsksBeforeItTells(AtomicInteger count) {
            this.count = count;
        }

        void opened(String value) {
            synchronized (this) {
                if (closed) {
                    count.incrementAndGet();
                }
            }
            opened.complete(value);
        }

        void close() {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            if (opened.isDone()) {
                count.incrementAndGet();
            }
        }
    }
}
