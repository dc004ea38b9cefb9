package org.amo.exon.udp;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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
    private final Runnable close;
    private final Inbox<Delivered> delivered = new Inbox<>();
    private final ReturnedRoom room = new ReturnedRoom();
    private boolean gathered;

    /** Takes a message in the application's thread; may wait. */
    @FunctionalInterface
    interface Application {
        void onMessage(NodeId from, byte[] message);
    }

    private record Delivered(NodeId from, byte[] message, int units) {}

    private Deliveries(Application application, Runnable wakeLoop, Executor thread, Runnable close) {
        this.application = application;
        this.wakeLoop = wakeLoop;
        this.thread = thread;
        this.close = close;
    }

    /**
     * To an application with a thread of its own, which may wait.
     *
     * @param wakeLoop has the event loop run, some time
     */
    static Deliveries inThread(Application application, Runnable wakeLoop, ThreadFactory threads) {
        ExecutorService thread =
                new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        return new Deliveries(application, wakeLoop, thread, thread::shutdown);
    }

    /** To an application that never waits, in the event loop, by {@link #handOver}. */
    static Deliveries inLoop(Application application, Runnable wakeLoop) {
        return new Deliveries(application, wakeLoop, Runnable::run, () -> {});
    }

    /** The loop: a message for the application; {@link #handOver} must follow. */
    void gather(NodeId from, byte[] message, int units) {
        delivered.put(new Delivered(from, message, units));
        gathered = true;
    }

    /** The loop, after a batch. */
    void handOver() {
        if (gathered) {
            gathered = false;
            wake();
        }
    }

    private void wake() {
        if (delivered.wake()) {
            try {
                thread.execute(this::run);
            } catch (RejectedExecutionException e) {
                LOG.debug("closed; what came last was not delivered");
            }
        }
    }

    private void run() {
        delivered.awake();
        boolean empty = false;
        try {
            for (Delivered next = delivered.poll(); next != null; next = delivered.poll()) {
                take(next);
            }
            empty = true;
        } finally {
            if (!empty) {
                wake(); // an Error of the application's ends this thread; another one goes on
            }
        }
    }

    private void take(Delivered next) {
        try {
            application.onMessage(next.from, next.message);
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
        close.run();
    }
}
