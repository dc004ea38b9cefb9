package org.amo.interceptors.jacorb;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.jacorb.orb.giop.ClientConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Breaks the connection of a thread that writes a captured request to a server which does not read. JacORB limits the waits for other
 * writers of the connection and for the reply, but not the write. Any thread.
 */
public final class WriteWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WriteWatch.class);
    private static final String THREAD = "amo-nested-watch";

    /** Time of a write beyond that of its attempt. */
    private static final long MARGIN_MILLIS = 1_000;

    private static final long IDLE_MILLIS = 10_000;

    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.factory(THREAD), new ThreadPoolExecutor.DiscardPolicy());

    /** Ends the watch of one write. */
    @FunctionalInterface
    interface Watched {
        void end();
    }

    public WriteWatch() {
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    /** Watches a write of the calling thread, which belongs to an attempt with that time-out. */
    Watched begin(ClientConnection connection, long timeoutMillis) {
        Write write = new Write(Thread.currentThread(), connection);
        ScheduledFuture<?> end = timer.schedule(write, timeoutMillis + MARGIN_MILLIS, TimeUnit.MILLISECONDS);
        return () -> {
            write.ended = true;
            end.cancel(false);
        };
    }

    /** For the end of the ORB, which closes its connections itself. */
    @Override
    public void close() {
        timer.shutdownNow();
    }

    private static final class Write implements Runnable {
        private final Thread writer;
        private final ClientConnection connection;
        private volatile boolean ended;

        Write(Thread writer, ClientConnection connection) {
            this.writer = writer;
            this.connection = connection;
        }

        @Override
        public void run() {
            if (isOverdue()) {
                // Its own thread: the end of an SSL connection may wait for its peer.
                DaemonThreads.start(THREAD, this::breakConnection);
            }
        }

        private boolean isOverdue() {
            return !ended && JacorbClientAccess.writesRequest(writer);
        }

        private void breakConnection() {
            if (isOverdue()) {
                LOG.info(
                        "amo: a nested call breaks its connection to {}, which does not read",
                        JacorbClientAccess.peer(connection));
                JacorbClientAccess.breakConnection(connection);
            }
        }
    }
}
