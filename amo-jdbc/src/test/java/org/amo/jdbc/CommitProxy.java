package org.amo.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.base.DaemonThreads;
import org.amo.meetings.PostgresServer;

/** Stands between a driver and PostgreSQL, and loses the first commit or its answer. */
final class CommitProxy implements AutoCloseable {
    /** The fate of the first commit. */
    enum Fate {
        /** The server gets it; the client's connection breaks before the answer. */
        CUT_BEHIND,
        /** The client's connection breaks, and the server's stays open: it hears of neither commit nor end. */
        HOLD,
        /** The server gets it; the client's connection stays open, and no answer comes. */
        SWALLOW_ANSWER,
        /** The server is stopped before it comes: it waits in the server's socket, and no connection is answered. */
        STAND_STILL
    }

    private final PostgresServer database;
    private final Fate fate;
    private final ServerSocket door;
    private final AtomicBoolean due = new AtomicBoolean(true);
    private final CompletableFuture<Runnable> held = new CompletableFuture<>();
    private final List<Socket> sockets = new ArrayList<>();

    CommitProxy(PostgresServer database, Fate fate) throws IOException {
        this.database = database;
        this.fate = fate;
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        DaemonThreads.start("amo-commit-proxy", this::accept);
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + door.getLocalPort() + "/postgres?user=amo";
    }

    boolean isHit() {
        return !due.get();
    }

    /** Delivers the commit that was held. */
    void release() {
        held.join().run();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = opened(door.accept());
                Socket server = opened(new Socket(InetAddress.getLoopbackAddress(), database.port()));
                AtomicBoolean silent = new AtomicBoolean();
                DaemonThreads.start("amo-commit-proxy-in", () -> pump(client, server, silent));
                DaemonThreads.start("amo-commit-proxy-out", () -> answer(server, client, silent));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private synchronized Socket opened(Socket socket) {
        sockets.add(socket);
        return socket;
    }

    private void pump(Socket client, Socket server, AtomicBoolean silent) {
        byte[] buffer = new byte[8192];
        try {
            InputStream in = client.getInputStream();
            OutputStream out = server.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                byte[] bytes = Arrays.copyOf(buffer, read);
                if (isCommit(bytes) && due.compareAndSet(true, false)) {
                    if (fate == Fate.STAND_STILL) {
                        database.pause();
                        out.write(bytes);
                        continue;
                    }
                    silent.set(true);
                    if (fate == Fate.HOLD) {
                        held.complete(() -> write(out, bytes));
                        client.close();
                        return;
                    }
                    out.write(bytes);
                    if (fate == Fate.CUT_BEHIND) {
                        client.close();
                        server.shutdownOutput();
                        return;
                    }
                } else {
                    out.write(bytes);
                }
            }
            server.shutdownOutput();
        } catch (IOException e) {
            // One of the two has ended.
        }
    }

    private static void answer(Socket server, Socket client, AtomicBoolean silent) {
        byte[] buffer = new byte[8192];
        try {
            InputStream in = server.getInputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!silent.get()) {
                    client.getOutputStream().write(buffer, 0, read);
                }
            }
            if (!silent.get()) {
                client.close();
            }
        } catch (IOException e) {
            // One of the two has ended.
        }
    }

    private static boolean isCommit(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1).contains("COMMIT");
    }

    private static void write(OutputStream out, byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            // The server has ended the connection.
        }
    }

    @Override
    public synchronized void close() throws IOException {
        door.close();
        for (Socket each : sockets) {
            each.close();
        }
    }
}
