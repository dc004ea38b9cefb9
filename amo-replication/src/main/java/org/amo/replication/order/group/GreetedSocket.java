package org.amo.replication.order.group;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An accepted connection that can await its greeting and its first frame before JGroups reads them. JGroups reads a greeting
 * in its only acceptor thread, so a stranger that connects and sends nothing would hold up every member for a second; and it
 * believes the address in it. One thread at a time, apart from {@link #close}.
 */
final class GreetedSocket extends Socket {
    /** Cookie (4 bytes), version (2), size of the address that follows (2). */
    private static final int HEAD_BYTES = 8;

    /** An address: length of the host (1 byte), 4 or 16 bytes of the host, the scope (4) of one of 16, port (2). */
    private static final int IPV4_ADDRESS_BYTES = 1 + 4 + 2;

    private static final int IPV6_ADDRESS_BYTES = 1 + 16 + 4 + 2;

    /** The bytes that were read before JGroups reads. */
    private byte[] beginning = {};

    private volatile Optional<OrderDoor> door = Optional.empty();
    private volatile boolean limited;
    private volatile long dueNanos;

    /** From now on all reads together may take so long. */
    void limited(long millis) {
        dueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        limited = true;
    }

    /** Reads may take any time again. */
    void unlimited() throws SocketException {
        limited = false;
        setSoTimeout(0);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the door has a lock of its own
    public void close() throws IOException {
        super.close();
        door.ifPresent(each -> each.leave(this));
    }

    /**
     * Reads the greeting, to be read again from {@link #getInputStream}.
     *
     * @throws IOException when the connection ends, sends something else, or takes longer than it may
     */
    void awaitGreeting() throws IOException {
        DataInputStream in = new DataInputStream(new Limited(super.getInputStream()));
        byte[] head = in.readNBytes(HEAD_BYTES);
        if (head.length < HEAD_BYTES) {
            throw new EOFException("it ended before its greeting");
        }
        int length = ByteBuffer.wrap(head).getShort(HEAD_BYTES - Short.BYTES);
        if (length != IPV4_ADDRESS_BYTES && length != IPV6_ADDRESS_BYTES) {
            throw new IOException("an address of " + length + " bytes is no member's");
        }
        byte[] address = new byte[length];
        in.readFully(address);
        // JGroups goes by this byte, not by the length before it, and would wait for the rest in its acceptor.
        if (address[0] != (length == IPV4_ADDRESS_BYTES ? 4 : 16)) {
            throw new IOException("a host of " + address[0] + " bytes in an address of " + length);
        }
        beginning =
                ByteBuffer.allocate(HEAD_BYTES + length).put(head).put(address).array();
    }

    /**
     * Reads the first frame after the greeting, to be read again, too.
     *
     * @param through counts the connection from now on
     * @throws IOException when there is no room for it, no frame comes, or the frame does not prove the connection
     */
    void awaitProof(OrderDoor through) throws IOException {
        door = Optional.of(through);
        through.arrive(this);
        DataInputStream in = new DataInputStream(new Limited(super.getInputStream()));
        int length = in.readInt();
        if (length < 1) {
            throw new EOFException("it ended before its first frame");
        }
        byte[] frame = through.readUnproved(this, in, length);
        through.prove(this, frame);
        beginning = ByteBuffer.allocate(beginning.length + Integer.BYTES + length)
                .put(beginning)
                .putInt(length)
                .put(frame)
                .array();
    }

    @Override
    public InputStream getInputStream() throws IOException {
        InputStream rest = new Limited(super.getInputStream());
        if (beginning.length == 0) {
            return rest;
        }
        InputStream whole = new SequenceInputStream(new ByteArrayInputStream(beginning), rest);
        beginning = new byte[0];
        return whole;
    }

    /** Ends a connection that takes longer than it may, also one that sends a byte now and then. */
    private final class Limited extends FilterInputStream {
        Limited(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            limit();
            return super.read();
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            limit();
            return super.read(to, offset, length);
        }

        private void limit() throws IOException {
            if (limited) {
                long left = TimeUnit.NANOSECONDS.toMillis(dueNanos - System.nanoTime());
                if (left < 1) {
                    throw new SocketTimeoutException("it did not prove itself in time");
                }
                setSoTimeout((int) left);
            }
        }
    }
}
