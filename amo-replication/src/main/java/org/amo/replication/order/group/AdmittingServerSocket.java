package org.amo.replication.order.group;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A server socket with an {@link #accept} that returns only connections proved by a greeting or a TLS handshake.
 * JGroups accepts and greets in one thread: a stranger that connects and sends nothing would hold up the members behind it,
 * and two members that connect to each other would wait for each other's acceptor for ever. Here each connection proves
 * itself in a thread of its own; {@value #MOST_AT_ONCE} at a time, a further one is closed at once.
 */
final class AdmittingServerSocket extends ServerSocket {
    private static final int MOST_AT_ONCE = 64;
    private static final int MOST_ADMITTED = 256;

    /** Proves a connection; bounded in time. */
    interface Admission {
        /**
         * @return the connection to use, which may wrap the given one
         * @throws IOException when it is refused; it is closed then
         */
        Socket admit(GreetedSocket connection) throws IOException;
    }

    private final Admission admission;
    private final Thread acceptor;
    private final ThreadPoolExecutor proving;
    private final BlockingQueue<Socket> admitted = new LinkedBlockingQueue<>(MOST_ADMITTED);

    /** Unbound; it accepts from {@link #bind(SocketAddress, int)} on. */
    AdmittingServerSocket(ThreadFactory threads, Admission admission) throws IOException {
        this.admission = admission;
        acceptor = threads.newThread(this::acceptAll);
        proving = new ThreadPoolExecutor(0, MOST_AT_ONCE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
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
        proving.shutdownNow();
        for (Socket waiting = admitted.poll(); waiting != null; waiting = admitted.poll()) {
            closeQuietly(waiting);
        }
    }

    private void acceptAll() {
        while (!isClosed()) {
            try {
                GreetedSocket connection = new GreetedSocket();
                implAccept(connection);
                try {
                    proving.execute(() -> prove(connection));
                } catch (RejectedExecutionException e) {
                    closeQuietly(connection);
                }
            } catch (IOException e) {
                // Closed, or a connection that ended before it was accepted, or no file descriptor is left for a
                // moment.
                pauseUnlessClosed();
            }
        }
    }

    private void prove(GreetedSocket connection) {
        try {
            Socket proved = admission.admit(connection);
            if (isClosed() || !admitted.offer(proved)) {
                closeQuietly(proved);
            }
        } catch (IOException | RuntimeException e) {
            closeQuietly(connection);
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
