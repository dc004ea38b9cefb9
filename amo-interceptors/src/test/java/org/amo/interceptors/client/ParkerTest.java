package org.amo.interceptors.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

/** What the watch over open calls sleeps in. */
class ParkerTest {
    private static final long FOR_EVER_MILLIS = 3_000;

    /** The planted bug sleeps so long in several lives of a batch. */
    private static final long LONG_MILLIS = 250;

    private interface Bed {
        void sleep(BooleanSupplier nothingToDo, long millis) throws InterruptedException;
    }

    @Test
    void whoeverBringsWorkFindsTheSleeperAwakeOrWakesIt() {
        Meetings.prove(
                () -> {
                    Parker doze = new Parker();
                    return sleeping(doze::sleep, doze::wake, FOR_EVER_MILLIS);
                },
                () -> {
                    LooksBeforeItSays doze = new LooksBeforeItSays();
                    return sleeping(doze::sleep, doze::wake, LONG_MILLIS);
                });
    }

    private static Meeting sleeping(Bed bed, Runnable wake, long millis) {
        AtomicInteger work = new AtomicInteger();
        String[] wrong = {""};
        return Meeting.of(
                () -> wrong[0],
                () -> {
                    work.incrementAndGet();
                    wake.run();
                },
                () -> {
                    long since = System.nanoTime();
                    bed.sleep(() -> work.get() == 0, millis);
                    if (System.nanoTime() - since >= TimeUnit.MILLISECONDS.toNanos(millis)) {
                        wrong[0] = "nobody woke the sleeper";
                    }
                });
    }

    private static final class LooksBeforeItSays {
        private final Object lock = new Object();
        private volatile boolean asleep;

        void wake() {
            if (asleep) {
                synchronized (lock) {
                    lock.notifyAll();
                }
            }
        }

        @SuppressWarnings("WaitNotInLoop") // as in the sound one
        void sleep(BooleanSupplier nothingToDo, long millis) throws InterruptedException {
            boolean nothing = nothingToDo.getAsBoolean();
            synchronized (lock) {
                asleep = true;
                if (nothing) {
                    lock.wait(millis);
                }
                asleep = false;
            }
        }
    }
}
