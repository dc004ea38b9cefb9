package org.amo.lab.blackbox.corba;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Passes on what a client says, waits until the member begins to answer, and hangs up on both. */
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int targetPort;

    CuttingProxy(int targetPort) {
        this.targetPort = targetPort;
        try {
            listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket member = new Socket(InetAddress.getLoopbackAddress(), targetPort);
                daemon(() -> passOn(client, member));
                daemon(() -> cut(client, member));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void passOn(Socket client, Socket member) {
        try (InputStream in = client.getInputStream()) {
            in.transferTo(member.getOutputStream());
        } catch (IOException cut) {
            // As intended.
            return;
        }
    }

    private static void cut(Socket client, Socket member) {
        try (client;
                member) {
            int unused = member.getInputStream().read();
        } catch (IOException gone) {
            // The member itself hung up.
            return;
        }
    }

    private static void daemon(Runnable body) {
        Thread thread = new Thread(body, "amo-cutting-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
