package org.amo.interceptors.jacorb.door;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalInt;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Tracks a connection of an IIOP port: the bytes it holds, and the times by which its peer must have sent more, and read
 * more. One thread reads it, others write to it, one at a time; a thread of the door sends what they have written.
 */
final class GuardedConnection {
    /** A oneway has no reply that would tell when it is done. */
    private static final long ONEWAY_NANOS = 2_000_000_000L;

    /** Of a connection that leaves more than this part of all unread bytes unread, no request is read. */
    private static final int CONNECTIONS_WITH_MOST = 8;

    /** A request that is not answered within this time is no longer counted. */
    private static final long ANSWER_NANOS = 120_000_000_000L;

    /** Bytes of a part that is sent which its peer must read, after the grace: a thread of the door waits for it meanwhile. */
    private static final long LEAST_READ_PER_SECOND = 64L << 10;

    private final GiopDoor door;
    private final Socket socket;
    private final Closeable closeSocket;
    private final Object streams = new Object();
    private @Nullable GiopInput input;
    private @Nullable GiopOutput output;

    /** System.nanoTime() by which the peer must have completed its message; 0 for no such time. */
    private volatile long dueNanos;

    /** System.nanoTime() by which the peer must have taken the bytes that are being written; 0 for none. */
    private volatile long writeDueNanos;

    private volatile boolean proved;

    /** Large requests that JacORB has, by their ids. Guarded by itself. */
    private final Map<Integer, Charge> requests = new HashMap<>();

    // Of GIOP 1.0 and 1.1, whose replies do not have the id in front: requests that are not answered, what the large
    // ones of them
    // hold until they all are, and what large oneways hold for a while. Guarded by the requests.
    private int unnumbered;
    private Charge ofUnnumbered = NOTHING;
    private Charge ofOneways = NOTHING;

    private static final Charge NOTHING = new Charge(0, 0);

    private record Charge(long bytes, long untilNanos) {
        Charge with(long more, long until) {
            return new Charge(bytes + more, until);
        }
    }

    /** @param closeSocket closes it at once */
    GuardedConnection(GiopDoor door, Socket socket, Closeable closeSocket) {
        this.door = door;
        this.socket = socket;
        this.closeSocket = closeSocket;
    }

    /** @param raw the bytes of the peer, decrypted */
    InputStream input(InputStream raw) {
        synchronized (streams) {
            if (input == null) {
                input = new GiopInput(raw, this, door.limits());
            }
            return input;
        }
    }

    OutputStream output(OutputStream raw) {
        synchronized (streams) {
            if (output == null) {
                output = new GiopOutput(raw, this, door.senders());
            }
            return output;
        }
    }

    InetAddress address() {
        return socket.getInetAddress();
    }

    SocketAddress remote() {
        return socket.getRemoteSocketAddress();
    }

    /**
     * Closes it in order: what was written is sent first, as long as the peer reads. Does not wait for that, and over SSL for
     * nothing at all. JacORB holds locks meanwhile which each write needs.
     */
    void close() {
        GiopOutput writing = output();
        if (writing != null && writing.closeWhenSent()) {
            return;
        }
        if (isSsl()) {
            door.senders().execute(this::closeNow);
        } else {
            closeNow();
        }
    }

    private boolean isSsl() {
        return socket instanceof SSLSocket;
    }

    /** All that was written has been sent. */
    void closeNow() {
        end();
        // The alert close_notify waits for the peer, too.
        writeDueNanos = in(door.limits().grace().toNanos());
        try {
            closeSocket.close();
        } catch (IOException e) {
            // The connection is closed already, or was reset.
        } finally {
            writeDueNanos = 0;
            door.leave(this);
        }
    }

    /** It is closed, or will be when all is sent. */
    boolean isClosing() {
        GiopOutput writing = output();
        return writing != null && writing.isClosing();
    }

    boolean hasUnsent() {
        GiopOutput writing = output();
        return writing != null && writing.hasUnsent();
    }

    private @Nullable GiopOutput output() {
        synchronized (streams) {
            return output;
        }
    }

    private void end() {
        GiopOutput writing = output();
        if (writing != null) {
            writing.end();
        }
    }

    /** Ends the connection without waiting for a thread that writes to a peer which does not read. */
    void abort() {
        end();
        if (isSsl()) {
            try {
                socket.setSoLinger(true, 0); // else close() waits for that thread, to send the alert close_notify
            } catch (IOException e) {
                // The connection is closed already, or was reset.
            }
            door.senders().execute(this::closeNow);
        } else {
            closeNow();
        }
    }

    // ---- the reading thread

    void dueIn(long nanos) {
        dueNanos = in(nanos);
    }

    private static long in(long nanos) {
        long due = System.nanoTime() + nanos;
        return due == 0 ? 1 : due;
    }

    void notDue() {
        dueNanos = 0;
    }

    boolean isProved() {
        return proved;
    }

    /** @throws IOException when the connection may not hold that much; it is closed then */
    void take(long bytes) throws IOException {
        door.take(this, bytes);
    }

    void closeFor(String why) {
        door.closeFor(this, why);
    }

    void give(long bytes) {
        door.give(this, bytes);
    }

    /** Waits while the peer leaves too much unread: its further requests would make it more. */
    void awaitReads() throws IOException {
        GiopOutput writing = output();
        if (writing != null) {
            writing.awaitUnsentAtMost(door.limits().mostUnreadBytes() / CONNECTIONS_WITH_MOST);
        }
    }

    /** Whether bytes are taken for a request of that id. The reply to another one of that id would give them back. */
    boolean isUnanswered(int id) {
        synchronized (requests) {
            return requests.containsKey(id);
        }
    }

    /**
     * The bytes stay taken until the request is answered.
     *
     * @param id empty if its reply does not have it in front
     * @param bytes 0 for a small request
     */
    void requested(OptionalInt id, long bytes, boolean oneway) {
        long until = System.nanoTime() + (oneway ? ONEWAY_NANOS : ANSWER_NANOS);
        synchronized (requests) {
            if (id.isPresent()) {
                if (bytes > 0) {
                    requests.put(id.getAsInt(), new Charge(bytes, until));
                }
            } else if (!oneway) {
                unnumbered++;
                ofUnnumbered = ofUnnumbered.with(bytes, until);
            } else if (bytes > 0) {
                ofOneways = ofOneways.with(bytes, until);
            }
        }
    }

    // ---- a writing thread

    /**
     * @param first of the first message that waits
     * @throws IOException when the connection may not hold that much; it is closed then
     */
    void unread(long bytes, boolean first) throws IOException {
        door.unread(this, bytes, first);
    }

    /**
     * A reply leaves.
     *
     * @param id empty if the reply does not have it in front
     * @param success it is neither a system exception nor a forward
     */
    void answered(OptionalInt id, boolean success) {
        if (success && !proved) {
            proved = true;
            door.prove(this);
        }
        Charge charge;
        synchronized (requests) {
            charge = id.isPresent() ? requests.getOrDefault(id.getAsInt(), NOTHING) : answeredUnnumbered();
            id.ifPresent(requests::remove);
        }
        if (charge.bytes() > 0) {
            door.give(this, charge.bytes());
        }
    }

    /** @return what is given back */
    private Charge answeredUnnumbered() {
        unnumbered = Math.max(0, unnumbered - 1);
        Charge charge = unnumbered == 0 ? ofUnnumbered : NOTHING;
        ofUnnumbered = unnumbered == 0 ? NOTHING : ofUnnumbered;
        return charge;
    }

    void forgetUnread() {
        door.forgetUnread(this);
    }

    // ---- the thread that sends

    void sends(int bytes) {
        writeDueNanos = in(door.limits().grace().toNanos() + bytes * 1_000_000_000L / LEAST_READ_PER_SECOND);
    }

    void sent(int bytes) {
        writeDueNanos = 0;
        door.read(this, bytes);
    }

    // ---- the door's thread

    boolean isOverdue(long nowNanos) {
        return isPast(dueNanos, nowNanos);
    }

    /** Its peer does not read, and a thread waits in a write for it. */
    boolean isWriteOverdue(long nowNanos) {
        GiopOutput writing = output();
        return isPast(writeDueNanos, nowNanos) || (writing != null && writing.isClosingTooSlowly(nowNanos));
    }

    private static boolean isPast(long due, long nowNanos) {
        return due != 0 && nowNanos - due > 0;
    }

    void forgetUnanswered(long nowNanos) {
        long bytes = 0;
        synchronized (requests) {
            for (Iterator<Charge> all = requests.values().iterator(); all.hasNext(); ) {
                Charge charge = all.next();
                if (nowNanos - charge.untilNanos() > 0) {
                    bytes += charge.bytes();
                    all.remove();
                }
            }
            if (unnumbered > 0 && nowNanos - ofUnnumbered.untilNanos() > 0) {
                bytes += ofUnnumbered.bytes();
                ofUnnumbered = NOTHING;
                unnumbered = 0;
            }
            if (ofOneways.bytes() > 0 && nowNanos - ofOneways.untilNanos() > 0) {
                bytes += ofOneways.bytes();
                ofOneways = NOTHING;
            }
        }
        if (bytes > 0) {
            door.give(this, bytes);
        }
    }
}
