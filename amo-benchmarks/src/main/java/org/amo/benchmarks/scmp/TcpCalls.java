package org.amo.benchmarks.scmp;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;

/** The null call over plain TCP sockets: on one connection, or with a connection for each call. */
final class TcpCalls implements NullCall {
    private final InetSocketAddress server;
    private final boolean connectEachTime;
    private final Socket kept;

    TcpCalls(InetSocketAddress server, boolean connectEachTime) throws IOException {
        this.server = server;
        this.connectEachTime = connectEachTime;
        this.kept = connect();
    }

    /** Echoes 64 bytes at a time, in a thread for each connection; threads are kept, as a connection must not pay for a new one. */
    static ServerSocket server(InetSocketAddress address) throws IOException {
        ServerSocket listening = new ServerSocket();
        listening.setReuseAddress(true);
        listening.bind(address, 1_000);
        ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.factory("amo-bench-tcp"));
        DaemonThreads.start("amo-bench-tcp-accept", () -> {
            while (!listening.isClosed()) {
                try {
                    Socket accepted = listening.accept();
                    threads.execute(() -> echo(accepted));
                } catch (IOException e) {
                    if (!listening.isClosed()) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
            threads.shutdown();
        });
        return listening;
    }

    private static void echo(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            byte[] bytes = new byte[BYTES];
            int read;
            while ((read = socket.getInputStream().readNBytes(bytes, 0, BYTES)) == BYTES) {
                socket.getOutputStream().write(bytes, 0, read);
            }
        } catch (IOException e) {
            // The client is gone, and so is its connection.
            return;
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
        socket.connect(server, (int) TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
        return socket;
    }

    @Override
    public void call() throws Exception {
        if (!connectEachTime) {
            exchange(kept);
            return;
        }
        try (Socket socket = connect()) {
            exchange(socket);
        }
    }

    private static void exchange(Socket socket) throws IOException {
        byte[] bytes = new byte[BYTES];
        socket.getOutputStream().write(bytes);
        new DataInputStream(socket.getInputStream()).readFully(bytes);
    }

    @Override
    public void close() {
        try {
            kept.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
