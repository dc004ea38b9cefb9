package org.amo.interceptors.client;

import java.util.concurrent.TimeUnit;

/** The monotonic clock of the client side, and bounded sleep on it. */
final class Clock {
    private Clock() {}

    static long nowMillis() {
        return System.nanoTime() / 1_000_000;
    }

    /** JacORB's own waits do not end by interruption either; the thread finds its mark set afterwards. */
    static void pause(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean interrupted = false;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.sleep(left);
            } catch (InterruptedException remembered) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
