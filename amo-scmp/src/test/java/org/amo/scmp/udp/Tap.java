package org.amo.scmp.udp;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** Stands between one client and a server: keeps every datagram, loses or repeats those it is told to. */
final class Tap implements AutoCloseable {
    private final DatagramSocket front = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    private final DatagramSocket back = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    private final List<byte[]> requests = new CopyOnWriteArrayList<>();
    private final List<byte[]> answers = new CopyOnWriteArrayList<>();
    private volatile SocketAddress server;
    private volatile SocketAddress client = new InetSocketAddress(0);
    private volatile Predicate<byte[]> loseRequest = bytes -> false;
    private volatile Predicate<byte[]> loseAnswer = bytes -> false;

    Tap(int serverPort) throws IOException {
        toServer(serverPort);
        start(front, packet -> {
            client = packet.getSocketAddress();
            requests.add(bytes(packet));
            if (!loseRequest.test(bytes(packet))) {
                send(back, bytes(packet), server);
            }
        });
        start(back, packet -> {
            answers.add(bytes(packet));
            if (!loseAnswer.test(bytes(packet))) {
                send(front, bytes(packet), client);
            }
        });
    }

    InetSocketAddress address() {
        return (InetSocketAddress) front.getLocalSocketAddress();
    }

    void toServer(int port) {
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** What the client sent. */
    List<byte[]> requests() {
        return new ArrayList<>(requests);
    }

    /** What the server sent. */
    List<byte[]> answers() {
        return new ArrayList<>(answers);
    }

    void loseRequests(Predicate<byte[]> which) {
        loseRequest = which;
    }

    void loseAnswers(Predicate<byte[]> which) {
        loseAnswer = which;
    }

    /** Sends a datagram to the server again. */
    void replay(byte[] datagram) throws IOException {
        send(back, datagram, server);
    }

    @Override
    public void close() {
        front.close();
        back.close();
    }

    private interface Handler {
        void on(DatagramPacket packet) throws IOException;
    }

    private static void start(DatagramSocket socket, Handler handler) {
        Thread thread = new Thread(
                () -> {
                    byte[] buffer = new byte[65_536];
                    while (!socket.isClosed()) {
                        try {
                            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                            socket.receive(packet);
                            handler.on(packet);
                        } catch (IOException e) {
                            // Closed, or the server is down: then a datagram is lost, as the network may.
                        }
                    }
                },
                "tap");
        thread.setDaemon(true);
        thread.start();
    }

    private static byte[] bytes(DatagramPacket packet) {
        return Arrays.copyOfRange(packet.getData(), packet.getOffset(), packet.getOffset() + packet.getLength());
    }

    private static void send(DatagramSocket from, byte[] bytes, SocketAddress to) throws IOException {
        from.send(new DatagramPacket(bytes, bytes.length, to));
    }
}
