package org.amo.replication.service;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** How much a client may have under way: calls, and kilobytes of their bodies. Any thread. */
final class CallPermits {
    private final Semaphore calls;
    private final Semaphore kilobytes;
    private final int mostKilobytes;

    CallPermits(int mostCalls, int mostKilobytes) {
        this.calls = new Semaphore(mostCalls);
        this.kilobytes = new Semaphore(mostKilobytes);
        this.mostKilobytes = mostKilobytes;
    }

    /** Waits at most so long. Returns whether there is room now, which {@link #leave} gives back. */
    boolean enter(int bytes, long waitMillis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
        if (!calls.tryAcquire() && !calls.tryAcquire(waitMillis, TimeUnit.MILLISECONDS)) {
            return false;
        }
        boolean entered = false;
        try {
            int share = share(bytes);
            entered = kilobytes.tryAcquire(share)
                    || kilobytes.tryAcquire(share, end - System.nanoTime(), TimeUnit.NANOSECONDS);
            return entered;
        } finally {
            if (!entered) {
                calls.release();
            }
        }
    }

    void leave(int bytes) {
        kilobytes.release(share(bytes));
        calls.release();
    }

    /** A body larger than everything gets everything. */
    private int share(int bytes) {
        return Math.min(mostKilobytes, bytes / 1_024 + 1);
    }
}
