package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.core.door.Doorkeeper;
import org.amo.core.door.Doorkeeper.Decision;
import org.amo.core.door.Doorkeeper.Outcome;
import org.amo.core.door.UnreadBytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the limits of one IIOP port, and closes the connections that break them; the log gets one line in ten seconds.
 * A daemon thread looks for slow senders and slow readers while the port is open. Any thread may call it.
 */
final class GiopDoor implements AutoCloseable {
    private static final long LOOK_MILLIS = 500;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Logger LOG = LoggerFactory.getLogger(GiopDoor.class);

    private final GiopLimits limits;
    private final UnreadBytes<GuardedConnection> unread;

    /** At most a thread for each connection, which waits for its peer to read. */
    private final Executor senders = Executors.newCachedThreadPool(DaemonThreads.factory("amo-iiop-sender"));

    // Guarded by this.
    private final Doorkeeper<GuardedConnection> keeper;
    private final Set<GuardedConnection> open = new HashSet<>();
    private boolean closed;
    private boolean looking;
    private long ended;
    private String lastEnded = "";

    GiopDoor(GiopLimits limits) {
        this.limits = limits;
        this.keeper = new Doorkeeper<>(limits.door());
        this.unread = new UnreadBytes<>(limits.mostUnreadBytes());
    }

    /** Whether a whole message is one that JacORB can read at the cost of its length. */
    static boolean isReadable(byte[] message) {
        return message.length >= GiopInput.HEADER
                && GiopHeaders.flaw(message, 0, message.length).isEmpty();
    }

    GiopLimits limits() {
        return limits;
    }

    /** Whether a write to this socket never waits for its peer. */
    static boolean guards(@Nullable Socket socket) {
        return socket instanceof GuardedSocket || socket instanceof GuardedSslSocket;
    }

    /** Run the tasks that send; each waits for its peer to read. */
    Executor senders() {
        return senders;
    }

    /**
     * After an accept that failed: JacORB accepts again at once, and for a moment no file descriptor may be left. An
     * interrupt does not shorten it, and stays.
     */
    static void pause() {
        long until = System.nanoTime() + PAUSE_NANOS;
        boolean interrupted = false;
        for (long left = PAUSE_NANOS; left > 0; left = until - System.nanoTime()) {
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the new connection may stay. */
    boolean arrive(GuardedConnection connection) {
        Decision<GuardedConnection> decision;
        synchronized (this) {
            decision = closed
                    ? new Decision<>(Outcome.REFUSED, List.of())
                    : keeper.arrive(connection, connection.address());
            if (decision.outcome() == Outcome.GRANTED) {
                open.add(connection);
                look();
            }
        }
        connection.dueIn(limits.firstMessage().toNanos());
        close(decision.close(), "there are too many");
        if (decision.outcome() == Outcome.REFUSED) {
            ended(connection, "there are too many; raise amo.iiop.connections if they are wanted");
        }
        return decision.outcome() == Outcome.GRANTED;
    }

    /** Blocks while only proved connections hold the missing bytes. */
    void take(GuardedConnection connection, long bytes) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            Decision<GuardedConnection> decision;
            synchronized (this) {
                decision = keeper.take(connection, bytes);
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (decision.outcome() == Outcome.WAIT && left > 0) {
                    await(left);
                }
            }
            close(decision.close(), "memory is short and it holds most");
            if (decision.outcome() == Outcome.GRANTED) {
                return;
            }
            if (decision.outcome() == Outcome.REFUSED || System.nanoTime() - deadline > 0) {
                close(List.of(connection), "it asks for " + bytes + " bytes more than it may hold");
                throw new IOException("the connection holds more than it may");
            }
        }
    }

    /** Its callers check their condition again. */
    @SuppressWarnings("WaitNotInLoop")
    private void await(long millis) throws IOException {
        try {
            wait(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    synchronized void give(GuardedConnection connection, long bytes) {
        keeper.give(connection, bytes);
        notifyAll();
    }

    /** So many bytes more wait for the peer to read them. */
    void unread(GuardedConnection connection, long bytes, boolean first) throws IOException {
        List<GuardedConnection> costliest = unread.add(connection, bytes, first, System.nanoTime());
        close(costliest, "memory is short, and it reads least of what it is sent");
        if (costliest.contains(connection)) {
            throw new IOException("the connection reads too little of what it is sent");
        }
    }

    /** The peer has taken them. */
    void read(GuardedConnection connection, long bytes) {
        unread.read(connection, bytes, System.nanoTime());
    }

    /** It is closed. */
    void forgetUnread(GuardedConnection connection) {
        unread.leave(connection);
    }

    synchronized void prove(GuardedConnection connection) {
        keeper.prove(connection);
    }

    synchronized void leave(GuardedConnection connection) {
        unread.leave(connection);
        if (open.remove(connection)) {
            keeper.leave(connection);
            notifyAll();
        }
    }

    /** Bytes that all connections hold now. */
    synchronized long held() {
        return keeper.held();
    }

    /** Bytes that wait for peers to read them. */
    long unreadBytes() {
        return unread.total();
    }

    /** Open connections. */
    synchronized int connections() {
        return keeper.connections();
    }

    /** No connection is taken any more. Those that are open stay. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    private void close(List<GuardedConnection> connections, String why) {
        for (GuardedConnection connection : connections) {
            ended(connection, why);
            connection.abort();
        }
    }

    void closeFor(GuardedConnection connection, String why) {
        close(List.of(connection), why);
    }

    private synchronized void ended(GuardedConnection connection, String why) {
        ended++;
        lastEnded = connection.remote() + ": " + why;
    }

    /** One line about all that were closed since the last one. */
    private boolean tell() {
        long count;
        String last;
        synchronized (this) {
            count = ended;
            last = lastEnded;
            ended = 0;
        }
        if (count > 0) {
            LOG.warn("closed {} connections of the IIOP port; the last, of {}", count, last);
        }
        return count > 0;
    }

    // ---- slow peers

    private void look() {
        if (!looking) {
            looking = true;
            DaemonThreads.start("amo-iiop-door", this::lookUntilClosed);
        }
    }

    private void lookUntilClosed() {
        long tellAt = System.nanoTime();
        while (true) {
            List<GuardedConnection> connections;
            synchronized (this) {
                if (closed && open.isEmpty()) {
                    looking = false;
                    return;
                }
                connections = new ArrayList<>(open);
            }
            long now = System.nanoTime();
            if (now - tellAt >= 0 && tell()) {
                tellAt = now + TELL_NANOS;
            }
            for (GuardedConnection connection : connections) {
                connection.forgetUnanswered(now);
                if (connection.isOverdue(now)) {
                    close(List.of(connection), "its message does not come, or too slowly");
                } else if (connection.isWriteOverdue(now)) {
                    close(List.of(connection), "it does not read what it is sent, or too slowly");
                }
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
