package org.amo.benchmarks.fts;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Calls without threads of their own. */
class CallLoadTest {
    private final Deque<CompletableFuture<byte[]>> underWay = new ArrayDeque<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private CompletionStage<byte[]> call() {
        CompletableFuture<byte[]> call = new CompletableFuture<>();
        underWay.add(call);
        return call;
    }

    @Test
    void soManyAreUnderWayAndNoneBeginsInAPause() {
        try (CallLoad load = CallLoad.outstanding(3, this::call, () -> closed.set(true))) {
            assertEquals(0, underWay.size(), "before its first turn");
            load.resume();
            assertEquals(3, underWay.size());
            for (int i = 0; i < 10; i++) {
                underWay.remove().complete(new byte[1]);
                assertEquals(3, underWay.size());
            }
            assertEquals(10, load.calls());
            load.pause();
            underWay.remove().complete(new byte[1]);
            underWay.remove().completeExceptionally(new IllegalStateException("gone"));
            assertEquals(1, underWay.size());
            assertEquals(11, load.calls());
            assertEquals(1, load.failures());
            assertTrue(load.lastFailure().contains("gone"), load.lastFailure());
            load.resume();
            assertEquals(3, underWay.size());
        }
        assertTrue(closed.get());
        underWay.remove().complete(new byte[1]);
        assertEquals(2, underWay.size(), "none begins once it is closed");
    }

    /** The longest wait of a client whose call has no end yet. */
    @Test
    void aCallUnderWayCountsAsLongAsItHasLasted() {
        try (CallLoad load = CallLoad.outstanding(1, this::call, () -> closed.set(true))) {
            assertEquals(0, load.longestMillis());
            load.resume();
            await().until(() -> load.longestMillis() > 20);
            assertEquals(0, load.calls());
            load.pause();
            underWay.remove().complete(new byte[1]);
            assertTrue(load.longestMillis() > 20, "it has ended, and was so long");
            load.forgetLatency();
            assertEquals(0, load.longestMillis());
        }
    }

    /** A client refuses calls at once when it has no room: each such call would take a piece of the stack. */
    @Test
    void callsThatEndAtOnceTakeNoStack() {
        int[] made = {0};
        CallLoad[] load = {null};
        load[0] = CallLoad.outstanding(
                1,
                () -> {
                    made[0]++;
                    if (made[0] == 200_000) {
                        load[0].pause();
                    }
                    return CompletableFuture.completedFuture(new byte[1]);
                },
                () -> {});
        load[0].resume();
        assertEquals(200_000, load[0].calls());
        load[0].close();
    }
}
