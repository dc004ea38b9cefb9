package org.amo.replication.order.group;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.core.door.DoorLimits;
import org.amo.core.door.Doorkeeper;
import org.amo.core.door.Doorkeeper.Decision;

/**
 * A server socket with an {@link #accept} that returns only connections that proved themselves: by a greeting and, with a
 * secret, a frame, or by a TLS handshake. JGroups accepts and greets in one thread: a stranger that connects and sends nothing
 * would hold up the members behind it, and two members that connect to each other would wait for each other's acceptor for
 * ever. Here each connection proves itself in a thread of its own, {@value #MOST_AT_ONCE} at a time. A further one takes the
 * place of the oldest from the address with most of them.
 */
final class AdmittingServerSocket extends ServerSocket {
    private static final int MOST_AT_ONCE = 64;
    private static final int MOST_ADMITTED = 256;

    /** Bytes are counted elsewhere ({@link OrderDoor}). */
    private static final DoorLimits PLACES = new DoorLimits(MOST_AT_ONCE, MOST_AT_ONCE, 1, 1, 1, 1);

    /** Proves a connection; bounded in time. */
    interface Admission {
        /**
         * @return the connection to use, which may wrap the given one
         * @throws IOException when it is refused; it is closed then
         */
        Socket admit(GreetedSocket connection) throws IOException;
    }

    private final Admission admission;
    private final Consumer<VirtualMachineError> fatal;
    private final Thread acceptor;
    private final ThreadPoolExecutor proving;
    private final BlockingQueue<Socket> admitted = new LinkedBlockingQueue<>(MOST_ADMITTED);

    // Guarded by itself, and guards those that prove themselves.
    private final Doorkeeper<GreetedSocket> places = new Doorkeeper<>(PLACES);
    private final Set<GreetedSocket> underWay = new HashSet<>();

    /**
     * Unbound; it accepts from {@link #bind(SocketAddress, int)} on.
     *
     * @param fatal told when memory or threads run out
     */
    AdmittingServerSocket(ThreadFactory threads, Consumer<VirtualMachineError> fatal, Admission admission)
            throws IOException {
        this.admission = admission;
        this.fatal = fatal;
        acceptor = threads.newThread(this::acceptAll);
        // Those whose connections gave way may hold their threads for a moment: the newcomers wait for that.
        proving = new ThreadPoolExecutor(
                MOST_AT_ONCE, MOST_AT_ONCE, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_AT_ONCE), threads);
        proving.allowCoreThreadTimeOut(true);
    }

    @Override
    public void bind(SocketAddress address, int backlog) throws IOException {
        super.bind(address, backlog);
        acceptor.start();
    }

    /** The next connection that proved itself. */
    @Override
    public Socket accept() throws IOException {
        while (!isClosed()) {
            try {
                Socket next = admitted.poll(200, TimeUnit.MILLISECONDS);
                if (next != null) {
                    return next;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SocketException("interrupted");
            }
        }
        throw new SocketException("Socket closed");
    }

    @Override
    public void close() throws IOException {
        super.close();
        // Before the connections: one that comes later is refused a thread.
        proving.shutdown();
        List<Socket> open;
        synchronized (places) {
            open = List.copyOf(underWay);
        }
        open.forEach(AdmittingServerSocket::closeQuietly);
        closeAdmitted();
    }

    private void closeAdmitted() {
        for (Socket waiting = admitted.poll(); waiting != null; waiting = admitted.poll()) {
            closeQuietly(waiting);
        }
    }

    private void acceptAll() {
        while (!isClosed()) {
            try {
                acceptNext();
            } catch (IOException e) {
                // Closed, or a connection that ended before it was accepted, or no file descriptor is left for a
                // moment.
                pauseUnlessClosed();
            } catch (VirtualMachineError e) {
                fatal.accept(e);
                pauseUnlessClosed();
            }
        }
    }

    private void acceptNext() throws IOException {
        GreetedSocket connection = new GreetedSocket();
        implAccept(connection);
        boolean begun = false;
        try {
            enter(connection);
            proving.execute(() -> prove(connection));
            begun = true;
        } catch (RejectedExecutionException e) {
            // Closed, or too many threads have not yet noticed that their connections gave way.
            return;
        } finally {
            if (!begun) {
                leave(connection);
                closeQuietly(connection);
            }
        }
    }

    private void prove(GreetedSocket connection) {
        boolean taken = false;
        try {
            taken = proved(connection).filter(this::offer).isPresent();
        } catch (VirtualMachineError e) {
            fatal.accept(e);
        } finally {
            if (!taken) {
                closeQuietly(connection);
            }
        }
    }

    /** @return whether it waits to be accepted, or was closed with this server socket */
    private boolean offer(Socket proved) {
        boolean taken = admitted.offer(proved);
        if (isClosed()) {
            // Perhaps since close() has emptied the queue.
            closeAdmitted();
        }
        return taken;
    }

    /** Empty when it is refused. */
    private Optional<Socket> proved(GreetedSocket connection) {
        try {
            return Optional.of(admission.admit(connection));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        } finally {
            leave(connection);
        }
    }

    private void enter(GreetedSocket connection) {
        Decision<GreetedSocket> decision;
        synchronized (places) {
            decision = places.arrive(connection, connection.getInetAddress());
            underWay.add(connection);
        }
        decision.close().forEach(AdmittingServerSocket::closeQuietly);
    }

    private void leave(GreetedSocket connection) {
        synchronized (places) {
            places.leave(connection);
            underWay.remove(connection);
        }
    }

    private void pauseUnlessClosed() {
        if (!isClosed()) {
            GroupChannel.pause(10);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no use to anybody any more.
            return;
        }
    }

    @Override
    public String toString() {
        InetAddress address = getInetAddress();
        return "admitting server socket on " + address + ":" + getLocalPort();
    }
}
