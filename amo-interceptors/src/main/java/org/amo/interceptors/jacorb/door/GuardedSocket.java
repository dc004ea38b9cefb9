package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** A plain connection of an IIOP port; its {@link GuardedConnection} keeps the limits. */
final class GuardedSocket extends Socket {
    private final GuardedConnection connection;

    /** Not connected yet. */
    GuardedSocket(GiopDoor door) {
        connection = new GuardedConnection(door, this, super::close);
    }

    GuardedConnection connection() {
        return connection;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return connection.input(super.getInputStream());
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return connection.output(super.getOutputStream());
    }

    /** JacORB calls it before it closes. */
    @Override
    public void shutdownOutput() throws IOException {
        if (!connection.hasUnsent()) {
            super.shutdownOutput();
        }
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void close() {
        connection.close();
    }
}
