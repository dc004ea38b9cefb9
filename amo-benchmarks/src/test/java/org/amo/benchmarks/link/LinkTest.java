package org.amo.benchmarks.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class LinkTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void aPacketArrivesAfterTheDelayAndNotBefore() {
        LinkDirection direction = new LinkDirection(LinkSettings.delay(5_000), 1);
        direction.enter(new byte[] {1}, 100);
        assertTrue(direction.leave(5_000_099).isEmpty());
        assertArrayEquals(new byte[] {1}, direction.leave(5_000_100).orElseThrow());
        assertEquals(Long.MAX_VALUE, direction.nextArrivalNanos());
    }

    @Test
    void theRateIsKeptInVirtualTimeAndAFullQueueDrops() {
        LinkDirection direction = new LinkDirection(LinkSettings.delay(0).rate(8, 100_000), 1);
        for (int i = 0; i < 1_000; i++) {
            direction.enter(new byte[986], 0);
        }
        int carried = 0;
        while (direction.leave(10 * SECOND).isPresent()) {
            carried++;
        }
        assertEquals(101, carried, "1,000 bytes with their frame take 1 ms; 100 kB may wait");
        assertEquals(1_000 - carried, direction.statistics().dropped());
    }

    @Test
    void lossIsSeeded() {
        LinkSettings lossy = LinkSettings.delay(0).loss(0.05);
        LinkDirection one = new LinkDirection(lossy, 7);
        LinkDirection same = new LinkDirection(lossy, 7);
        for (int i = 0; i < 20_000; i++) {
            one.enter(new byte[1], i);
            same.enter(new byte[1], i);
        }
        assertEquals(one.statistics(), same.statistics());
        assertTrue(
                Math.abs(one.statistics().lost() - 1_000) < 150,
                one.statistics().toString());
    }

    @Test
    void copiesArriveAndTakeUpTheRate() {
        LinkDirection direction =
                new LinkDirection(LinkSettings.delay(0).rate(8, 1 << 30).duplication(0.2), 3);
        for (int i = 0; i < 10_000; i++) {
            direction.enter(new byte[986], 0);
        }
        int carried = 0;
        long last = 0;
        while (direction.nextArrivalNanos() < Long.MAX_VALUE) {
            last = direction.nextArrivalNanos();
            assertTrue(direction.leave(last).isPresent());
            carried++;
        }
        assertEquals(10_000 + direction.statistics().doubled(), carried);
        assertTrue(Math.abs(carried - 12_000) < 150, carried + " packets");
        assertEquals(carried * 1_000_000L, last, "1 ms each");
    }

    @Test
    void heldPacketsAreOvertakenAndTheOthersKeepTheirOrder() {
        LinkDirection direction = new LinkDirection(LinkSettings.delay(1_000).reordering(0.2, 500), 4);
        for (int i = 0; i < 200; i++) {
            direction.enter(new byte[] {(byte) i}, i * 10_000L);
        }
        int highest = -1;
        int overtaken = 0;
        for (int i = 0; i < 200; i++) {
            int number = direction.leave(direction.nextArrivalNanos()).orElseThrow()[0] & 0xFF;
            overtaken += number < highest ? 1 : 0;
            highest = Math.max(highest, number);
        }
        long held = direction.statistics().held();
        assertTrue(held > 20 && held < 60, held + " held");
        assertTrue(overtaken > 10 && overtaken <= held, overtaken + " overtaken of " + held + " held");
    }

    @Test
    void aLinkThatCannotBeIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> LinkSettings.delay(0).duplication(1.5));
        assertThrows(IllegalArgumentException.class, () -> LinkSettings.delay(-1));
    }

    /** Ping's round trip is two delays, whatever the kernel adds; left out where namespaces are not permitted. */
    @Test
    void pingTakesTwoDelays() throws Exception {
        try (LinkEmulator link = openOrSkip(LinkSettings.delay(10_000))) {
            long[] nanos = link.onLeft(() -> {
                long[] times = new long[20];
                for (int i = 0; i < times.length; i++) {
                    long start = System.nanoTime();
                    // As root this is an ICMP echo, sent by this thread's network.
                    assertTrue(LinkEmulator.right(0).getAddress().isReachable(2_000));
                    times[i] = System.nanoTime() - start;
                }
                return times;
            });
            Arrays.sort(nanos);
            assertTrue(nanos[0] >= 20_000_000, "least " + nanos[0]);
            assertTrue(
                    nanos[5] < 22_000_000, "of 20 pings five must be on time within 10 %: " + Arrays.toString(nanos));
        }
    }

    /**
     * A bulk transfer of the kernel's TCP gets what the rate leaves after the headers, within some per cent. Buffers are
     * large, so that the kernel goes on while these threads wait for a processor.
     */
    @Test
    void bulkTcpGetsTheRate() throws Exception {
        double megabits = 4;
        int length = 1_500_000;
        try (LinkEmulator link = openOrSkip(LinkSettings.delay(2_000).rate(megabits, 30_000));
                ServerSocket server = link.onRight(() -> listening(1 << 20))) {
            CompletableFuture<Void> received = CompletableFuture.runAsync(() -> receive(server, length));
            long start = System.nanoTime();
            link.onLeft(() -> {
                try (Socket socket = new Socket()) {
                    socket.setSendBufferSize(4 << 20);
                    socket.connect(server.getLocalSocketAddress());
                    socket.getOutputStream().write(new byte[length]);
                    return received.get(60, TimeUnit.SECONDS);
                }
            });
            double share = length * 8_000.0 / (System.nanoTime() - start) / megabits;
            double ceiling = 1_448.0 / (1_500 + LinkDirection.OVERHEAD_BYTES);
            assertTrue(share > 0.93 * ceiling && share < 1.01 * ceiling, share / ceiling + " of the ceiling");
        }
    }

    /** On the side of the thread that calls it. */
    private static ServerSocket listening(int buffer) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReceiveBufferSize(buffer);
        server.bind(LinkEmulator.right(0));
        return server;
    }

    private static void receive(ServerSocket server, int length) {
        try (Socket socket = server.accept()) {
            assertEquals(length, socket.getInputStream().readNBytes(length).length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static LinkEmulator openOrSkip(LinkSettings settings) {
        try {
            return LinkEmulator.open(settings);
        } catch (LinkUnavailableException e) {
            assertFalse(e.getMessage().isBlank());
            return Assumptions.abort(e.getMessage());
        }
    }

    /** Real TCP of the kernel between two namespaces; left out where they are not permitted. */
    @Test
    void tcpGoesThroughTheLinkAndTakesTwoDelays() throws Exception {
        try (LinkEmulator link = openOrSkip(LinkSettings.delay(20_000))) {
            ServerSocket server = link.onRight(() -> new ServerSocket(0));
            CompletableFuture<Integer> received = CompletableFuture.supplyAsync(() -> {
                try (Socket socket = server.accept()) {
                    return socket.getInputStream().read();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            long nanos = link.onLeft(() -> {
                long start = System.nanoTime();
                try (Socket socket = new Socket()) {
                    socket.connect(LinkEmulator.right(server.getLocalPort()), 20_000);
                    long connected = System.nanoTime() - start;
                    socket.getOutputStream().write(42);
                    return connected;
                }
            });
            assertTrue(nanos >= 40_000_000, "a connect is a round trip of 40 ms at least: " + nanos);
            assertEquals(42, received.get(20, TimeUnit.SECONDS));
            assertTrue(link.toRight().carried() >= 3);
            server.close();
        }
    }
}
