package org.amo.lab.blackbox;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between a client and a member and keeps every GIOP message that passes. */
final class Tap implements AutoCloseable {
    private final ServerSocket listener;
    private final int targetPort;
    private final List<Giop.Message> requests = new CopyOnWriteArrayList<>();
    private final List<Giop.Message> replies = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    Tap(int targetPort) {
        this.targetPort = targetPort;
        try {
            listener = new ServerSocket();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon("amo-tap-accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    List<Giop.RequestHead> requests() {
        return requests.stream()
                .filter(Giop.Message::isRequest)
                .map(Giop::requestHead)
                .toList();
    }

    long replies() {
        return replies.stream().filter(Giop.Message::isReply).count();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket member = new Socket(InetAddress.getLoopbackAddress(), targetPort);
                sockets.add(client);
                sockets.add(member);
                client.setTcpNoDelay(true);
                member.setTcpNoDelay(true);
                daemon("amo-tap-requests", () -> pass(client, member, requests));
                daemon("amo-tap-replies", () -> pass(member, client, replies));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void pass(Socket from, Socket to, List<Giop.Message> kept) {
        try (from;
                to) {
            OutputStream out = to.getOutputStream();
            for (Optional<Giop.Message> next = Giop.read(from.getInputStream());
                    next.isPresent();
                    next = Giop.read(from.getInputStream())) {
                kept.add(next.get());
                out.write(next.get().bytes());
            }
        } catch (IOException broken) {
            // Either side has gone, and the other goes with it.
            return;
        }
    }

    private static void daemon(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
