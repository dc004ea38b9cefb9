package org.amo.interceptors.jacorb;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jacorb.orb.ORB;
import org.jacorb.orb.giop.GIOPConnection;
import org.jacorb.orb.giop.MessageOutputStream;
import org.jacorb.orb.giop.ReplyOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches the replies that wait to be written to one connection: all waiting replies go out in one flush, while the
 * next batch fills. Adding a reply does not wait for the client to read. A connection whose replies have no room any more is
 * closed, and they are forgotten.
 */
final class ReplyBatch implements ReplyRoom.Connection {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyBatch.class);

    private final ORB orb;
    private final GIOPConnection connection;
    private final Executor writers;
    private final ReplyRoom room;
    private final FlushCoalescer<Waiting> replies;

    /** Those of the batch that is being written. */
    private final Queue<Waiting> unwritten = new ConcurrentLinkedQueue<>();

    private volatile boolean gaveUp;

    private record Waiting(ReplyOutputStream reply, long bytes) {}

    ReplyBatch(ORB orb, GIOPConnection connection, RequestTaker taker) {
        this.orb = orb;
        this.connection = connection;
        this.writers = taker.writers();
        this.room = taker.replyRoom();
        this.replies = new FlushCoalescer<>(writers, this::write);
    }

    /** @param bytes that it takes, about */
    void add(ReplyOutputStream reply, long bytes) {
        if (!gaveUp) {
            room.take(this, bytes);
            replies.add(new Waiting(reply, bytes));
        }
    }

    @Override
    public void giveUp() {
        gaveUp = true;
        LOG.debug("a connection is closed: its replies have no room, and its client does not read them");
        replies.forget();
        unwritten.clear();
        // In a thread that may wait for the one that writes; the door of the port ends a write that takes too long.
        writers.execute(this::close);
    }

    private void close() {
        try {
            connection.close();
        } catch (RuntimeException e) {
            LOG.debug("cannot close a connection: {}", e.toString());
        }
    }

    private void write(List<Waiting> batch) {
        // JacORB counts one reply for each message that is sent.
        for (int i = 1; i < batch.size(); i++) {
            connection.decPendingMessages();
        }
        long bytes = batch.stream().mapToLong(Waiting::bytes).sum();
        unwritten.addAll(batch);
        batch.clear();
        try (Together together = new Together(orb, unwritten)) {
            connection.sendReply(together);
        } catch (IOException | RuntimeException e) {
            // The client is gone, and JacORB has closed the connection. It will ask again elsewhere.
            LOG.debug("cannot write replies: {}", e.toString());
        } finally {
            unwritten.clear();
            room.give(this, bytes);
        }
    }

    /** Several replies that JacORB sends as one message. */
    private static final class Together extends MessageOutputStream {
        private final Queue<Waiting> replies;

        Together(ORB orb, Queue<Waiting> replies) {
            super(orb);
            this.replies = replies;
        }

        @Override
        public void write_to(GIOPConnection to) throws IOException {
            for (Waiting next = replies.poll(); next != null; next = replies.poll()) {
                next.reply.write_to(to);
            }
        }
    }
}
