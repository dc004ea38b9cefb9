package org.amo.interceptors.jacorb;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import org.jacorb.orb.ORB;
import org.jacorb.orb.giop.GIOPConnection;
import org.jacorb.orb.giop.MessageOutputStream;
import org.jacorb.orb.giop.ReplyOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches the replies that wait to be written to one connection: all waiting replies go out in one flush, while the
 * next batch fills. Adding a reply does not wait for the client to read.
 */
final class ReplyBatch {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyBatch.class);

    private final ORB orb;
    private final GIOPConnection connection;
    private final FlushCoalescer<ReplyOutputStream> replies;

    ReplyBatch(ORB orb, GIOPConnection connection, Executor writers) {
        this.orb = orb;
        this.connection = connection;
        this.replies = new FlushCoalescer<>(writers, this::write);
    }

    void add(ReplyOutputStream reply) {
        replies.add(reply);
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
