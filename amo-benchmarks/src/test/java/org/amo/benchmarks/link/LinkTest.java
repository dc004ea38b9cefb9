package org.amo.benchmarks.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
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
        LinkDirection direction = new LinkDirection(new LinkSettings(0, 8, 0, 100_000, 1), 1);
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
        LinkSettings lossy = new LinkSettings(0, 0, 0.05, 1 << 20, 7);
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

    /** Real TCP of the kernel between two namespaces; left out where they are not permitted. */
    @Test
    void tcpGoesThroughTheLinkAndTakesTwoDelays() throws Exception {
        LinkEmulator opened;
        try {
            opened = LinkEmulator.open(LinkSettings.delay(20_000));
        } catch (LinkUnavailableException e) {
            assertFalse(e.getMessage().isBlank());
            Assumptions.abort(e.getMessage());
            return;
        }
        try (LinkEmulator link = opened) {
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
