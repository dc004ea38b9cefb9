package org.amo.lab.chaos;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The network of a chaos run with datagrams, before a member that sends back each datagram and all bytes. */
@Timeout(30)
final class ClientRelayTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final int DATAGRAMS = 1_000;
    private static final int BATCH = 50;

    @Test
    void aFifthIsLostAFifthComesAgainAndConnectionsPass() throws Exception {
        try (ServerSocket tcp = new ServerSocket(0, 10, HERE);
                DatagramSocket udp = new DatagramSocket(new InetSocketAddress(HERE, tcp.getLocalPort()));
                DatagramSocket client = new DatagramSocket(new InetSocketAddress(HERE, 0))) {
            DaemonThreads.start("amo-test-tcp", () -> echo(tcp));
            DaemonThreads.start("amo-test-udp", () -> echo(udp));
            Member member = new Member("a", HERE.getHostAddress(), 1, tcp.getLocalPort());
            try (ClientRelay relay = new ClientRelay(HERE.getHostAddress(), member, 1)) {
                Member reached = relay.reached(member);
                Map<Integer, AtomicInteger> back = new ConcurrentHashMap<>();
                DaemonThreads.start("amo-test-client", () -> count(client, back));
                for (int number = 0; number < DATAGRAMS; number++) {
                    byte[] bytes = ByteBuffer.allocate(4).putInt(number).array();
                    client.send(new DatagramPacket(bytes, 4, HERE, reached.clientPort()));
                    if (number % BATCH == 0) {
                        // The kernel's buffers hold some hundreds.
                        int sent = number;
                        await().pollInterval(Duration.ofMillis(1)).until(() -> relay.carried() >= 1.5 * sent);
                    }
                }
                // Of 1,000 there, 800 arrive and 160 twice; of 960 back, 768 arrive.
                await().until(() -> relay.carried() > 1_850 && back.size() > 550);
                assertEquals(0.2, (double) relay.lost() / relay.carried(), 0.05);
                assertEquals(0.16, (double) relay.repeated() / relay.carried(), 0.05);
                assertTrue(back.size() < 850, "some are lost: " + back.size());
                await().until(() -> back.values().stream().anyMatch(times -> times.get() > 1));

                try (Socket connection = new Socket(HERE, reached.clientPort())) {
                    byte[] bytes = new byte[100_000];
                    bytes[99_999] = 7;
                    connection.getOutputStream().write(bytes);
                    assertArrayEquals(bytes, connection.getInputStream().readNBytes(bytes.length));
                }
            }
        }
    }

    private static void echo(ServerSocket listening) {
        try (Socket accepted = listening.accept()) {
            accepted.getInputStream().transferTo(accepted.getOutputStream());
        } catch (IOException e) {
            // The test is over.
            return;
        }
    }

    private static void echo(DatagramSocket socket) {
        DatagramPacket packet = new DatagramPacket(new byte[100], 100);
        try {
            while (true) {
                socket.receive(packet);
                socket.send(packet);
            }
        } catch (IOException e) {
            // The test is over.
            return;
        }
    }

    private static void count(DatagramSocket client, Map<Integer, AtomicInteger> back) {
        DatagramPacket packet = new DatagramPacket(new byte[100], 100);
        try {
            while (true) {
                client.receive(packet);
                back.computeIfAbsent(ByteBuffer.wrap(packet.getData()).getInt(), number -> new AtomicInteger())
                        .incrementAndGet();
            }
        } catch (IOException e) {
            // The test is over.
            return;
        }
    }
}
