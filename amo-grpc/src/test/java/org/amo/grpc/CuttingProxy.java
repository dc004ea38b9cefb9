package org.amo.grpc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.amo.base.DaemonThreads;

/** A network between client and server that loses answers: it closes a connection in the place of passing bytes of the server on. */
final class CuttingProxy implements AutoCloseable {
    private final int port;
    private final ServerSocket door;
    private final List<Socket> sockets = new ArrayList<>();
    private final Random random;
    private final double share;
    private int cuts;

    /** @param share of the server's writes that are lost with their connection, behind the first ones, which open it */
    CuttingProxy(int port, double share, long seed) throws IOException {
        this.port = port;
        this.share = share;
        this.random = new Random(seed);
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        DaemonThreads.start("amo-test-proxy", this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    synchronized int cuts() {
        return cuts;
    }

    private synchronized boolean cutsNow() {
        boolean cut = random.nextDouble() < share;
        cuts += cut ? 1 : 0;
        return cut;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = opened(door.accept());
                Socket server = opened(new Socket(InetAddress.getLoopbackAddress(), port));
                DaemonThreads.start("amo-test-proxy-in", () -> pump(client, server, false));
                DaemonThreads.start("amo-test-proxy-out", () -> pump(server, client, true));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private synchronized Socket opened(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        return socket;
    }

    private void pump(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[16_384];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int writes = 0;
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (answers && ++writes > 4 && cutsNow()) {
                    return;
                }
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // One of the two has ended.
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
