package org.amo.replication.order.group;

import static org.awaitility.Awaitility.await;
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
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.amo.base.DaemonThreads;
import org.amo.base.SecretRing;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdmittingServerSocketTest {
    /** Cookie, version, size of the address, address, and two bytes of what comes after the greeting. */
    private static final byte[] GREETING = {1, 2, 3, 4, 0, 9, 0, 7, 4, 127, 0, 0, 1, 0x1F, 0x40, 42, 43};

    private static final int GREETING_BYTES = GREETING.length - 2;
    private static final int MOST_AT_ONCE = 64;

    private final List<Socket> sockets = new ArrayList<>();
    private final List<VirtualMachineError> fatal = new CopyOnWriteArrayList<>();
    private ServerSocket server;

    AdmittingServerSocketTest() throws IOException {
        server = new GreetedSockets(AdmittingServerSocketTest::thread, fatal::add, Optional.empty())
                .createServerSocket("test");
    }

    private static Thread thread(Runnable task) {
        return DaemonThreads.unstarted("amo-test-greeting", task);
    }

    @BeforeEach
    void listen() throws IOException {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    }

    /** In the place of the socket before. */
    private void listen(ServerSocket next) throws IOException {
        server.close();
        server = next;
        listen();
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

    /** JGroups would read the rest of such an address in its acceptor. */
    @Test
    void anAddressWithoutTheLengthOfItsHostIsRefused() throws IOException {
        for (int[] lengths : new int[][] {{0, 4}, {6, 4}, {8, 4}, {7, 16}, {23, 4}, {7, 0}, {22, 16}, {-1, 4}}) {
            byte[] greeting = Arrays.copyOf(GREETING, 64);
            greeting[6] = (byte) (lengths[0] >> 8);
            greeting[7] = (byte) lengths[0];
            greeting[8] = (byte) lengths[1];
            Socket stranger = connect();
            stranger.getOutputStream().write(greeting);
            assertEnded(stranger);
        }
        byte[] longer = Arrays.copyOf(GREETING, 8 + 23);
        longer[7] = 23;
        longer[8] = 16;
        connect().getOutputStream().write(longer);
        try (Socket accepted = server.accept()) {
            assertArrayEquals(longer, accepted.getInputStream().readNBytes(longer.length));
        }
    }

    @Test
    void theOldestFromTheMostCrowdedAddressGivesWayToANewcomer() throws IOException {
        Socket oldest = connect();
        for (int i = 1; i < MOST_AT_ONCE; i++) {
            connect();
        }
        connect().getOutputStream().write(GREETING);
        try (Socket accepted = server.accept()) {
            assertEquals(1, accepted.getInputStream().read());
        }
        assertEnded(oldest);
    }

    @Test
    void anErrorOfTheVirtualMachineIsToldAndTheNextConnectionIsAccepted() throws IOException {
        AtomicInteger threads = new AtomicInteger();
        listen(new GreetedSockets(
                        task -> {
                            if (threads.incrementAndGet() == 2) {
                                throw new OutOfMemoryError("unable to create native thread");
                            }
                            return thread(task);
                        },
                        fatal::add,
                        Optional.empty())
                .createServerSocket("test"));
        assertEnded(connect());
        await().atMost(10, TimeUnit.SECONDS).until(() -> fatal.size() == 1);
        connect().getOutputStream().write(GREETING);
        try (Socket accepted = server.accept()) {
            assertEquals(1, accepted.getInputStream().read());
        }
    }

    @Test
    void anErrorWhileAConnectionProvesItselfIsToldAndClosesIt() throws IOException {
        listen(new AdmittingServerSocket(AdmittingServerSocketTest::thread, fatal::add, connection -> {
            throw new StackOverflowError();
        }));
        assertEnded(connect());
        await().atMost(10, TimeUnit.SECONDS).until(() -> fatal.size() == 1);
    }

    @Test
    void aHandshakeThatComesAByteAtATimeEnds() throws Exception {
        SSLContext context = SSLContext.getDefault();
        listen(new TlsSockets(() -> context, AdmittingServerSocketTest::thread, fatal::add).createServerSocket("test"));
        Socket stranger = connect();
        // The head of a record that would take 16,384 bytes.
        stranger.getOutputStream().write(new byte[] {22, 3, 1, 0x40, 0});
        long began = System.nanoTime();
        await().atMost(20, TimeUnit.SECONDS).until(() -> {
            stranger.setSoTimeout(300);
            try {
                stranger.getOutputStream().write(0);
                return stranger.getInputStream().read() < 0;
            } catch (SocketTimeoutException e) {
                return false;
            } catch (SocketException e) {
                return true;
            }
        });
        assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(9), "it went on after 5 s");
    }

    @Test
    void withASecretAConnectionIsAcceptedOnceItsFirstFrameOpened() throws IOException {
        FrameSeal seal = listenWithSecret();
        byte[] strange = frame(new FrameSeal("bank", SecretRing.of("5f".repeat(32))));
        Socket silent = connect();
        silent.getOutputStream().write(GREETING, 0, GREETING_BYTES);
        Socket forged = connect();
        forged.getOutputStream().write(strange);
        assertEnded(forged);
        Socket farewell = connect();
        farewell.getOutputStream()
                .write(ByteBuffer.allocate(GREETING_BYTES + 4)
                        .put(GREETING, 0, GREETING_BYTES)
                        .putInt(-5)
                        .array());
        assertEnded(farewell);
        byte[] ours = frame(new FrameSeal("bank", SecretRing.of("5e".repeat(32))));
        connect().getOutputStream().write(ours);
        try (Socket accepted = server.accept()) {
            assertArrayEquals(ours, accepted.getInputStream().readNBytes(ours.length), "all is read again");
            assertEquals(0, accepted.getSoTimeout());
        }
        assertTrue(
                seal.open(ours, GREETING_BYTES + 4, ours.length - GREETING_BYTES - 4)
                        .isPresent(),
                "it is still new");
        Socket recording = connect();
        recording.getOutputStream().write(ours);
        assertEnded(recording);
        silent.setSoTimeout(1);
        assertThrows(SocketTimeoutException.class, () -> silent.getInputStream().read(), "it is still open");
    }

    private FrameSeal listenWithSecret() throws IOException {
        FrameSeal seal = new FrameSeal("bank", SecretRing.of("5e".repeat(32)));
        OrderDoor door = new OrderDoor(new SealedTcp(seal)::proves);
        listen(new GreetedSockets(AdmittingServerSocketTest::thread, fatal::add, Optional.of(door))
                .createServerSocket("test"));
        return seal;
    }

    /** A greeting, and a frame behind it. */
    private static byte[] frame(FrameSeal seal) {
        byte[] sealed = seal.seal(new byte[] {42}, 0, 1);
        return ByteBuffer.allocate(GREETING_BYTES + 4 + sealed.length)
                .put(GREETING, 0, GREETING_BYTES)
                .putInt(sealed.length)
                .put(sealed)
                .array();
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

    @Test
    void aConnectionThatProvesItselfEndsWithTheServerSocket() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        listen(new AdmittingServerSocket(AdmittingServerSocketTest::thread, fatal::add, connection -> {
            begun.countDown();
            throw new IOException(
                    "a byte came, or the end: " + connection.getInputStream().read());
        }));
        Socket silent = connect();
        assertTrue(begun.await(10, TimeUnit.SECONDS));
        server.close();
        assertEnded(silent);
    }

    @Test
    void aConnectionThatHasProvedItselfWhenTheServerSocketClosesIsClosed() throws Exception {
        Socket proved = new Socket();
        listen(new AdmittingServerSocket(AdmittingServerSocketTest::thread, fatal::add, connection -> {
            server.close();
            return proved;
        }));
        connect();
        await().atMost(10, TimeUnit.SECONDS).until(proved::isClosed);
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
