package org.amo.replication.rpc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.core.client.Attempt;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.service.Certificates;
import org.amo.replication.tls.KeyStores;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Handshakes of strangers at the port for Java clients; their cryptography takes as long as the test wants. */
@Timeout(60)
final class TlsHandshakesTest {
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final int MOST = 256;
    private static final Duration BOUND = Duration.ofSeconds(20);

    @TempDir
    private Path folder = Path.of("unset");

    private final HeldService service = new HeldService();
    private final List<Socket> open = new ArrayList<>();
    private final AtomicInteger computing = new AtomicInteger();
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Logger netty = Logger.getLogger("io.netty.channel.DefaultChannelPipeline");
    private final Handler hearing = new Handler() {
        @Override
        public void publish(LogRecord line) {
            told.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private volatile boolean stalls;
    private long copies;
    private Optional<SSLContext> context = Optional.empty();
    private Optional<FrameServer> server = Optional.empty();

    @BeforeEach
    void listen() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.selfSigned("member");
        certificates.trust("trusts-member", "member");
        KeyManager[] keys = KeyStores.keys(certificates.file("member"), Certificates.PASSWORD);
        SSLContext made = KeyStores.context(
                new KeyManager[] {new SlowKeys((X509ExtendedKeyManager) keys[0])},
                KeyStores.trusted(certificates.file("trusts-member"), Certificates.PASSWORD));
        context = Optional.of(made);
        server = Optional.of(FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1)
                        .tls(Optional.of(new RpcTls(() -> made, false)))
                        .build(),
                service));
    }

    @BeforeEach
    void hearNetty() {
        netty.addHandler(hearing);
    }

    @AfterEach
    void close() throws IOException {
        netty.removeHandler(hearing);
        goesOn.countDown();
        for (Socket each : open) {
            each.close();
        }
        server.orElseThrow().close();
    }

    @Test
    void handshakesThatStallKeepNoOtherClientFromBeingServed() throws Exception {
        Socket honest = greeted(overTls(connected()));
        answered(honest);
        stalls = true;
        byte[] hello = clientHello();
        List<Socket> strangers = new ArrayList<>();
        for (int i = 0; i < 2 * MOST; i++) {
            Socket stranger = connected();
            strangers.add(stranger);
            stranger.getOutputStream().write(hello);
        }
        await().atMost(BOUND).until(() -> computing.get() == 2);
        // All others compute or wait for that, and come from the same address.
        strangers.get(2 * MOST - 1).setSoTimeout(5_000);
        assertEquals(-1, strangers.get(2 * MOST - 1).getInputStream().read());
        assertEquals(List.of(), told, "Netty tells of exceptions that no handler takes");
        answered(honest);
        refusedInTheClear();
        // An engine that computes must not be waited for when its connection ends.
        for (Socket stranger : strangers) {
            stranger.setSoLinger(true, 0);
            stranger.close();
        }
        refusedInTheClear();
        answered(honest);
        assertEquals(2, computing.get());
        goesOn.countDown();
        await().atMost(BOUND).ignoreExceptionsInstanceOf(IOException.class).untilAsserted(() -> {
            answered(greeted(overTls(connected())));
        });
    }

    @Test
    void aHandshakeTakesThePlaceOfOneThatItsPeerHoldsUp() throws Exception {
        List<Socket> strangers = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            Socket stranger = connected();
            stranger.getOutputStream().write(22);
            strangers.add(stranger);
        }
        // The next byte is read after those.
        refusedInTheClear();
        // Sooner than a handshake ends by its own time.
        await().atMost(Duration.ofSeconds(6))
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(() -> answered(greeted(overTls(connected()))));
        assertEquals(-1, strangers.get(0).getInputStream().read());
    }

    @Test
    void aHandshakeFromAnotherAddressTakesThePlaceOfTheOldestOfTheCrowd() throws Exception {
        stalls = true;
        byte[] hello = clientHello();
        List<Socket> strangers = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            Socket stranger = connected();
            strangers.add(stranger);
            stranger.getOutputStream().write(hello);
        }
        await().atMost(BOUND).until(() -> computing.get() == 2);
        Socket other = connected(2);
        other.getOutputStream().write(hello);
        assertEquals(-1, strangers.get(0).getInputStream().read());
        goesOn.countDown();
        assertEquals(22, other.getInputStream().read(), "it is answered, as are those before it");
        assertEquals(22, strangers.get(MOST - 1).getInputStream().read());
    }

    /** As after the death of a member: those that came first are served, and the others come again. */
    @Test
    void manyClientsThatConnectAtOnceAreAllServed() throws Exception {
        stalls = true;
        int late = 44;
        CountDownLatch greeted = new CountDownLatch(MOST + late);
        AtomicInteger attempts = new AtomicInteger();
        AtomicInteger repeating = new AtomicInteger();
        for (int i = 0; i < MOST + late; i++) {
            DaemonThreads.start("amo-client-" + i, () -> greetAtLast(greeted, attempts, repeating));
        }
        await().atMost(BOUND).until(() -> attempts.get() > 3 * (MOST + late));
        assertEquals(late, repeating.get(), "clients that came again while the others waited");
        goesOn.countDown();
        assertTrue(greeted.await(BOUND.toSeconds(), TimeUnit.SECONDS), () -> greeted.getCount() + " were not greeted");
    }

    private void greetAtLast(CountDownLatch greeted, AtomicInteger attempts, AtomicInteger repeating) {
        for (int attempt = 1; greeted.getCount() > 0; attempt++) {
            attempts.incrementAndGet();
            if (attempt == 2) {
                repeating.incrementAndGet();
            }
            try (Socket raw = new Socket(
                    InetAddress.getLoopbackAddress(), server.orElseThrow().port())) {
                raw.setSoTimeout((int) BOUND.toMillis());
                greeted(overTls(raw));
                greeted.countDown();
                return;
            } catch (IOException e) {
                // As a client's pause between two members.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    private Socket connected() throws IOException {
        return connected(1);
    }

    /** @param last number of the client's address, 127.0.0.LAST */
    private Socket connected(int last) throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(),
                server.orElseThrow().port(),
                InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last}),
                0);
        open.add(socket);
        socket.setSoTimeout(10_000);
        return socket;
    }

    private Socket overTls(Socket connected) throws IOException {
        return context.orElseThrow()
                .getSocketFactory()
                .createSocket(connected, "127.0.0.1", server.orElseThrow().port(), true);
    }

    private static void hello(Socket socket) throws IOException {
        socket.getOutputStream().write(RpcFrames.PREAMBLE);
        frame(socket, RpcFrames.hello(new RpcFrames.Hello("group", new byte[RpcFrames.SALT_BYTES], new byte[0])));
    }

    private static Socket greeted(Socket socket) throws IOException {
        hello(socket);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.skipNBytes(RpcFrames.PREAMBLE.length);
        assertEquals(RpcFrames.WELCOME, RpcFrames.kind(in.readNBytes(in.readInt())));
        return socket;
    }

    /** A client without TLS is told so. */
    private void refusedInTheClear() throws IOException {
        Socket socket = connected();
        hello(socket);
        try {
            String told = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertTrue(told.contains("asks for TLS"), told);
        } catch (SocketException e) {
            throw new AssertionError("it was not served", e);
        }
    }

    private void answered(Socket socket) throws IOException {
        copies++;
        frame(
                socket,
                RpcFrames.request(
                        CLIENT,
                        new Attempt(
                                copies,
                                RequestId.own(CLIENT, copies),
                                1,
                                2,
                                false,
                                FinishedNumbers.NONE,
                                new byte[16])));
        await().atMost(BOUND).until(() -> service.waiting.size() == 1);
        service.answerAll();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] frame = in.readNBytes(in.readInt());
        while (RpcFrames.kind(frame) == RpcFrames.STATE) {
            frame = in.readNBytes(in.readInt());
        }
        assertEquals(copies, RpcFrames.readAnswer(frame).copy());
    }

    private static void frame(Socket socket, byte[] frame) throws IOException {
        socket.getOutputStream()
                .write(ByteBuffer.allocate(4 + frame.length)
                        .putInt(frame.length)
                        .put(frame)
                        .array());
    }

    /** The first message of a client. */
    private byte[] clientHello() throws IOException {
        SSLEngine engine = context.orElseThrow().createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    /** Takes its time to choose the member's key, which is part of the cryptography of a handshake. */
    private final class SlowKeys extends X509ExtendedKeyManager {
        private final X509ExtendedKeyManager keys;

        SlowKeys(X509ExtendedKeyManager keys) {
            this.keys = keys;
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
            if (stalls && goesOn.getCount() > 0) {
                computing.incrementAndGet();
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return keys.chooseEngineServerAlias(keyType, issuers, engine);
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return keys.getClientAliases(keyType, issuers);
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return keys.chooseClientAlias(keyType, issuers, socket);
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return keys.getServerAliases(keyType, issuers);
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return keys.chooseServerAlias(keyType, issuers, socket);
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            return keys.getCertificateChain(alias);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return keys.getPrivateKey(alias);
        }
    }
}
