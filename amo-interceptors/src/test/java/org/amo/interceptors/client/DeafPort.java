package org.amo.interceptors.client;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** A port that completes no connection: its queue is full, and none leaves it. */
final class DeafPort implements Closeable {
    private static final int FULL_MILLIS = 300;

    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> queued = new ArrayList<>();

    DeafPort() throws IOException {
        boolean full = false;
        while (!full) {
            Socket next = new Socket();
            queued.add(next);
            try {
                next.connect(listener.getLocalSocketAddress(), FULL_MILLIS);
            } catch (SocketTimeoutException e) {
                full = true;
            }
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        for (Socket each : queued) {
            each.close();
        }
        listener.close();
    }
}
