package org.amo.interceptors.client;

import static org.awaitility.Awaitility.await;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands in front of a member, so that a test can cut, refuse or silence its connections. */
final class TcpProxy implements Closeable {
    /** What becomes of the bytes that the member sends. */
    enum Replies {
        PASS,
        /** Swallowed: the member seems to think for ever. */
        MUTE,
        /** The first byte of a reply breaks the connection. */
        CUT
    }

    private final int targetPort;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile ServerSocket listener;
    private volatile Replies replies = Replies.PASS;

    TcpProxy(int targetPort) {
        this.targetPort = targetPort;
        this.listener = listen(0);
        this.port = listener.getLocalPort();
    }

    int port() {
        return port;
    }

    void replies(Replies mode) {
        replies = mode;
    }

    /** Connections are refused from now on, and those there are break. */
    void down() {
        try {
            listener.close();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
        cut();
    }

    void up() {
        // Until the connections of the last listener are gone, the port is in use.
        await().atMost(Duration.ofSeconds(10)).ignoreExceptions().until(() -> {
            listener = listen(port);
            return true;
        });
    }

    void cut() {
        sockets.forEach(TcpProxy::close);
        sockets.clear();
    }

    int connections() {
        return sockets.size() / 2;
    }

    @Override
    public void close() {
        down();
    }

    private ServerSocket listen(int at) {
        try {
            ServerSocket socket = bound(at);
            daemon(() -> accept(socket));
            return socket;
        } catch (IOException taken) {
            throw new UncheckedIOException(taken);
        }
    }

    /** On loopback. */
    static ServerSocket bound(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    private void accept(ServerSocket socket) {
        try {
            while (true) {
                Socket client = socket.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(server);
                if (socket.isClosed()) {
                    // It was accepted just when the proxy went down.
                    close(client);
                    close(server);
                }
                daemon(() -> pump(client, server, false));
                daemon(() -> pump(server, client, true));
            }
        } catch (IOException closed) {
            // The proxy is down.
        }
    }

    private void pump(Socket from, Socket to, boolean reply) {
        byte[] bytes = new byte[8_192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                Replies mode = reply ? replies : Replies.PASS;
                if (mode == Replies.CUT) {
                    break;
                }
                if (mode == Replies.PASS) {
                    out.write(bytes, 0, count);
                }
            }
        } catch (IOException broken) {
            // Both ends are closed.
        }
        sockets.remove(from);
        sockets.remove(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    private static void daemon(Runnable body) {
        Thread thread = new Thread(body, "amo-test-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
