package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes on written bytes in a thread of the door, so that no writer waits for the peer to read, and notes which requests are
 * answered. JacORB writes whole messages under a lock. An orderly close sends first what waits, and nobody waits for that.
 */
final class GiopOutput extends OutputStream {
    private static final Logger LOG = LoggerFactory.getLogger(GiopOutput.class);

    private static final int HEADER = 12;

    /** Header, request id and status of a reply of GIOP 1.2. */
    private static final int REPLY_HEAD = 20;

    /** Small writes that wait are sent together up to this length; longer ones go in parts of it, so that progress is seen. */
    private static final int PART = 64 << 10;

    /** A connection that is to be closed is not kept for a peer that has read nothing for so long. */
    private static final long CLOSE_STALLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Nor for longer than this. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int REPLY = 1;
    private static final int USER_EXCEPTION = 1;

    private final OutputStream out;
    private final GuardedConnection connection;
    private final FlushCoalescer<byte[]> waiting;

    // The writer's.
    private final byte[] head = new byte[REPLY_HEAD];
    private int have;
    private long left;
    private boolean first;

    // Guarded by this.
    private long unsent;
    private long sentAtNanos;
    private boolean closing;
    private long closingAtNanos;
    private boolean ended;

    GiopOutput(OutputStream out, GuardedConnection connection, Executor senders) {
        this.out = out;
        this.connection = connection;
        this.waiting = new FlushCoalescer<>(senders, this::send);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        begin(length);
        connection.unread(length, first);
        follow(bytes, offset, length);
        boolean added = false;
        try {
            waiting.add(Arrays.copyOfRange(bytes, offset, offset + length));
            added = true;
        } finally {
            if (!added) {
                // Without a thread that sends. What follows would wait for ever.
                connection.abort();
            }
        }
        if (isEnded()) {
            // Perhaps it was charged after the connection had left.
            connection.forgetUnread();
        }
    }

    private synchronized boolean isEnded() {
        return ended;
    }

    private synchronized void begin(int length) throws IOException {
        if (ended || closing) {
            throw new IOException("the connection is closed");
        }
        if (have == 0 && left == 0) {
            first = unsent == 0;
        }
        if (unsent == 0) {
            sentAtNanos = System.nanoTime();
        }
        unsent += length;
    }

    @Override
    public void close() {
        connection.close();
    }

    // ---- a thread of the door, one at a time

    private void send(List<byte[]> batch) {
        boolean sent = false;
        try {
            byte[] together = new byte[batch.size() == 1 ? 0 : (int) Math.min(PART, length(batch))];
            int filled = 0;
            for (byte[] next : batch) {
                if (filled > 0 && filled + next.length > together.length) {
                    send(together, 0, filled);
                    filled = 0;
                }
                if (next.length > together.length) {
                    sendParts(next);
                } else {
                    System.arraycopy(next, 0, together, filled, next.length);
                    filled += next.length;
                }
            }
            send(together, 0, filled);
            sent = true;
            if (isToBeClosed()) {
                connection.closeNow();
            }
        } catch (IOException e) {
            // The peer is gone, or the door has closed the connection. The client asks again elsewhere.
            LOG.debug("cannot write to {}: {}", connection.remote(), e.toString());
        } finally {
            if (!sent) {
                connection.abort();
            }
        }
    }

    private static long length(List<byte[]> batch) {
        return batch.stream().mapToLong(each -> each.length).sum();
    }

    private void sendParts(byte[] bytes) throws IOException {
        for (int at = 0; at < bytes.length; at += PART) {
            send(bytes, at, Math.min(PART, bytes.length - at));
        }
    }

    private void send(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return;
        }
        connection.sends(length);
        out.write(bytes, offset, length);
        connection.sent(length);
        sent(length);
    }

    private synchronized void sent(int length) {
        unsent -= length;
        sentAtNanos = System.nanoTime();
        notifyAll();
    }

    private synchronized boolean isToBeClosed() {
        return closing && unsent == 0 && !ended;
    }

    // ---- any thread

    /** Nothing more is written. True if the sending thread will close the connection, since something waits to be sent. */
    synchronized boolean closeWhenSent() {
        if (!closing) {
            closing = true;
            closingAtNanos = System.nanoTime();
            notifyAll();
        }
        return unsent > 0 && !ended;
    }

    /** It is to be closed, and its peer reads too little to wait for. */
    synchronized boolean isClosingTooSlowly(long nowNanos) {
        return closing
                && unsent > 0
                && (nowNanos - sentAtNanos > CLOSE_STALLED_NANOS || nowNanos - closingAtNanos > CLOSE_NANOS);
    }

    synchronized boolean isClosing() {
        return closing || ended;
    }

    synchronized boolean hasUnsent() {
        return unsent > 0 && !ended;
    }

    /** Nothing more is sent. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Waits until the peer has read all but so many bytes, or the connection is to be closed. */
    synchronized void awaitUnsentAtMost(long bytes) throws IOException {
        while (unsent > bytes && !closing && !ended) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    // ---- the writer

    private void follow(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at < end) {
            if (left > 0 && have == 0) {
                int skipped = (int) Math.min(left, end - at);
                at += skipped;
                left -= skipped;
                continue;
            }
            int wanted = have < HEADER ? HEADER : HEADER + (int) Math.min(REPLY_HEAD - HEADER, size());
            int taken = Math.min(wanted - have, end - at);
            System.arraycopy(bytes, at, head, have, taken);
            have += taken;
            at += taken;
            if (have >= HEADER && have == HEADER + (int) Math.min(REPLY_HEAD - HEADER, size())) {
                left = size() - (have - HEADER);
                have = 0;
                message();
            }
        }
    }

    private void message() {
        if (head[7] != REPLY) {
            return;
        }
        boolean numbered = head[5] == 2;
        int status = number(HEADER + 4);
        connection.answered(
                numbered ? OptionalInt.of(number(HEADER)) : OptionalInt.empty(),
                !numbered || (status >= 0 && status <= USER_EXCEPTION));
    }

    private long size() {
        return number(8) & 0xFFFF_FFFFL;
    }

    private int number(int at) {
        boolean littleEndian = (head[6] & 1) == 1;
        int value = 0;
        for (int k = 0; k < 4; k++) {
            value = (value << 8) | (head[littleEndian ? at + 3 - k : at + k] & 0xFF);
        }
        return value;
    }
}
