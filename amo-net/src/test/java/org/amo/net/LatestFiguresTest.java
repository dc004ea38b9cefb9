package org.amo.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LatestFiguresTest {
    private final AtomicReference<CompletableFuture<Integer>> component =
            new AtomicReference<>(new CompletableFuture<>());
    private final LatestFigures<Integer> figures = new LatestFigures<>(0, component::get);

    @Test
    void figuresAreThoseOfNow() {
        component.set(CompletableFuture.completedFuture(1));
        assertEquals(1, figures.get());
        component.set(CompletableFuture.completedFuture(2));
        assertEquals(2, figures.get());
    }

    @Test
    void aSilentComponentHasItsLatestFigures() {
        assertEquals(0, figures.get(), "it has never answered");
        component.set(CompletableFuture.completedFuture(1));
        assertEquals(1, figures.get());
        component.set(new CompletableFuture<>());
        assertEquals(1, figures.get());
    }

    @Test
    void soHasOneThatHasEnded() {
        component.set(CompletableFuture.completedFuture(1));
        assertEquals(1, figures.get());
        component.set(CompletableFuture.failedFuture(new IllegalStateException("closed")));
        assertEquals(1, figures.get());
    }

    @Test
    void anInterruptionStays() {
        Thread.currentThread().interrupt();
        assertEquals(0, figures.get());
        assertTrue(Thread.interrupted());
    }
}
