package org.amo.lab.blackbox;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.amo.base.DaemonThreads;
import org.amo.replication.FreePorts;

/** A network for datagrams between a client and one member: it keeps what the client sends, and may lose all answers. */
final class FirstCallProxy implements AutoCloseable {
    private static final int MOST_BYTES = 2_000;

    /** All datagrams of clients, as they came. */
    final ConcurrentLinkedQueue<byte[]> recorded = new ConcurrentLinkedQueue<>();

    private final DatagramSocket front;
    private final DatagramSocket back;
    private final boolean losesAnswers;
    private volatile Optional<SocketAddress> client = Optional.empty();

    FirstCallProxy(int memberPort, boolean losesAnswers) throws IOException {
        this.losesAnswers = losesAnswers;
        InetAddress loopback = InetAddress.getLoopbackAddress();
        // No process listens for TCP connections there.
        front = new DatagramSocket(
                new InetSocketAddress(loopback, FreePorts.find(1).get(0)));
        back = new DatagramSocket();
        back.connect(new InetSocketAddress(loopback, memberPort));
        DaemonThreads.start("amo-first-call-proxy", this::toMember);
        DaemonThreads.start("amo-first-call-proxy", this::toClient);
    }

    int port() {
        return front.getLocalPort();
    }

    private void toMember() {
        while (!front.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(new byte[MOST_BYTES], MOST_BYTES);
                front.receive(packet);
                client = Optional.of(packet.getSocketAddress());
                byte[] datagram = Arrays.copyOf(packet.getData(), packet.getLength());
                back.send(new DatagramPacket(datagram, datagram.length));
                recorded.add(datagram);
            } catch (IOException lost) {
                // The member is dead, or the test has ended: as on a network.
            }
        }
    }

    private void toClient() {
        while (!back.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(new byte[MOST_BYTES], MOST_BYTES);
                back.receive(packet);
                if (!losesAnswers && client.isPresent()) {
                    front.send(new DatagramPacket(packet.getData(), packet.getLength(), client.get()));
                }
            } catch (IOException lost) {
                // As above.
            }
        }
    }

    @Override
    public void close() {
        front.close();
        back.close();
    }
}
