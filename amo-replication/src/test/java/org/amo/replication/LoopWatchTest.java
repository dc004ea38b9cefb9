package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoopWatchTest {
    private final List<String> still = new ArrayList<>();

    @Test
    void aLoopThatTurnsOrHasNothingToDoIsLeftAlone() {
        AtomicLong turns = new AtomicLong();
        LoopWatch.Loop turning = new LoopWatch.Loop("turning", () -> true, turns::get);
        LoopWatch.Loop idle = new LoopWatch.Loop("idle", () -> false, () -> 7);
        LoopWatch watch = new LoopWatch("a", List.of(turning, idle), still::add);
        for (int i = 0; i < 10 * LoopWatch.LOOKS; i++) {
            if (i % (LoopWatch.LOOKS - 1) == 0) {
                turns.incrementAndGet();
            }
            watch.look();
        }
        assertEquals(List.of(), still);
    }

    @Test
    void aTaskThatNeverReturnsIsToldOnceWhenOthersWaitForIt() throws InterruptedException {
        SerialExecutor owner = new SerialExecutor(thrown -> {});
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Thread stuck = new Thread(() -> owner.run(() -> {
            began.countDown();
            await(never);
        }));
        stuck.setDaemon(true);
        stuck.start();
        began.await();
        owner.run(() -> {});
        LoopWatch watch =
                new LoopWatch("a", List.of(new LoopWatch.Loop("owner", owner::isBusy, owner::turns)), still::add);
        for (int i = 0; i < 3 * LoopWatch.LOOKS; i++) {
            watch.look();
            assertEquals(i + 1 < LoopWatch.LOOKS ? List.of() : List.of("owner"), still);
        }
        never.countDown();
        stuck.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
