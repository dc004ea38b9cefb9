package org.amo.interceptors.jacorb;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jacorb.orb.ORB;
import org.jacorb.orb.giop.GIOPConnection;
import org.jacorb.orb.giop.MessageOutputStream;
import org.jacorb.orb.giop.ReplyOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replies that wait to be written to one connection: all that are there go out in one flush, while the next ones
 * gather. Whoever adds one does not wait for the client to read.
 */
final class ReplyBatch {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyBatch.class);

    private final ORB orb;
    private final GIOPConnection connection;
    private final Executor writers;
    // Guarded by this.
    private final Deque<ReplyOutputStream> waiting = new ArrayDeque<>();
    // Invariant: true while a task that will look at waiting again is queued or runs; at most one is.
    private boolean writing;

    ReplyBatch(ORB orb, GIOPConnection connection, Executor writers) {
        this.orb = orb;
        this.connection = connection;
        this.writers = writers;
    }

    void add(ReplyOutputStream reply) {
        synchronized (this) {
            waiting.add(reply);
            if (writing) {
                return;
            }
            writing = true;
        }
        writers.execute(this::drain);
    }

    private void drain() {
        List<ReplyOutputStream> batch = next();
        while (!batch.isEmpty()) {
            write(batch);
            batch = next();
        }
    }

    private synchronized List<ReplyOutputStream> next() {
        List<ReplyOutputStream> batch = new ArrayList<>(waiting);
        waiting.clear();
        writing = !batch.isEmpty();
        return batch;
    }

    private void write(List<ReplyOutputStream> batch) {
        // JacORB counts one reply for each message that is sent.
        for (int i = 1; i < batch.size(); i++) {
            connection.decPendingMessages();
        }
        try (Together together = new Together(orb, batch)) {
            connection.sendReply(together);
        } catch (IOException | RuntimeException e) {
            // The client is gone, and JacORB has closed the connection. It will ask again elsewhere.
            LOG.debug("cannot write {} replies: {}", batch.size(), e.toString());
        }
    }

    /** Several replies that JacORB sends as one message. */
    private static final class Together extends MessageOutputStream {
        private final List<ReplyOutputStream> batch;

        Together(ORB orb, List<ReplyOutputStream> batch) {
            super(orb);
            this.batch = batch;
        }

        @Override
        public void write_to(GIOPConnection to) throws IOException {
            for (ReplyOutputStream reply : batch) {
                reply.write_to(to);
            }
        }
    }
}
