package org.amo.replication.service;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.amo.base.DaemonThreads;

/** A network for datagrams between clients and one member: it loses, repeats and changes them as the test says, and keeps a recording. */
final class DatagramProxy implements AutoCloseable {
    private static final int MOST_BYTES = 65_535;

    /** All datagrams of clients, as they came. */
    final Queue<byte[]> recorded = new ConcurrentLinkedQueue<>();

    /** Makes of a datagram those that arrive, in either direction. */
    volatile UnaryOperator<List<byte[]>> network = UnaryOperator.identity();

    private final InetSocketAddress member;
    private final DatagramSocket front;
    private final Map<SocketAddress, DatagramSocket> backs = new ConcurrentHashMap<>();

    DatagramProxy(int memberPort) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        member = new InetSocketAddress(here, memberPort);
        front = new DatagramSocket(new InetSocketAddress(here, 0));
        DaemonThreads.start("amo-test-datagrams", this::carry);
    }

    int port() {
        return front.getLocalPort();
    }

    private void carry() {
        pump(front, (client, bytes) -> {
            recorded.add(bytes);
            DatagramSocket back = backs.computeIfAbsent(client, this::back);
            pass(back, member, bytes);
        });
    }

    private DatagramSocket back(SocketAddress client) {
        try {
            DatagramSocket back = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            DaemonThreads.start("amo-test-datagrams", () -> pump(back, (from, bytes) -> pass(front, client, bytes)));
            return back;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Datagrams {
        void onDatagram(SocketAddress from, byte[] bytes) throws IOException;
    }

    private static void pump(DatagramSocket socket, Datagrams datagrams) {
        DatagramPacket packet = new DatagramPacket(new byte[MOST_BYTES], MOST_BYTES);
        while (true) {
            try {
                packet.setLength(MOST_BYTES);
                socket.receive(packet);
                datagrams.onDatagram(packet.getSocketAddress(), Arrays.copyOf(packet.getData(), packet.getLength()));
            } catch (IOException e) {
                // The other side is closed: as on a network.
                if (socket.isClosed()) {
                    return;
                }
            }
        }
    }

    private void pass(DatagramSocket by, SocketAddress to, byte[] bytes) throws IOException {
        for (byte[] each : network.apply(List.of(bytes))) {
            by.send(new DatagramPacket(each, each.length, to));
        }
    }

    @Override
    public void close() {
        front.close();
        backs.values().forEach(DatagramSocket::close);
    }
}
