package org.amo.exon.udp;

import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.amo.base.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the bounds of a node's clock in a thread of its own. The core asks once for each bound, so a write that failed is
 * made again until it succeeds. The bound on disk never sinks, so the file stays claimed until the last write has ended: it
 * could come behind those of the next node. Any thread may call it.
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
        this(file, onStored, DaemonThreads.factory("amo-exon-clock"));
    }

    ClockWriter(FileNodeClock file, LongConsumer onStored, ThreadFactory threads) {
        this.file = file;
        this.onStored = onStored;
        this.thread = new ScheduledThreadPoolExecutor(1, threads) {
            @Override
            protected void terminated() {
                giveBack(file);
            }
        };
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Starts the thread: the node would fall silent without it, once it has used its first range.
     *
     * @throws IOException in one line, if the system gives none; then the file is given back
     */
    void start() throws IOException {
        DaemonThreads.startAll(thread);
    }

    void store(long bound) {
        later(
                () -> {
                    wanted = Math.max(wanted, bound);
                    write();
                },
                0);
    }

    // Any failure: no other write would come.
    @SuppressWarnings("IllegalCatch")
    private void write() {
        if (stored == wanted) {
            return;
        }
        try {
            file.store(wanted);
            onStored.accept(wanted);
            stored = wanted;
        } catch (IOException | RuntimeException | Error e) {
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

    /**
     * Begins no other write. Waits for one that is under way, but not longer than 5 s: the file is given back when it has
     * ended.
     */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("a write of the node clock does not end; its file stays locked until it does, or until this"
                        + " process ends");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void giveBack(FileNodeClock file) {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("cannot close the clock's file: {}", e.toString());
        }
    }
}
