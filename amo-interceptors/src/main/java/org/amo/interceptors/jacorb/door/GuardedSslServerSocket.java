package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Counts the connections of a listening SSLIOP socket, over one that is bound already. Any thread. */
final class GuardedSslServerSocket extends ServerSocket {
    private final GiopDoor door;
    private final SSLServerSocket inner;

    public GuardedSslServerSocket(GiopDoor door, SSLServerSocket inner) throws IOException {
        this.door = door;
        this.inner = inner;
    }

    @Override
    public Socket accept() throws IOException {
        while (true) {
            GuardedSslSocket socket = next();
            if (door.arrive(socket.connection())) {
                return socket;
            }
            socket.connection().abort();
        }
    }

    private GuardedSslSocket next() throws IOException {
        try {
            return new GuardedSslSocket(door, (SSLSocket) inner.accept());
        } catch (IOException e) {
            GiopDoor.pause();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        inner.close();
        super.close();
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        return inner.getInetAddress();
    }

    @Override
    public int getLocalPort() {
        return inner.getLocalPort();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return inner.getLocalSocketAddress();
    }

    @Override
    public boolean isBound() {
        return inner.isBound();
    }

    @Override
    public boolean isClosed() {
        return inner.isClosed();
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void setSoTimeout(int millis) throws SocketException {
        inner.setSoTimeout(millis);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public int getSoTimeout() throws IOException {
        return inner.getSoTimeout();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        inner.setReuseAddress(on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return inner.getReuseAddress();
    }

    @Override
    public String toString() {
        return inner.toString();
    }
}
