package org.amo.cli.scmp;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;

/** Stands in the network between a client and a server: passes datagrams on, and keeps the first one of the client. */
final class Recorder implements AutoCloseable {
    private final DatagramSocket front = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    private final DatagramSocket back = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    private final CompletableFuture<byte[]> first = new CompletableFuture<>();

    Recorder(int serverPort) throws IOException {
        back.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
        DaemonThreads.start("amo-test-recorder", this::pass);
    }

    int port() {
        return front.getLocalPort();
    }

    private void pass() {
        byte[] buffer = new byte[65_536];
        while (!front.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                front.receive(packet);
                first.complete(Arrays.copyOf(buffer, packet.getLength()));
                back.send(new DatagramPacket(buffer, packet.getLength()));
                Optional<byte[]> answer = answer(2_000);
                if (answer.isPresent()) {
                    front.send(new DatagramPacket(answer.get(), answer.get().length, packet.getSocketAddress()));
                }
            } catch (IOException e) {
                // Closed, or nobody listens: the datagram is lost.
            }
        }
    }

    private Optional<byte[]> answer(int millis) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
        back.setSoTimeout(millis);
        try {
            back.receive(packet);
            return Optional.of(Arrays.copyOf(packet.getData(), packet.getLength()));
        } catch (SocketTimeoutException e) {
            return Optional.empty();
        }
    }

    byte[] recorded() throws Exception {
        return first.get(10, TimeUnit.SECONDS);
    }

    /** Sends a recording to the server, from another socket. */
    static Optional<byte[]> replay(byte[] recorded, int serverPort) throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
            socket.setSoTimeout(5_000);
            socket.send(new DatagramPacket(recorded, recorded.length));
            DatagramPacket answer = new DatagramPacket(new byte[65_536], 65_536);
            try {
                socket.receive(answer);
                return Optional.of(Arrays.copyOf(answer.getData(), answer.getLength()));
            } catch (SocketTimeoutException e) {
                return Optional.empty();
            }
        }
    }

    @Override
    public void close() {
        front.close();
        back.close();
    }
}
