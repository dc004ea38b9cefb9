package org.amo.interceptors.client;

import java.util.function.BooleanSupplier;

/** One thread sleeps here while it has nothing to do; others give it something and then wake it. */
final class Parker {
    private final Object lock = new Object();

    // Raised before the sleeper looks for work, asked after work was put there: one of the two sees the other.
    private volatile boolean asleep;

    /** Any thread, after it has put work there. Costs nothing while no thread sleeps. */
    void wake() {
        if (asleep) {
            synchronized (lock) {
                lock.notifyAll();
            }
        }
    }

    /** Sleeps at most so long, unless there is work or some comes. One thread. May return early without reason. */
    // One wait, not a loop: the caller looks again after every wake-up.
    @SuppressWarnings("WaitNotInLoop")
    void sleep(BooleanSupplier nothingToDo, long millis) throws InterruptedException {
        synchronized (lock) {
            asleep = true;
            try {
                if (nothingToDo.getAsBoolean()) {
                    lock.wait(millis);
                }
            } finally {
                asleep = false;
            }
        }
    }
}
