package org.amo.kv;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** A network between clients and a server that can hold back what one connection brings, however long, and then deliver it. */
final class HoldingProxy implements AutoCloseable {
    private final ServerSocket listening;
    private final int to;
    private final AtomicBoolean holdsNext = new AtomicBoolean();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch delivered = new CountDownLatch(1);

    HoldingProxy(int to) throws IOException {
        this.to = to;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** From now on: the next bytes of a client, and whatever follows them on that connection, are kept. */
    void holdNext() {
        holdsNext.set(true);
    }

    /** Waits until something is kept. */
    void awaitHeld() throws InterruptedException {
        held.await();
    }

    /** Delivers it, and waits until the server has it. */
    void release() throws InterruptedException {
        released.countDown();
        delivered.await();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
                start(() -> copy(client, server, true));
                start(() -> copy(server, client, false));
            } catch (IOException e) {
                // Nobody listens there yet, or the test is over.
            }
        }
    }

    private void copy(Socket from, Socket into, boolean fromClient) {
        byte[] bytes = new byte[64 * 1024];
        boolean holding = false;
        try (InputStream in = from.getInputStream();
                OutputStream out = into.getOutputStream()) {
            for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
                if (fromClient && holdsNext.compareAndSet(true, false)) {
                    holding = true;
                    held.countDown();
                    released.await();
                }
                out.write(bytes, 0, count);
                out.flush();
                if (holding) {
                    delivered.countDown();
                }
            }
            if (holding || !fromClient) {
                return;
            }
        } catch (IOException e) {
            // One side is gone; the other one notices.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
