package org.amo.exon.udp;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.amo.exon.NodeId;
import org.amo.net.Inbox;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes delivered messages from the event loop to a thread of the application, which is woken once for all messages of a
 * batch of datagrams. The granted slots bound the waiting messages.
 */
final class Deliveries {
    private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

    private final Application application;
    private final Runnable wakeLoop;
    private final Executor thread;
    private final Optional<ThreadPoolExecutor> pool;
    private final Inbox<Delivered> delivered = new Inbox<>();
    private final ReturnedRoom room = new ReturnedRoom();
    private boolean gathered;

    /** Takes a message in the application's thread; may wait. */
    @FunctionalInterface
    interface Application {
        void onMessage(NodeId from, byte[] message);
    }

    private record Delivered(NodeId from, byte[] message, int units) {}

    private Deliveries(Application application, Runnable wakeLoop, Executor thread, Optional<ThreadPoolExecutor> pool) {
        this.application = application;
        this.wakeLoop = wakeLoop;
        this.thread = thread;
        this.pool = pool;
    }

    /**
     * To an application with a thread of its own, which may wait.
     *
     * @param wakeLoop has the event loop run, some time
     */
    static Deliveries inThread(Application application, Runnable wakeLoop, ThreadFactory threads) {
        ThreadPoolExecutor thread =
                new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        return new Deliveries(application, wakeLoop, thread, Optional.of(thread));
    }

    /** To an application that never waits, in the event loop, by {@link #handOver}. */
    static Deliveries inLoop(Application application, Runnable wakeLoop) {
        return new Deliveries(application, wakeLoop, Runnable::run, Optional.empty());
    }

    /**
     * Starts the thread, if there is one.
     *
     * @throws IOException in one line, if the system gives none
     */
    void start() throws IOException {
        if (pool.isPresent()) {
            DaemonThreads.startAll(pool.get());
        }
    }

    /** The loop: a message for the application; {@link #handOver} must follow. */
    void gather(NodeId from, byte[] message, int units) {
        delivered.put(new Delivered(from, message, units));
        gathered = true;
    }

    /** The loop, after a batch. */
    void handOver() {
        if (gathered) {
            wake();
            gathered = false; // now: if memory was short, the next batch wakes the thread
        }
    }

    private void wake() {
        if (delivered.wake()) {
            boolean asked = false;
            try {
                thread.execute(this::run);
                asked = true;
            } catch (RejectedExecutionException e) {
                LOG.debug("closed; what came last was not delivered");
            } finally {
                if (!asked) {
                    delivered.awake(); // or no later message would wake the thread
                }
            }
        }
    }

    private void run() {
        delivered.awake();
        for (Delivered next = delivered.poll(); next != null; next = delivered.poll()) {
            take(next);
        }
    }

    // An Error of the application's must not end this thread: the system may refuse another one.
    @SuppressWarnings("IllegalCatch")
    private void take(Delivered next) {
        try {
            application.onMessage(next.from, next.message);
        } catch (RuntimeException | Error e) {
            Thread here = Thread.currentThread();
            here.getUncaughtExceptionHandler().uncaughtException(here, e);
        } finally {
            if (room.giveBack(next.units)) {
                wakeLoop.run();
            }
        }
    }

    /** Room that the application gave back. */
    ReturnedRoom room() {
        return room;
    }

    /** Messages handed over before are still delivered. */
    void close() {
        pool.ifPresent(ThreadPoolExecutor::shutdown);
    }
}
