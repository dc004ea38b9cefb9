package org.amo.lab.attack;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;
import org.amo.lab.cluster.ScmpCounterServer;
import org.amo.scmp.Call;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.Datagram;
import org.amo.scmp.RpcDatagrams;

/** A socket that sends datagrams (docs/wire/scmp.md) to a server of this machine, right ones and others. One thread owns it. */
final class ScmpWire implements Closeable {
    private static final int READ_MILLIS = 1_000;

    private final DatagramSocket socket;
    private final Seal seal;

    /** @param secret of its seals, the server's or another */
    ScmpWire(int port, byte[] secret) throws IOException {
        seal = Seal.of(secret, "amo scmp 1|datagram");
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout(READ_MILLIS);
    }

    static ConnectionId connection(Random random) {
        return new ConnectionId(random.nextLong(), random.nextLong(), random.nextInt(1 << 28));
    }

    /** A sealed call of the counters. */
    byte[] call(ConnectionId connection, long timestampMicros, String words) {
        byte[] arguments = words.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(RpcDatagrams.MAX_DATAGRAM);
        RpcDatagrams.call(out, new Call(connection, timestampMicros, ScmpCounterServer.SERVICE, arguments), 0);
        seal.sign(out, 0);
        return Arrays.copyOf(out.array(), out.position());
    }

    void send(byte[] datagram) throws IOException {
        socket.send(new DatagramPacket(datagram, datagram.length));
    }

    /** Whether a reply to the call comes within a second; other datagrams are passed over. */
    boolean awaitsReply(ConnectionId connection, long timestampMicros) throws IOException {
        byte[] bytes = new byte[RpcDatagrams.MAX_DATAGRAM];
        while (true) {
            DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
            try {
                socket.receive(packet);
                ByteBuffer content = ByteBuffer.wrap(bytes, 0, Math.max(0, packet.getLength() - RpcDatagrams.SEAL));
                Datagram answer = RpcDatagrams.decode(content);
                if (answer.connection().equals(connection)
                        && answer.timestampMicros() == timestampMicros
                        && answer.kind() == Datagram.Kind.REPLY) {
                    return true;
                }
            } catch (SocketTimeoutException | MalformedFrameException e) {
                return false;
            }
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
