package org.amo.examples.chat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.base.DaemonThreads;

/** A link between one client and a server that loses and doubles datagrams, from a seed. */
final class LossyLink implements AutoCloseable {
    private final DatagramSocket front = socket();
    private final DatagramSocket back = socket();
    private final AtomicReference<SocketAddress> client = new AtomicReference<>(front.getLocalSocketAddress());
    private final AtomicLong lost = new AtomicLong();
    private final double loss;

    LossyLink(InetSocketAddress server, double loss, long seed) throws SocketException {
        this.loss = loss;
        start("amo-chat-link-there", front, back, new AtomicReference<>(server), new Random(seed), true);
        start("amo-chat-link-back", back, front, client, new Random(seed + 1), false);
    }

    private static DatagramSocket socket() throws SocketException {
        return new DatagramSocket(0, InetAddress.getLoopbackAddress());
    }

    InetSocketAddress address() {
        return (InetSocketAddress) front.getLocalSocketAddress();
    }

    /** Datagrams that were lost. */
    long lost() {
        return lost.get();
    }

    private void start(
            String name,
            DatagramSocket from,
            DatagramSocket to,
            AtomicReference<? extends SocketAddress> target,
            Random random,
            boolean learns) {
        DaemonThreads.start(name, () -> carry(from, to, target, random, learns));
    }

    private void carry(
            DatagramSocket from,
            DatagramSocket to,
            AtomicReference<? extends SocketAddress> target,
            Random random,
            boolean learns) {
        DatagramPacket packet = new DatagramPacket(new byte[65_507], 65_507);
        try {
            while (!from.isClosed()) {
                packet.setLength(65_507);
                from.receive(packet);
                if (learns) {
                    client.set(packet.getSocketAddress());
                }
                if (random.nextDouble() < loss) {
                    lost.incrementAndGet();
                    continue;
                }
                packet.setSocketAddress(target.get());
                to.send(packet);
                if (random.nextDouble() < loss) {
                    to.send(packet);
                }
            }
        } catch (IOException e) {
            if (!from.isClosed() && !to.isClosed()) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        front.close();
        back.close();
    }
}
