package org.amo.exon.udp;

import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.amo.base.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the bounds of a node's clock in a thread of its own. The core asks once for each bound, so a write that failed is
 * made again until it succeeds. The bound on disk never sinks. Any thread may call it.
 */
final class ClockWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClockWriter.class);
    private static final long AGAIN_MILLIS = 1_000;

    private final FileNodeClock file;
    private final LongConsumer onStored;
    private final ScheduledThreadPoolExecutor thread;

    // Of the thread alone.
    private long wanted;
    private long stored;

    /** @param onStored is told each bound that is on disk, in the writer's thread */
    ClockWriter(FileNodeClock file, LongConsumer onStored) {
        this.file = file;
        this.onStored = onStored;
        this.thread = new ScheduledThreadPoolExecutor(1, DaemonThreads.factory("amo-exon-clock"));
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    void store(long bound) {
        later(
                () -> {
                    wanted = Math.max(wanted, bound);
                    write();
                },
                0);
    }

    private void write() {
        if (stored == wanted) {
            return;
        }
        try {
            file.store(wanted);
            stored = wanted;
            onStored.accept(stored);
        } catch (IOException e) {
            LOG.error(
                    "cannot store the node clock ({}); nothing is sent when its values are used up, until it can be"
                            + " stored",
                    e.toString());
            later(this::write, AGAIN_MILLIS);
        }
    }

    // The tasks report their failures themselves.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void later(Runnable task, long millis) {
        try {
            thread.schedule(task, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.trace("closed");
        }
    }

    /** Stores nothing more. Waits for a write that is under way, then closes the file. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("a write of the node clock does not end");
            }
            file.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.warn("cannot close the clock's file: {}", e.toString());
        }
    }
}
