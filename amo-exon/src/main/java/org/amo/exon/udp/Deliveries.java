package org.amo.exon.udp;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.amo.exon.ExonNode;
import org.amo.exon.MessageName;
import org.amo.exon.NodeId;
import org.amo.exon.udp.DurableInbox.Kept;
import org.amo.exon.udp.InboxWriter.Written;
import org.amo.net.Inbox;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes delivered messages from the event loop to a thread of the application, which is woken once for all messages of a
 * batch of datagrams, and tells the loop which of them count as delivered. The granted slots bound the waiting messages.
 */
final class Deliveries {
    private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

    /** Messages that the application has taken, of which the loop is told at the latest. */
    private static final int TOLD_AT_ONCE = 64;

    private static final long LEAST_PAUSE_MILLIS = 100;
    private static final long MOST_PAUSE_MILLIS = 10_000;
    private static final long RETURN_SECONDS = 5;

    private final Application application;
    private final boolean atReceipt;
    private final Runnable wakeLoop;
    private final Executor thread;
    private final Optional<ThreadPoolExecutor> pool;
    private final Optional<DurableInbox> inbox;
    private final Optional<InboxWriter> writer;
    private final Inbox<Delivered> delivered = new Inbox<>();
    private final Inbox<Settled> settled = new Inbox<>();
    private final ReturnedRoom room = new ReturnedRoom();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Runs the application, once it has run. */
    private volatile @Nullable Thread runner;

    private boolean gathered;
    private boolean gatheredForInbox;

    /** Of the loop: messages that it knows neither as accepted nor as refused. */
    private long unsettled;

    /** Takes a message in the application's thread; may wait. */
    @FunctionalInterface
    interface Application {
        /**
         * Returns normally if it has taken the message.
         *
         * @param position in the durable inbox, or 0
         */
        void onMessage(long position, NodeId from, byte[] message);

        /** Whether the message goes to the durable inbox, if there is one. */
        default boolean outlivesTheProcess(byte[] message) {
            return true;
        }
    }

    private record Delivered(MessageName delivery, long position, byte[] message) {}

    private record Settled(MessageName delivery, boolean accepted) {}

    private Deliveries(
            Application application,
            boolean atReceipt,
            Optional<DurableInbox> inbox,
            Runnable wakeLoop,
            Optional<ThreadFactory> threads) {
        this.application = application;
        this.atReceipt = atReceipt;
        this.wakeLoop = wakeLoop;
        this.inbox = inbox;
        this.pool = threads.map(this::pool);
        this.thread = pool.isPresent() ? pool.get() : Runnable::run;
        this.writer =
                inbox.map(file -> new InboxWriter(file, this::onWritten, DaemonThreads.factory("amo-exon-inbox")));
    }

    private ThreadPoolExecutor pool(ThreadFactory threads) {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads) {
            @Override
            protected void terminated() {
                // Not before: the next node that opens it would hand over a message that this one is handing over.
                inbox.ifPresent(Deliveries::giveBack);
            }
        };
    }

    private static void giveBack(DurableInbox inbox) {
        try {
            inbox.close();
        } catch (IOException e) {
            LOG.warn("cannot close the inbox: {}", e.toString());
        }
    }

    /**
     * To an application with a thread of its own, which may wait.
     *
     * @param atReceipt whether messages count as delivered before the application has them
     * @param wakeLoop has the event loop run, some time
     */
    static Deliveries inThread(Application application, boolean atReceipt, Runnable wakeLoop, ThreadFactory threads) {
        return new Deliveries(application, atReceipt, Optional.empty(), wakeLoop, Optional.of(threads));
    }

    /** To an application that never waits, in the event loop, by {@link #handOver}. */
    static Deliveries inLoop(Application application, boolean atReceipt) {
        return new Deliveries(application, atReceipt, Optional.empty(), () -> {}, Optional.empty());
    }

    /** By way of an inbox, which {@link #close} closes. */
    static Deliveries byInbox(Application application, DurableInbox inbox, Runnable wakeLoop, ThreadFactory threads) {
        return new Deliveries(application, false, Optional.of(inbox), wakeLoop, Optional.of(threads));
    }

    /**
     * Starts the threads, if there are any.
     *
     * @throws IOException in one line, if the system gives none
     */
    void start() throws IOException {
        if (writer.isPresent()) {
            writer.get().start();
        }
        if (pool.isPresent()) {
            DaemonThreads.startAll(pool.get());
        }
    }

    /** Before the first message comes: those of former processes, which come before it. */
    void handOverKept(List<Kept> messages, int unitBytes) {
        for (Kept kept : messages) {
            MessageName delivery = new MessageName(kept.from(), 0, 0, kept.units(unitBytes));
            delivered.put(new Delivered(delivery, kept.position(), kept.message()));
        }
        wake();
    }

    /** The loop: a message for the application; {@link #handOver} must follow. */
    void gather(MessageName delivery, byte[] message) {
        unsettled++;
        if (writer.isPresent() && application.outlivesTheProcess(message)) {
            writer.get().put(delivery, message);
            gatheredForInbox = true;
            return;
        }
        if (atReceipt) {
            settled.put(new Settled(delivery, true));
        }
        delivered.put(new Delivered(delivery, 0, message));
        gathered = true;
    }

    /** The loop, after a batch. */
    void handOver() {
        if (gatheredForInbox) {
            writer.ifPresent(InboxWriter::wake);
            gatheredForInbox = false;
        }
        if (gathered) {
            wake();
            gathered = false; // now: if memory was short, the next batch wakes the thread
        }
    }

    /** The loop: tells the node which messages are accepted or refused since the last call. */
    void settle(ExonNode node, long nowMicros) {
        for (Settled next = settled.poll(); next != null; next = settled.poll()) {
            unsettled--;
            if (next.accepted) {
                node.onAccepted(next.delivery, nowMicros);
            } else {
                node.onRefused(next.delivery, nowMicros);
            }
        }
    }

    /** The loop: whether messages were neither accepted nor refused at the last {@link #settle}. */
    boolean busy() {
        return unsettled > 0;
    }

    private void onWritten(List<Written> messages) {
        for (Written message : messages) {
            settled.put(new Settled(message.delivery(), true));
            delivered.put(new Delivered(
                    message.delivery(),
                    message.kept().position(),
                    message.kept().message()));
        }
        wakeLoop.run();
        wake();
    }

    private void wake() {
        if (delivered.wake()) {
            boolean asked = false;
            try {
                thread.execute(this::run);
                asked = true;
            } catch (RejectedExecutionException e) {
                LOG.debug("closed; the last messages were not handed over");
            } finally {
                if (!asked) {
                    delivered.awake(); // or no later message would wake the thread
                }
            }
        }
    }

    private void run() {
        runner = Thread.currentThread();
        delivered.awake();
        int untold = 0;
        for (Delivered next = delivered.poll(); next != null; next = delivered.poll()) {
            if (closed.getCount() == 0 && !atReceipt) {
                return; // its sender hears UNKNOWN, or the inbox has it
            }
            take(next);
            if (++untold == TOLD_AT_ONCE) {
                wakeLoop.run();
                untold = 0;
            }
        }
        if (untold > 0 && !atReceipt) {
            wakeLoop.run();
        }
    }

    private void take(Delivered next) {
        boolean taken = false;
        try {
            taken = next.position == 0 ? handOver(next) : handOverUntilTaken(next);
        } finally {
            if (next.position == 0 && !atReceipt) {
                settled.put(new Settled(next.delivery, taken));
            }
            if (room.giveBack(next.delivery.units())) {
                wakeLoop.run();
            }
        }
    }

    /** The inbox promises the message: it comes again, with the same position, until the application has taken it. */
    private boolean handOverUntilTaken(Delivered next) {
        long pause = LEAST_PAUSE_MILLIS;
        while (!handOver(next)) {
            LOG.warn(
                    "message {} of {} stays in the inbox, and comes again in {} ms",
                    next.position,
                    next.delivery.from(),
                    pause);
            if (isClosedWithin(pause)) {
                return false;
            }
            pause = Math.min(2 * pause, MOST_PAUSE_MILLIS);
        }
        try {
            inbox.orElseThrow().note(next.position);
        } catch (IOException e) {
            LOG.error(
                    "cannot note message {} as handed over ({}); it comes again after a restart",
                    next.position,
                    e.toString());
        }
        return true;
    }

    private boolean isClosedWithin(long millis) {
        Thread.interrupted(); // the application's: it would end each wait at once
        try {
            return closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    // An Error of the application's must not end this thread: the system may refuse another one.
    @SuppressWarnings("IllegalCatch")
    private boolean handOver(Delivered next) {
        try {
            application.onMessage(next.position, next.delivery.from(), next.message);
            return true;
        } catch (RuntimeException | StackOverflowError | AssertionError e) {
            LOG.error("the receiver of a message of {} threw", next.delivery.from(), e);
            return false;
        } catch (Error e) {
            Thread here = Thread.currentThread();
            here.getUncaughtExceptionHandler().uncaughtException(here, e);
            return false;
        }
    }

    /** Room that the application gave back. */
    ReturnedRoom room() {
        return room;
    }

    /**
     * Hands over no other message, except those that count as delivered since their receipt. Waits up to 5 s for a write to the
     * inbox, and as long for the application to return from a message of the inbox, unless the application itself calls. Only then
     * another node can open the inbox.
     */
    void close() {
        closed.countDown();
        writer.filter(ofInbox -> !ofInbox.close())
                .ifPresent(ofInbox -> LOG.warn("a write to the inbox does not end; its messages are not acknowledged"));
        pool.ifPresent(ThreadPoolExecutor::shutdown);
        if (inbox.isPresent() && !Thread.currentThread().equals(runner)) {
            pool.ifPresent(Deliveries::awaitReturn);
        }
    }

    private static void awaitReturn(ThreadPoolExecutor ofApplication) {
        try {
            if (!ofApplication.awaitTermination(RETURN_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the receiver of a message has not returned; the inbox stays open until it has");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
