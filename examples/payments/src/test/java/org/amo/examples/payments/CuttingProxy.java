package org.amo.examples.payments;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands before a service, and cuts the first connections when the response begins: behind the commit. */
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int port;
    private final AtomicInteger left;

    /** @param cuts how many responses are lost */
    CuttingProxy(int port, int cuts) throws IOException {
        this.port = port;
        left = new AtomicInteger(cuts);
        start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    int left() {
        return left.get();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                start(() -> serve(client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket service = new Socket(InetAddress.getLoopbackAddress(), port)) {
            start(() -> forward(client, service));
            InputStream answer = service.getInputStream();
            int first = answer.read();
            if (first < 0 || left.getAndUpdate(cuts -> Math.max(0, cuts - 1)) > 0) {
                return;
            }
            OutputStream out = client.getOutputStream();
            out.write(first);
            answer.transferTo(out);
        } catch (IOException e) {
            // The client sees the end of its connection.
        }
    }

    private static void forward(Socket client, Socket service) {
        try {
            client.getInputStream().transferTo(service.getOutputStream());
            service.shutdownOutput();
        } catch (IOException e) {
            // The other direction ends both.
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
