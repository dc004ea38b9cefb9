package org.amo.lab.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;

/**
 * The network between clients and a service, with one request on each connection. Of each request line it loses the first answer: the
 * connection is closed when the answer begins to arrive, so the service has done its work.
 */
final class StormNetwork implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    private final int service;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final AtomicLong lost = new AtomicLong();

    /** @param service its port on this machine */
    StormNetwork(int service) throws IOException {
        this.service = service;
        DaemonThreads.start("amo-storm-network", this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** Answers that were lost. */
    long lost() {
        return lost.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                DaemonThreads.start("amo-storm-connection", () -> carry(client));
            }
        } catch (IOException e) {
            // Closed: the storm is over.
        }
    }

    private void carry(Socket client) {
        try (client;
                Socket end = new Socket(InetAddress.getLoopbackAddress(), service)) {
            String line = firstLine(client.getInputStream(), end.getOutputStream());
            DaemonThreads.start("amo-storm-request", () -> pump(client, end));
            InputStream answer = end.getInputStream();
            int first = answer.read();
            if (first < 0) {
                return;
            }
            if (seen.add(line)) {
                lost.incrementAndGet();
                return;
            }
            OutputStream out = client.getOutputStream();
            out.write(first);
            answer.transferTo(out);
        } catch (IOException e) {
            // The client sees the end of its connection, and retries.
        }
    }

    private static String firstLine(InputStream in, OutputStream out) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int each = in.read(); each >= 0; each = in.read()) {
            line.write(each);
            if (each == '\n') {
                break;
            }
        }
        out.write(line.toByteArray());
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    private static void pump(Socket client, Socket end) {
        try {
            client.getInputStream().transferTo(end.getOutputStream());
        } catch (IOException e) {
            // The other direction closes both.
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
