package org.amo.lab.attack;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** One connection of an attack. One thread at a time; any thread may close it. */
final class Wire implements Closeable {
    private static final int CONNECT_MILLIS = 2_000;
    private static final int READ_MILLIS = 3_000;

    private final Socket socket;
    private final Runnable onClose;

    private Wire(Socket socket, Runnable onClose) {
        this.socket = socket;
        this.onClose = onClose;
    }

    /** Connects to a port of this machine, and to nothing else. */
    static Wire open(int port, Runnable onClose) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            socket.setSoTimeout(READ_MILLIS);
            return new Wire(socket, onClose);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    Wire send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /** Waits for at most a few seconds for each read. */
    DataInputStream in() throws IOException {
        return new DataInputStream(socket.getInputStream());
    }

    /** Discards the bytes that have arrived; does not wait for more. */
    void drain() throws IOException {
        InputStream in = socket.getInputStream();
        while (in.available() > 0) {
            in.skip(in.available());
        }
    }

    /** Ends it without the usual farewell: the member sees a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        close();
    }

    @Override
    public void close() throws IOException {
        onClose.run();
        socket.close();
    }
}
