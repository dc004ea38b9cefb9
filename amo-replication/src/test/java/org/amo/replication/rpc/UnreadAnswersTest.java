package org.amo.replication.rpc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.core.client.Attempt;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.service.Certificates;
import org.amo.replication.tls.KeyStores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that clients of one member take by what they do not read, and by many small frames. */
@Timeout(60)
final class UnreadAnswersTest {
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final int MB = 1 << 20;
    private static final int DEAF = 4;

    /** Their answers are three times as long as all that the member keeps: a socket takes a part of them. */
    private static final int CALLS = 50;

    private static final int SHORT_ANSWERS = 6_000;
    private static final Duration LONG = Duration.ofSeconds(60);

    /** The first compiler alone makes AES-GCM slow, and tens of megabytes are encrypted here. */
    private static final String QUICK_CIPHER = "TLS_CHACHA20_POLY1305_SHA256";

    @TempDir
    private static Path folder = Path.of("unset");

    private static Optional<RpcTls> tls = Optional.empty();

    private final HeldService service = new HeldService();
    private final List<AutoCloseable> open = new ArrayList<>();
    private boolean overTls;
    private long copies;

    @BeforeAll
    static void makeCertificate() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.selfSigned("member");
        certificates.trust("trusts-member", "member");
        SSLContext made = KeyStores.context(
                KeyStores.keys(certificates.file("member"), Certificates.PASSWORD),
                KeyStores.trusted(certificates.file("trusts-member"), Certificates.PASSWORD));
        tls = Optional.of(new RpcTls(() -> made, false));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void clientsThatReadNothingGiveWayToThoseThatRead(boolean tlsIsOn) throws Exception {
        overTls = tlsIsOn;
        FrameServer server = server(64 * MB, 4 * MB, LONG);
        service.replyBytes = 256 << 10;
        Socket honest = greeted(server);
        List<Socket> deaf = new ArrayList<>();
        for (int i = 0; i < DEAF; i++) {
            deaf.add(greeted(server));
            for (int call = 0; call < CALLS; call++) {
                request(deaf.get(i), 16);
            }
            await().until(() -> service.waiting.size() == CALLS);
            service.answerAll();
            answered(honest);
            assertTrue(server.unreadBytes() <= 4 * MB, () -> server.unreadBytes() + " are unread");
        }
        for (Socket each : deaf) {
            assertTrue(readsToItsEnd(each));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneAnswerMayBeLongerThanAllThatIsKept(boolean tlsIsOn) throws Exception {
        overTls = tlsIsOn;
        FrameServer server = server(64 * MB, MB, LONG);
        service.replyBytes = 12 * MB;
        Socket client = greeted(server);
        request(client, 16);
        await().until(() -> service.waiting.size() == 1);
        service.answerAll();
        await().until(() -> server.unreadBytes() > 2 * MB);
        assertEquals(copies, answer(client).copy());
        await().until(() -> server.unreadBytes() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientThatTakesNothingForItsTimeIsLetGo(boolean tlsIsOn) throws Exception {
        overTls = tlsIsOn;
        FrameServer server = server(64 * MB, 1 << 30, Duration.ofSeconds(1));
        service.replyBytes = 12 * MB;
        Socket deaf = greeted(server);
        request(deaf, 16);
        await().until(() -> service.waiting.size() == 1);
        service.answerAll();
        await().until(() -> server.unreadBytes() > 0);
        await().until(() -> server.unreadBytes() == 0);
        assertTrue(readsToItsEnd(deaf));
    }

    /** The look after all connections is one task, repeated. */
    @Test
    void clientsAreLetGoThoughOneLookMeetsAnError() throws Exception {
        FrameServer server = server(64 * MB, 1 << 30, Duration.ofSeconds(1));
        service.replyBytes = 12 * MB;
        List<Socket> deaf = List.of(greeted(server), greeted(server));
        List<String> clients = deaf.stream()
                .map(each -> String.valueOf(each.getLocalSocketAddress()))
                .toList();
        AtomicInteger thrown = new AtomicInteger();
        Logger log = Logger.getLogger(FrameServer.class.getName());
        log.setFilter(line -> {
            if (clients.stream().anyMatch(line.getMessage()::contains) && thrown.getAndIncrement() == 0) {
                throw new NoClassDefFoundError("planted");
            }
            return true;
        });
        try {
            for (Socket each : deaf) {
                request(each, 16);
            }
            await().until(() -> service.waiting.size() == deaf.size());
            service.answerAll();
            await().until(() -> server.unreadBytes() > 12 * MB);
            await().until(() -> server.unreadBytes() == 0);
            assertTrue(thrown.get() > 0, "no look met the error");
        } finally {
            log.setFilter(null);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shortAnswersComeWholeAndInTheirOrderHoweverLateTheyAreRead(boolean tlsIsOn) throws Exception {
        overTls = tlsIsOn;
        FrameServer server = server(64 * MB, 1 << 30, LONG);
        Socket late = greeted(server);
        leaveShortAnswersUnread(server, late);
        for (int i = 1; i <= SHORT_ANSWERS; i++) {
            assertEquals(i, answer(late).copy());
        }
        await().until(() -> server.unreadBytes() == 0);
        answered(late);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shortAnswersAreForgottenOnceWithTheConnectionThatBreaksOffAmongThem(boolean tlsIsOn) throws Exception {
        overTls = tlsIsOn;
        FrameServer server = server(64 * MB, 1 << 30, LONG);
        Socket broken = greeted(server);
        Socket connected = (Socket) open.get(open.size() - 1);
        leaveShortAnswersUnread(server, broken);
        Socket other = greeted(server);
        connected.setSoLinger(true, 0);
        connected.close();
        await().until(() -> server.unreadBytes() == 0);
        answered(other);
        assertTrue(server.drain(10_000), "requests are under way");
        assertEquals(0, server.unreadBytes());
    }

    /** Many to a buffer. The sockets take some of them, the member keeps the rest. */
    private void leaveShortAnswersUnread(FrameServer server, Socket client) throws IOException {
        service.replyBytes = 2_000;
        requestsWithoutBodies(client, SHORT_ANSWERS);
        await().until(() -> service.waiting.size() == SHORT_ANSWERS);
        service.answerAll();
        await().until(() -> server.unreadBytes() > 2 * MB);
    }

    @Test
    void clientsThatReadNothingHoldUpTheLargeRequestsOfOthersForTheirTimeOnly() throws Exception {
        int large = 1_900_000;
        FrameServer server = server(5 * large - 100_000, 1 << 30, Duration.ofSeconds(1));
        service.replyBytes = 12 * MB;
        Socket deaf = greeted(server);
        Socket other = greeted(server);
        request(deaf, 16);
        for (int i = 0; i < 4; i++) {
            request(deaf, large);
        }
        await().until(() -> service.waiting.size() == 5);
        request(other, 16);
        request(other, large);
        await().until(() -> service.waiting.size() == 7);
        service.answerAll();
        await().until(() -> server.unreadBytes() > 20 * MB);
        service.replyBytes = 1;
        // The share of each is less than the member reads at once.
        for (int i = 0; i < 40; i++) {
            answered(greeted(server));
        }
        Socket honest = greeted(server);
        request(honest, large);
        await().until(() -> service.waiting.size() == 1);
        service.answerAll();
        assertEquals(copies, answer(honest).copy());
    }

    @Test
    void requestsWithoutBodiesAreCounted() throws Exception {
        FrameServer server = server(200_000, MB, LONG);
        requestsWithoutBodies(greeted(server), 7_000);
        await().until(() -> service.arrived.get() >= 200_000 / ServerConnection.FRAME_BYTES);
        await().during(Duration.ofMillis(300)).until(() -> service.arrived.get() < 4_000);
        while (service.arrived.get() < 7_000) {
            service.answerAll();
        }
    }

    @Test
    void requestsOfConnectionsThatHaveEndedAreCounted() throws Exception {
        FrameServer server = server(200_000, MB, LONG);
        for (int i = 0; i < 10; i++) {
            try (Socket socket = greeted(server)) {
                requestsWithoutBodies(socket, 2_000);
                await().until(() -> service.arrived.get() > 200_000 / ServerConnection.FRAME_BYTES);
                // A member that reads sees the end behind the requests, and ends, too.
                socket.setSoTimeout(500);
                socket.shutdownOutput();
                readsToItsEnd(socket);
            }
        }
        await().during(Duration.ofMillis(300)).until(() -> service.arrived.get() < 6_000);
        service.answerAll();
        answered(greeted(server));
    }

    @Test
    void acknowledgementsAreCountedUntilTheyAreTaken() throws Exception {
        FrameServer server = server(200_000, MB, LONG);
        Socket socket = greeted(server);
        byte[] frame = RpcFrames.finished(CLIENT, FinishedNumbers.of(7));
        socket.getOutputStream().write(framed(7_000, i -> frame));
        await().until(() -> service.acknowledged.get() >= 200_000 / (ServerConnection.FRAME_BYTES + frame.length));
        await().during(Duration.ofMillis(300)).until(() -> service.acknowledged.get() < 4_000);
        while (service.acknowledged.get() < 7_000) {
            service.takeAll();
        }
    }

    @Test
    void thePathOfARequestIsCountedUntilTheRequestIsAnswered() throws Exception {
        FrameServer server = server(4 * MB, MB, LONG);
        CallPath path = new CallPath(List.of("g".repeat(CallPath.MAX_BYTES)));
        sendInTheBackground(greeted(server), framed(12_000, i -> i % 2 == 0 ? RpcFrames.path(1, path) : next(0)));
        int kept = CallPath.MAX_BYTES + ServerConnection.FRAME_BYTES;
        await().until(() -> service.arrived.get() > 3 * MB / kept);
        await().during(Duration.ofMillis(300)).until(() -> service.arrived.get() < 5_000);
        while (service.arrived.get() < 6_000) {
            service.answerAll();
        }
    }

    @Test
    void questionsAreCountedUntilTheyAreAnswered() throws Exception {
        FrameServer server = server(4 * MB, MB, LONG);
        int length = RpcQuestions.MAX_BYTES;
        sendInTheBackground(greeted(server), framed(3_000, i -> RpcFrames.ask(i + 1, new byte[length])));
        await().until(() -> service.questions.size() > 3 * MB / (length + ServerConnection.FRAME_BYTES));
        await().during(Duration.ofMillis(300)).until(() -> service.questions.size() < 2_000);
        for (int answered = 0; answered < 3_000; ) {
            for (; answered < service.questions.size(); answered++) {
                service.questions.get(answered).accept(Optional.empty());
            }
        }
    }

    private FrameServer server(long bytes, long unreadBytes, Duration readTime) {
        RpcLimits limits = new RpcLimits(100, (int) Math.min(bytes, 4 * MB), bytes, LONG, 1, unreadBytes, readTime);
        FrameServer server = FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1)
                        .limits(limits)
                        .tls(tls.filter(each -> overTls))
                        .build(),
                service,
                Optional.of(service));
        open.add(server);
        return server;
    }

    /** A connection with a small buffer: most of what its client does not read stays at the member. */
    private Socket greeted(FrameServer server) throws IOException {
        Socket connected = new Socket();
        open.add(connected);
        connected.setReceiveBufferSize(8_192);
        connected.setSoTimeout(10_000);
        connected.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        Socket socket = connected;
        if (overTls) {
            SSLSocketFactory over = tls.orElseThrow().contexts().get().getSocketFactory();
            SSLSocket secured = (SSLSocket) over.createSocket(connected, "127.0.0.1", server.port(), true);
            secured.setEnabledCipherSuites(new String[] {QUICK_CIPHER});
            socket = secured;
        }
        socket.getOutputStream().write(RpcFrames.PREAMBLE);
        frame(socket, RpcFrames.hello(new RpcFrames.Hello("group", new byte[RpcFrames.SALT_BYTES], new byte[0])));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.skipNBytes(RpcFrames.PREAMBLE.length);
        assertEquals(RpcFrames.WELCOME, RpcFrames.kind(in.readNBytes(in.readInt())));
        return socket;
    }

    private void request(Socket socket, int bodyBytes) throws IOException {
        frame(socket, next(bodyBytes));
    }

    private byte[] next(int bodyBytes) {
        copies++;
        return RpcFrames.request(
                CLIENT,
                new Attempt(
                        copies, RequestId.own(CLIENT, copies), 1, 2, false, FinishedNumbers.NONE, new byte[bodyBytes]));
    }

    private void requestsWithoutBodies(Socket socket, int count) throws IOException {
        socket.getOutputStream().write(framed(count, i -> next(0)));
    }

    private static byte[] framed(int count, IntFunction<byte[]> frames) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(framed(frames.apply(i)));
        }
        return all.toByteArray();
    }

    private static byte[] framed(byte[] frame) {
        return ByteBuffer.allocate(4 + frame.length)
                .putInt(frame.length)
                .put(frame)
                .array();
    }

    /** A member that does not read holds up the sender. */
    private static void sendInTheBackground(Socket socket, byte[] bytes) {
        DaemonThreads.start("amo-test-sender", () -> {
            try {
                socket.getOutputStream().write(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** A call of a client that reads: the member's thread has been through all that came before. */
    private void answered(Socket socket) throws IOException {
        request(socket, 16);
        await().until(() -> service.waiting.size() == 1);
        service.answerAll();
        assertEquals(copies, answer(socket).copy());
    }

    private static RpcFrames.Answered answer(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] frame = in.readNBytes(in.readInt());
        while (RpcFrames.kind(frame) == RpcFrames.STATE) {
            frame = in.readNBytes(in.readInt());
        }
        return RpcFrames.readAnswer(frame);
    }

    private static boolean readsToItsEnd(Socket socket) {
        byte[] rest = new byte[MB];
        try {
            while (socket.getInputStream().read(rest) >= 0) {
                // What had left the member.
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void frame(Socket socket, byte[] frame) throws IOException {
        socket.getOutputStream().write(framed(frame));
    }
}
