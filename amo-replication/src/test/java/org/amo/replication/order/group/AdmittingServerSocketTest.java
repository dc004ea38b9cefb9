package org.amo.replication.order.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdmittingServerSocketTest {
    /** Cookie, version, size of the address, address, and two bytes of what comes after the greeting. */
    private static final byte[] GREETING = {1, 2, 3, 4, 0, 9, 0, 3, 7, 7, 7, 42, 43};

    private final List<Socket> sockets = new ArrayList<>();
    private final ServerSocket server;

    AdmittingServerSocketTest() throws IOException {
        server = new GreetedSockets(task -> {
                    Thread thread = new Thread(task, "amo-test-greeting");
                    thread.setDaemon(true);
                    return thread;
                })
                .createServerSocket("test");
    }

    @BeforeEach
    void listen() throws IOException {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    }

    @AfterEach
    void closeAll() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void whatWasReadOfTheGreetingIsReadAgain() throws IOException {
        connect().getOutputStream().write(GREETING);
        try (Socket accepted = server.accept()) {
            assertArrayEquals(GREETING, accepted.getInputStream().readNBytes(GREETING.length));
            assertEquals(0, accepted.getSoTimeout());
        }
    }

    @Test
    void silentConnectionsHoldUpNobody() throws IOException {
        for (int i = 0; i < 40; i++) {
            connect();
        }
        long began = System.nanoTime();
        connect().getOutputStream().write(GREETING);
        try (Socket accepted = server.accept()) {
            assertEquals(1, accepted.getInputStream().read());
            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(2), "it waited for the silent ones");
        }
    }

    /** One byte at a time would keep a time-out of each read from passing. */
    @Test
    void aConnectionThatSaysSomethingElseIsClosed() throws IOException {
        Socket stranger = connect();
        stranger.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        assertEnded(stranger);
    }

    @Test
    void aConnectionThatStopsInItsGreetingIsClosed() throws IOException {
        Socket stranger = connect();
        stranger.getOutputStream().write(GREETING, 0, 9);
        assertEnded(stranger);
    }

    @Test
    void acceptEndsWhenTheSocketIsClosed() throws Exception {
        CompletableFuture<Socket> accepting = CompletableFuture.supplyAsync(() -> {
            try {
                return server.accept();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        server.close();
        ExecutionException why = assertThrows(ExecutionException.class, () -> accepting.get(5, TimeUnit.SECONDS));
        assertTrue(why.getCause().getCause() instanceof SocketException);
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
        sockets.add(socket);
        return socket;
    }

    private static void assertEnded(Socket stranger) throws IOException {
        stranger.setSoTimeout(10_000);
        try {
            assertEquals(-1, stranger.getInputStream().read());
        } catch (SocketException e) {
            assertTrue(e.getMessage().contains("reset"), e.getMessage());
        }
    }
}
