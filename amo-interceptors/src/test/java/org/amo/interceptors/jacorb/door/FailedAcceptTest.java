package org.amo.interceptors.jacorb.door;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLServerSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An accept that fails takes some time, since JacORB accepts again at once. */
@Timeout(60)
final class FailedAcceptTest {
    private static final int FAILURES = 30;
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final GiopDoor door = new GiopDoor(GiopDoorTest.LIMITS);

    @Test
    void anAcceptThatFailsPauses() throws IOException {
        try (GuardedServerSocket socket = new GuardedServerSocket(door)) {
            socket.bind(new InetSocketAddress(HERE, 0));
            assertPauses(socket);
        }
    }

    @Test
    void anInterruptedThreadPausesToo() throws IOException {
        Thread.currentThread().interrupt();
        try (GuardedServerSocket socket = new GuardedServerSocket(door)) {
            socket.bind(new InetSocketAddress(HERE, 0));
            assertPauses(socket);
        } finally {
            assertTrue(Thread.interrupted(), "it stays interrupted");
        }
    }

    @Test
    void anAcceptOfSslThatFailsPauses() throws IOException {
        SSLServerSocket inner =
                (SSLServerSocket) SSLServerSocketFactory.getDefault().createServerSocket(0, 5, HERE);
        try (GuardedSslServerSocket socket = new GuardedSslServerSocket(door, inner)) {
            assertPauses(socket);
        }
    }

    /** It fails because nothing connects within a millisecond. */
    private static void assertPauses(ServerSocket socket) throws IOException {
        socket.setSoTimeout(1);
        long began = System.nanoTime();
        for (int i = 0; i < FAILURES; i++) {
            assertThrows(IOException.class, socket::accept);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        assertTrue(millis >= 10 * FAILURES, FAILURES + " failures took " + millis + " ms");
    }
}
