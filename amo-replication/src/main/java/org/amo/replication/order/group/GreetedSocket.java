package org.amo.replication.order.group;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An accepted connection that can await its greeting before JGroups reads it. JGroups reads it in its only acceptor thread,
 * so a stranger that connects and sends nothing would hold up every member for a second.
 */
final class GreetedSocket extends Socket {
    /** Cookie (4 bytes), version (2), size of the address that follows (2). */
    private static final int HEAD_BYTES = 8;

    private static final int LONGEST_ADDRESS = 64;

    /** The connection that a thread has read last: JGroups hands on a stream, and nothing of its socket. */
    private static final ThreadLocal<Optional<GreetedSocket>> READ_LAST = ThreadLocal.withInitial(Optional::empty);

    private byte[] greeting = {};
    private Optional<OrderDoor> door = Optional.empty();
    private volatile boolean proved;
    private volatile long proofDueNanos;

    /** The accepted connection that this thread reads; empty for one that this process opened. */
    static Optional<GreetedSocket> readByThisThread() {
        return READ_LAST.get();
    }

    /**
     * From now on it counts, and must prove itself.
     *
     * @throws IOException when there is no room for it
     */
    void enter(OrderDoor through) throws IOException {
        through.arrive(this);
        door = Optional.of(through);
        proofDueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(OrderDoor.PROOF_MILLIS);
        setSoTimeout(OrderDoor.PROOF_MILLIS);
    }

    boolean isProved() {
        return proved;
    }

    /** A frame of the group has come over it. */
    void prove() throws IOException {
        proved = true;
        setSoTimeout(0);
        door.ifPresent(each -> each.prove(this));
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
     * @throws IOException when the connection ends, sends something else, or takes longer than that in all
     */
    void awaitGreeting(long millis) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        InputStream in = super.getInputStream();
        byte[] head = read(in, HEAD_BYTES, deadline);
        int address = ((head[HEAD_BYTES - 2] & 0xff) << 8) | (head[HEAD_BYTES - 1] & 0xff);
        if (address > LONGEST_ADDRESS) {
            throw new IOException("an address of " + address + " bytes is no member's");
        }
        byte[] rest = read(in, address, deadline);
        setSoTimeout(0);
        greeting = Arrays.copyOf(head, HEAD_BYTES + address);
        System.arraycopy(rest, 0, greeting, HEAD_BYTES, address);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        InputStream rest = door.isPresent() ? new Watched(super.getInputStream()) : super.getInputStream();
        if (greeting.length == 0) {
            return rest;
        }
        InputStream greeted = new SequenceInputStream(new ByteArrayInputStream(greeting), rest);
        greeting = new byte[0];
        return greeted;
    }

    /** Notes which thread reads, and ends a connection that does not prove itself in time. */
    private final class Watched extends FilterInputStream {
        Watched(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            check();
            return super.read();
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            check();
            return super.read(to, offset, length);
        }

        private void check() throws IOException {
            if (!proved) {
                READ_LAST.set(Optional.of(GreetedSocket.this));
                if (System.nanoTime() - proofDueNanos > 0) {
                    throw new SocketTimeoutException("no frame of the group came");
                }
            }
        }
    }

    private byte[] read(InputStream in, int length, long deadline) throws IOException {
        byte[] bytes = new byte[length];
        int have = 0;
        while (have < length) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left < 1) {
                throw new SocketTimeoutException("no greeting");
            }
            setSoTimeout((int) left);
            int read = in.read(bytes, have, length - have);
            if (read < 0) {
                throw new EOFException("ended before its greeting");
            }
            have += read;
        }
        return bytes;
    }
}
