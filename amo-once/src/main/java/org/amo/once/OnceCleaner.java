package org.amo.once;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;

/** Removes expired records from time to time, batch by batch, in a thread of its own. */
final class OnceCleaner implements OnceExecutor.Cleaner {
    private static final Logger LOG = System.getLogger(OnceCleaner.class.getName());
    private static final int BATCH = 1_000;
    private static final long CLOSE_MILLIS = 10_000;

    private final OnceExecutor<?, ?> executor;
    private final Duration pause;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private OnceCleaner(OnceExecutor<?, ?> executor, Duration pause) {
        this.executor = executor;
        this.pause = pause;
        thread = DaemonThreads.unstarted("amo-once-cleaner", this::run);
    }

    static OnceCleaner start(OnceExecutor<?, ?> executor, Duration pause) {
        OnceCleaner cleaner = new OnceCleaner(executor, pause);
        cleaner.thread.start();
        return cleaner;
    }

    private void run() {
        try {
            do {
                cleanAll();
            } while (!closed.await(pause.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void cleanAll() {
        try {
            while (closed.getCount() > 0 && executor.clean(BATCH) == BATCH) {
                // The next batch, in a transaction of its own.
            }
        } catch (Exception | Error e) {
            // Want of memory passes, too. Without this thread the records would grow for ever.
            LOG.log(Level.WARNING, "expired records were not removed, and will be tried again: " + e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        DaemonThreads.join(thread, CLOSE_MILLIS);
    }
}
