package org.amo.interceptors;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/** A server that accepts connections and reads nothing of them. */
public final class DeafServer implements AutoCloseable {
    private static final int RECEIVED_BYTES = 64 << 10;
    private static final int PATIENCE_MILLIS = 20_000;

    private final ServerSocket listener;
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();

    public DeafServer() throws IOException {
        listener = new ServerSocket();
        listener.setReceiveBufferSize(RECEIVED_BYTES);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        new Thread(this::accept, "deaf-server").start();
    }

    private void accept() {
        try {
            while (true) {
                accepted.add(listener.accept());
            }
        } catch (SocketException closed) {
            // The end of the test.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return listener.getLocalPort();
    }

    public void awaitConnection() {
        Awaitility.await().until(() -> !accepted.isEmpty());
    }

    /** Reads what has come, and waits until the peer has ended each connection. */
    public void awaitEnds() throws IOException {
        awaitConnection();
        for (Socket each : accepted) {
            each.setSoTimeout(PATIENCE_MILLIS);
            try {
                long bytes = each.getInputStream().transferTo(OutputStream.nullOutputStream());
                assertTrue(bytes < 8 << 20, "the peer wrote all of it");
            } catch (SocketException reset) {
                // Ended, too.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket each : accepted) {
            each.close();
        }
    }
}
