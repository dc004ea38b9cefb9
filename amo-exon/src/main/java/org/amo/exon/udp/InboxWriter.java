package org.amo.exon.udp;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.exon.MessageName;
import org.amo.exon.udp.DurableInbox.Kept;
import org.amo.net.Inbox;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes messages to the durable inbox in a thread of its own: all that wait, then one force of the disk for all of them. A
 * write that failed is made again until it succeeds; meanwhile no message is acknowledged, and the granted slots bound those
 * that wait.
 */
final class InboxWriter {
    private static final Logger LOG = LoggerFactory.getLogger(InboxWriter.class);
    private static final long AGAIN_MILLIS = 1_000;

    private final DurableInbox inbox;
    private final Consumer<List<Written>> onWritten;
    private final ScheduledThreadPoolExecutor thread;
    private final Inbox<Waiting> waiting = new Inbox<>();

    // Of the thread alone.
    private final List<Written> batch = new ArrayList<>();
    private long position;
    private boolean failing;

    private record Waiting(MessageName delivery, byte[] message) {}

    /** A message that is on disk. */
    record Written(MessageName delivery, Kept kept) {}

    /** @param onWritten is told the messages that are on disk, in the writer's thread */
    InboxWriter(DurableInbox inbox, Consumer<List<Written>> onWritten, ThreadFactory threads) {
        this.inbox = inbox;
        this.onWritten = onWritten;
        this.position = inbox.nextPosition();
        this.thread = new ScheduledThreadPoolExecutor(1, threads);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** @throws IOException in one line, if the system gives no thread */
    void start() throws IOException {
        DaemonThreads.startAll(thread);
    }

    /** Any thread; {@link #wake} must follow. */
    void put(MessageName delivery, byte[] message) {
        waiting.put(new Waiting(delivery, message));
    }

    void wake() {
        if (waiting.wake()) {
            later(this::run, 0);
        }
    }

    private void run() {
        waiting.awake();
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            batch.add(new Written(next.delivery, new Kept(position++, next.delivery.from(), next.message)));
        }
        if (!failing) {
            write();
        }
    }

    // Any failure: no other write would come.
    @SuppressWarnings("IllegalCatch")
    private void write() {
        failing = false;
        if (batch.isEmpty()) {
            return;
        }
        try {
            inbox.append(batch.stream().map(Written::kept).toList());
        } catch (IOException | RuntimeException | Error e) {
            failing = true;
            LOG.error("cannot write to the inbox ({}); no message is accepted until it can be written", e.toString());
            later(this::write, AGAIN_MILLIS);
            return;
        }
        onWritten.accept(List.copyOf(batch));
        batch.clear();
    }

    // The tasks report their failures themselves.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void later(Runnable task, long millis) {
        try {
            thread.schedule(task, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.trace("closed; what waits is not acknowledged");
        }
    }

    /** Begins no other write. Returns whether the last one ended within 5 s. */
    boolean close() {
        thread.shutdown();
        try {
            return thread.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
