package org.amo.replication.order.group;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The frames on their way to one peer, and the thread that writes them. {@link #offer} never waits: what a peer does not
 * read is kept up to a limit and then dropped, and the protocols above send it again. Any thread may call it.
 */
final class FrameQueue {
    private static final Logger LOG = LoggerFactory.getLogger(FrameQueue.class);

    /** Twice what flow control lets a member have on its way; heartbeats and repetitions come on top. */
    static final long MAX_BYTES = 16L << 20;

    /** Writes a frame to the peer, and may wait for as long as it likes. */
    interface Sink {
        void write(byte[] frame) throws Exception;
    }

    private final Sink sink;
    private final LinkedBlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
    // Invariant: the length of all frames that were offered and are not written.
    private final AtomicLong waiting = new AtomicLong();
    private final Thread writer;
    private volatile boolean closed;

    FrameQueue(ThreadFactory threads, Sink sink) {
        this.sink = sink;
        writer = threads.newThread(this::write);
        writer.start();
    }

    /** @return false if the frame was dropped */
    boolean offer(byte[] frame) {
        if (closed || waiting.addAndGet(frame.length) > MAX_BYTES) {
            waiting.addAndGet(-frame.length);
            return false;
        }
        return frames.offer(frame);
    }

    /** Drops what waits and ends the thread, once its write ends; does not wait for that. */
    void close() {
        closed = true;
        frames.clear();
        writer.interrupt();
    }

    private void write() {
        while (!closed) {
            try {
                byte[] frame = frames.take();
                try {
                    sink.write(frame);
                } finally {
                    waiting.addAndGet(-frame.length);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return; // closed
            } catch (Exception e) {
                LOG.trace("a frame was not sent; whoever misses it asks for it", e);
            }
        }
    }
}
