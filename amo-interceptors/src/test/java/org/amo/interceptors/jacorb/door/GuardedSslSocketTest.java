package org.amo.interceptors.jacorb.door;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.amo.interceptors.server.KeyStores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections of an SSLIOP port: the limits count what has been decrypted. */
@Timeout(60)
class GuardedSslSocketTest {
    private static final int KB = 1 << 10;

    @TempDir
    private Path folder;

    /** The common pool has one thread on two processors, and these tasks block. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final GiopDoor door = new GiopDoor(GiopDoorTest.LIMITS);
    private GuardedSslServerSocket listening;
    private SSLSocket client;
    private GuardedSslSocket server;

    @BeforeEach
    void connect() throws Exception {
        SSLContext context = context();
        InetAddress here = InetAddress.getLoopbackAddress();
        listening = new GuardedSslServerSocket(
                door, (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 5, here));
        client = (SSLSocket) context.getSocketFactory().createSocket(here, listening.getLocalPort());
        client.setSoTimeout(20_000);
        server = (GuardedSslSocket) listening.accept();
    }

    @AfterEach
    void close() throws IOException {
        listening.close();
        server.connection().abort();
        client.setSoLinger(true, 0);
        client.close();
        threads.shutdownNow();
    }

    private SSLContext context() throws Exception {
        KeyStore store = KeyStore.getInstance("JKS");
        char[] password = KeyStores.PASSWORD.toCharArray();
        store.load(Files.newInputStream(KeyStores.selfSigned(folder, "port")), password);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static byte[] header(int claims) {
        return ByteBuffer.allocate(12)
                .put(new byte[] {'G', 'I', 'O', 'P', 1, 2, 0, 0})
                .putInt(claims)
                .array();
    }

    /** Reads in a thread of its own, as JacORB does; so the handshake goes on. */
    private CompletableFuture<byte[]> read(int length) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return server.getInputStream().readNBytes(length);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                threads);
    }

    @Test
    void aWholeMessageIsDecryptedAndHandedOut() throws Exception {
        byte[] message = ByteBuffer.allocate(16).put(header(4)).putInt(7).array();
        message[7] = 2; // CancelRequest
        CompletableFuture<byte[]> taken = read(message.length);
        client.getOutputStream().write(message);
        assertArrayEquals(message, taken.get(20, TimeUnit.SECONDS));
        assertTrue(server.getSession().isValid());
        assertEquals(client.getLocalPort(), server.getPort());
        assertEquals(1, door.connections());
        server.close();
        await().until(() -> door.connections() == 0);
    }

    @Test
    void aMessageThatClaimsMoreThanIsTakenEndsTheConnection() throws Exception {
        CompletableFuture<byte[]> refused = read(1);
        client.getOutputStream().write(header(256 * KB));
        assertThrows(Exception.class, () -> refused.get(20, TimeUnit.SECONDS));
        await().until(() -> server.isClosed());
        assertThrows(IOException.class, () -> {
            if (client.getInputStream().read() < 0) {
                throw new IOException("the end of the stream");
            }
        });
    }

    @Test
    void aConnectionIsEndedWhileItsHandshakeIsAwaited() throws Exception {
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), listening.getLocalPort())) {
            GuardedSslSocket accepted = (GuardedSslSocket) listening.accept();
            CountDownLatch reading = new CountDownLatch(1);
            CompletableFuture<Integer> reader = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            reading.countDown();
                            return accepted.getInputStream().read();
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    threads);
            reading.await();
            CompletableFuture.runAsync(() -> accepted.connection().abort(), threads)
                    .get(10, TimeUnit.SECONDS);
            silent.setSoTimeout(10_000);
            assertThrows(Exception.class, () -> reader.get(10, TimeUnit.SECONDS));
            assertTrue(silent.getInputStream().readAllBytes().length < 20, "an alert of TLS at most");
        }
    }

    @Test
    void aPeerThatDoesNotReadCannotHoldUpTheEndOfItsConnection() throws Exception {
        CompletableFuture<byte[]> reader = read(1);
        client.startHandshake();
        CountDownLatch writing = new CountDownLatch(1);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(
                () -> {
                    try {
                        while (true) {
                            server.getOutputStream().write(new byte[64 * KB]);
                            writing.countDown();
                        }
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                threads);
        writing.await();
        CompletableFuture.runAsync(() -> server.connection().abort(), threads).get(10, TimeUnit.SECONDS);
        assertThrows(Exception.class, () -> writer.get(10, TimeUnit.SECONDS));
        // As at the end of the stream, or by an exception.
        assertEquals(
                0,
                reader.handle((read, failed) -> failed == null ? read.length : 0)
                        .get(10, TimeUnit.SECONDS));
    }
}
