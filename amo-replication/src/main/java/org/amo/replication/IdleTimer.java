package org.amo.replication;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;

/**
 * Tells when nothing has come for a moment, once for each time that it was asked for. Its thread sleeps unless it was asked;
 * to say that something came costs a write.
 */
final class IdleTimer {
    static final long QUIET_NANOS = 250_000;

    /** As long as something comes, but not longer. */
    static final long LONGEST_NANOS = 2_000_000;

    private final AtomicBoolean asked = new AtomicBoolean();
    private final Runnable quiet;
    private final Thread thread;
    private volatile long cameAtNanos;
    private volatile boolean stopped;

    IdleTimer(String member, Runnable quiet) {
        this.quiet = quiet;
        thread = DaemonThreads.start("amo-gather-" + member, this::loop);
    }

    /** Something has come. Any thread. */
    void came() {
        cameAtNanos = System.nanoTime();
    }

    /** To be told of the next quiet moment; asking again before it came changes nothing. Any thread. */
    void ask() {
        if (!asked.getAndSet(true)) {
            LockSupport.unpark(thread);
        }
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void loop() {
        while (!stopped) {
            if (!asked.get()) {
                LockSupport.park(this);
                continue;
            }
            awaitQuiet();
            // Before the callback: a request made during the callback arms the next one.
            asked.set(false);
            if (!stopped) {
                quiet.run();
            }
        }
    }

    private void awaitQuiet() {
        long now = System.nanoTime();
        long end = now + LONGEST_NANOS;
        long until = now + QUIET_NANOS;
        while (!stopped && until - now > 0) {
            LockSupport.parkNanos(this, until - now);
            now = System.nanoTime();
            long due = cameAtNanos + QUIET_NANOS;
            if (due - until > 0) {
                until = due - end > 0 ? end : due;
            }
        }
    }
}
