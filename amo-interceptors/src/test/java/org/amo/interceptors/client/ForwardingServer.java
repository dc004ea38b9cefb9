package org.amo.interceptors.client;

import static org.awaitility.Awaitility.await;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that answers every request of GIOP 1.2 with LOCATION_FORWARD to one reference. */
final class ForwardingServer implements Closeable {
    private static final int HEADER = 12;
    private static final byte REQUEST = 0;
    private static final byte REPLY = 1;
    private static final int LOCATION_FORWARD = 3;

    private final ServerSocket listener;
    private final AtomicInteger forwarded = new AtomicInteger();
    private final boolean littleEndian;
    private final byte[] target;

    /** @param port 0 for any */
    ForwardingServer(int port, String reference) {
        // An encapsulation: its byte order, three octets of padding, and the IOR.
        byte[] encapsulation = HexFormat.of().parseHex(reference.substring("IOR:".length()));
        littleEndian = encapsulation[0] == 1;
        target = encapsulation;
        // Where another server has just gone, the port is in use until its connections are gone.
        listener = await().atMost(Duration.ofSeconds(10))
                .ignoreExceptions()
                .until(() -> TcpProxy.bound(port), socket -> true);
        daemon(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** How many requests it has sent on. */
    int forwarded() {
        return forwarded.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                daemon(() -> serve(client));
            }
        } catch (IOException closed) {
            // No more clients.
        }
    }

    private void serve(Socket client) {
        try (client;
                DataInputStream in = new DataInputStream(client.getInputStream())) {
            while (true) {
                ByteBuffer header = ByteBuffer.wrap(in.readNBytes(HEADER));
                if (header.remaining() < HEADER) {
                    return;
                }
                ByteOrder order = (header.get(6) & 1) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
                byte[] body = in.readNBytes(header.order(order).getInt(8));
                if (header.get(7) == REQUEST) {
                    forwarded.incrementAndGet();
                    int requestId = ByteBuffer.wrap(body).order(order).getInt();
                    client.getOutputStream().write(forward(requestId));
                }
            }
        } catch (IOException gone) {
            // The client hung up.
        }
    }

    private byte[] forward(int requestId) {
        int body = 12 + target.length - 4;
        ByteBuffer reply = ByteBuffer.allocate(HEADER + body);
        reply.order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        reply.put(new byte[] {'G', 'I', 'O', 'P', 1, 2, (byte) (littleEndian ? 1 : 0), REPLY});
        reply.putInt(body).putInt(requestId).putInt(LOCATION_FORWARD).putInt(0);
        return reply.put(target, 4, target.length - 4).array();
    }

    private static void daemon(Runnable body) {
        Thread thread = new Thread(body, "amo-test-forward");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }
}
