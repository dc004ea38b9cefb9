package org.amo.benchmarks.fts;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A connection of the floor. It carries frames: a length of 4 bytes, a number of 8 and the body; the length counts the number,
 * too. One thread owns it.
 */
final class FloorConnection {
    private static final int HEAD_BYTES = Integer.BYTES + Long.BYTES;
    private static final int FIRST_BYTES = 256 << 10;
    private static final int MOST_FRAME_BYTES = 64 << 20;

    private final SocketChannel channel;
    private final SelectionKey key;
    private ByteBuffer in = ByteBuffer.allocateDirect(FIRST_BYTES);
    private ByteBuffer out = ByteBuffer.allocateDirect(FIRST_BYTES);

    /** Takes the frames of a connection. */
    interface Receiver {
        void onFrame(FloorConnection from, long number, byte[] body) throws IOException;
    }

    /** The selector's key has no attachment yet. */
    FloorConnection(SocketChannel channel, Selector selector) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.channel = channel;
        this.key = channel.register(selector, SelectionKey.OP_READ);
    }

    SelectionKey key() {
        return key;
    }

    /**
     * Reads once, and hands over the frames that are whole.
     *
     * @return false if the peer has ended the connection
     * @throws IOException if the connection is broken, or the peer breaks the form of the frames
     */
    boolean read(Receiver receiver) throws IOException {
        if (channel.read(in) < 0) {
            return false;
        }
        in.flip();
        int next = nextFrame();
        while (in.remaining() >= next) {
            int bodyBytes = in.getInt() - Long.BYTES;
            long number = in.getLong();
            byte[] body = new byte[bodyBytes];
            in.get(body);
            receiver.onFrame(this, number, body);
            next = nextFrame();
        }
        in = next > in.capacity() ? larger(next, in) : in.compact();
        return true;
    }

    /** Leaves with the next {@link #flush}. */
    void write(long number, byte[] body) {
        int length = HEAD_BYTES + body.length;
        if (out.remaining() < length) {
            out = larger(out.position() + length, out.flip());
        }
        out.putInt(Long.BYTES + body.length).putLong(number).put(body);
    }

    /** Writes once. The rest is written when the peer takes more. */
    void flush() throws IOException {
        if (out.position() == 0) {
            return;
        }
        out.flip();
        channel.write(out);
        out.compact();
        int wanted = out.position() == 0 ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // It is gone either way.
            key.cancel();
        }
    }

    /** How many bytes the next frame takes, or its head as long as that is not whole. */
    private int nextFrame() throws IOException {
        if (in.remaining() < HEAD_BYTES) {
            return HEAD_BYTES;
        }
        int length = in.getInt(in.position());
        if (length < Long.BYTES || length > MOST_FRAME_BYTES) {
            throw new IOException("a frame of " + length + " bytes");
        }
        return Integer.BYTES + length;
    }

    private static ByteBuffer larger(int atLeast, ByteBuffer content) {
        return ByteBuffer.allocateDirect(Math.max(atLeast, 2 * content.capacity()))
                .put(content);
    }
}
