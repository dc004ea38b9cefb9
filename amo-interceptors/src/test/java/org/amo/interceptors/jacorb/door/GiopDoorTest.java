package org.amo.interceptors.jacorb.door;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.amo.core.door.DoorLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sockets of an IIOP port, read as JacORB reads them: twelve bytes, then what they claim. */
class GiopDoorTest {
    private static final int KB = 1 << 10;
    static final GiopLimits LIMITS = new GiopLimits(
            new DoorLimits(20, 20, 512 * KB, 1 << 20, 2 << 20, 2 << 20),
            128 * KB,
            Duration.ofMillis(1_500),
            Duration.ofMillis(300),
            1 << 20,
            8 << 20);

    private static final byte[] REPLY = message(2, 0, 1, 64 * KB, 2);

    /** So many replies are more than the system takes for a peer that does not read, and less than the door does. */
    private static final int MORE_THAN_THE_SYSTEM_TAKES = 110;

    private final GiopDoor door = new GiopDoor(LIMITS);
    private final BlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();
    private final List<Socket> opened = new ArrayList<>();
    private GuardedServerSocket listening;

    @BeforeEach
    void listen() throws IOException {
        listening = new GuardedServerSocket(door);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread acceptor = new Thread(() -> {
            try {
                while (true) {
                    accepted.add(listening.accept());
                }
            } catch (IOException e) {
                assertTrue(listening.isClosed());
            }
        });
        acceptor.setDaemon(true);
        acceptor.start();
    }

    @AfterEach
    void close() throws IOException {
        listening.close();
        for (Socket socket : opened) {
            socket.close();
        }
        for (Socket socket : accepted) {
            socket.close();
        }
    }

    @Test
    void messagesComeWholeHoweverTheyWereCut() throws Exception {
        Socket client = connect();
        Socket server = served();
        Random random = new Random(7);
        List<byte[]> sent = new ArrayList<>();
        for (int size : new int[] {24, 100, 9 * KB, 25, 100 * KB, 30, 30 * KB, 28}) {
            byte[] message = message(2, 0, 0, size, sent.size());
            for (int at = 36; at < message.length; at++) {
                message[at] = (byte) random.nextInt();
            }
            sent.add(message);
        }
        Thread writer = new Thread(() -> sent.forEach(message -> {
            for (int at = 0; at < message.length; ) {
                int length = Math.min(message.length - at, 1 + random.nextInt(20 * KB));
                writeTo(client, message, at, length);
                at += length;
            }
        }));
        writer.start();
        DataInputStream in = new DataInputStream(server.getInputStream());
        for (byte[] message : sent) {
            assertArrayEquals(message, read(in));
            answer(server, sent.indexOf(message));
        }
        writer.join();
        // What is left is the reader's own buffer.
        await().until(() -> door.held() <= 8 * KB);
    }

    @Test
    void whatARequestTakesIsHeldUntilItIsAnswered() throws Exception {
        Socket client = connect();
        Socket server = served();
        write(client, message(2, 0, 0, 50 * KB, 9));
        read(new DataInputStream(server.getInputStream()));
        assertTrue(door.held() > 100 * KB, () -> "held " + door.held());
        answer(server, 9);
        assertTrue(door.held() <= 60 * KB, () -> "held " + door.held());
    }

    /** The reply to the second one would give back what the first one holds. */
    @Test
    void aRequestWithTheIdOfOneThatIsNotAnsweredEndsItsConnection() throws Exception {
        Socket client = connect();
        Socket server = served();
        write(client, message(2, 0, 0, 50 * KB, 9));
        read(new DataInputStream(server.getInputStream()));
        write(client, message(2, 0, 0, 100, 9));
        assertThrows(IOException.class, () -> read(new DataInputStream(server.getInputStream())));
        await().until(() -> door.connections() == 0);
    }

    @Test
    void anIdMayComeAgainOnceItsRequestIsAnswered() throws Exception {
        Socket client = connect();
        Socket server = served();
        for (int i = 0; i < 2; i++) {
            write(client, message(2, 0, 0, 50 * KB, 9));
            read(new DataInputStream(server.getInputStream()));
            answer(server, 9);
        }
        assertEquals(1, door.connections());
    }

    /** Their replies do not tell which of them they answer. */
    @Test
    void whatRequestsOfAnOlderVersionTakeIsHeldUntilAllOfThemAreAnswered() throws Exception {
        Socket client = connect();
        Socket server = served();
        DataInputStream in = new DataInputStream(server.getInputStream());
        write(client, older(50 * KB, true));
        read(in);
        write(client, older(100, true));
        read(in);
        server.getOutputStream().write(message(1, 0, 1, 12, 0));
        assertTrue(door.held() > 100 * KB, () -> "held " + door.held());
        server.getOutputStream().write(message(1, 0, 1, 12, 0));
        assertTrue(door.held() <= 60 * KB, () -> "held " + door.held());
    }

    @Test
    void anOlderOnewayIsForgottenByTheClock() throws Exception {
        Socket client = connect();
        Socket server = served();
        write(client, older(50 * KB, false));
        read(new DataInputStream(server.getInputStream()));
        assertTrue(door.held() > 100 * KB, () -> "held " + door.held());
        await().atMost(10, TimeUnit.SECONDS).until(() -> door.held() <= 60 * KB);
    }

    /** A request of GIOP 1.1 without contexts, with the id 9. */
    private static byte[] older(int size, boolean asksForReply) {
        byte[] request = message(1, 0, 0, size, 0);
        ByteBuffer.wrap(request).putInt(16, 9).put(20, (byte) (asksForReply ? 1 : 0));
        return request;
    }

    @Test
    void aOnewayIsForgottenByTheClock() throws Exception {
        Socket client = connect();
        Socket server = served();
        byte[] oneway = message(2, 0, 0, 50 * KB, 9);
        oneway[16] = 0;
        write(client, oneway);
        read(new DataInputStream(server.getInputStream()));
        assertTrue(door.held() > 100 * KB, () -> "held " + door.held());
        await().atMost(10, TimeUnit.SECONDS).until(() -> door.held() <= 60 * KB);
    }

    @Test
    void aConnectionThatSendsNothingIsClosed() throws Exception {
        Socket silent = connect();
        assertEquals(-1, silent.getInputStream().read());
    }

    @Test
    void aHeaderThatComesInDropsIsClosed() throws Exception {
        Socket slow = connect();
        writeTo(slow, message(2, 0, 0, 100, 1), 0, 5);
        reading(served());
        assertEquals(-1, slow.getInputStream().read());
        await().until(() -> door.held() == 0);
    }

    @Test
    void aMessageBelowTheLeastRateIsClosed() throws Exception {
        Socket slow = connect();
        byte[] message = message(2, 0, 0, 100 * KB, 1);
        writeTo(slow, message, 0, 50 * KB);
        reading(served());
        assertEquals(-1, slow.getInputStream().read());
        await().until(() -> door.held() == 0 && door.connections() == 0);
    }

    /** JacORB writes with the threads of its pool: as many peers that do not read would take them all. */
    @Test
    void noWriterWaitsForAPeerThatDoesNotReadAndItsConnectionIsClosed() throws Exception {
        Socket deaf = connect();
        Socket server = served();
        askFor(deaf, server, 1);
        assertTimeoutPreemptively(Duration.ofMillis(250), () -> writeReplies(server, MORE_THAN_THE_SYSTEM_TAKES));
        assertTrue(door.unreadBytes() > 0, "the system has taken it all");
        await().atMost(20, TimeUnit.SECONDS).until(() -> door.connections() == 0);
        assertEquals(0, door.unreadBytes());
        assertThrows(IOException.class, () -> server.getOutputStream().write(REPLY));
    }

    @Test
    void theConnectionWithMostIsClosedWhenTooMuchIsUnread() throws Exception {
        Socket slow = connect();
        Socket toSlow = served();
        askFor(slow, toSlow, 1);
        Socket deaf = connect();
        Socket toDeaf = served();
        askFor(deaf, toDeaf, 1);
        int few = 60;
        writeReplies(toSlow, few);
        assertThrows(IOException.class, () -> writeReplies(toDeaf, 1_000));
        assertTrue(toDeaf.isClosed());
        assertTrue(door.unreadBytes() < LIMITS.mostUnreadBytes() / 2, () -> door.unreadBytes() + " are unread");
        DataInputStream in = new DataInputStream(slow.getInputStream());
        byte[] unused = read(in);
        for (int i = 0; i < few; i++) {
            assertArrayEquals(REPLY, read(in), "reply " + i);
        }
        assertTrue(!toSlow.isClosed());
    }

    @Test
    void noRequestIsReadWhileTooMuchIsUnread() throws Exception {
        Socket client = connect();
        Socket server = served();
        DataInputStream requests = new DataInputStream(server.getInputStream());
        askFor(client, server, 1);
        writeReplies(server, MORE_THAN_THE_SYSTEM_TAKES);
        long most = LIMITS.mostUnreadBytes() / 8;
        assertTrue(door.unreadBytes() > most, () -> "only " + door.unreadBytes() + " are unread");
        write(client, message(2, 0, 0, 100, 3));
        CompletableFuture<Long> unread = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try {
                byte[] unused = read(requests);
                unread.complete(door.unreadBytes());
            } catch (IOException e) {
                unread.completeExceptionally(e);
            }
        });
        reader.start();
        DataInputStream in = new DataInputStream(client.getInputStream());
        for (int i = 0; i < 1 + MORE_THAN_THE_SYSTEM_TAKES; i++) {
            byte[] unused = read(in);
        }
        assertTrue(unread.get(10, TimeUnit.SECONDS) <= most);
    }

    @Test
    void whatWasWrittenIsSentBeforeTheEnd() throws Exception {
        Socket client = connect();
        Socket server = served();
        askFor(client, server, 1);
        writeReplies(server, MORE_THAN_THE_SYSTEM_TAKES);
        assertTrue(door.unreadBytes() > 0, "the system has taken it all");
        // As JacORB does, under a lock that all writers need.
        assertTimeoutPreemptively(Duration.ofMillis(250), () -> {
            server.shutdownOutput();
            server.close();
        });
        assertThrows(IOException.class, () -> server.getOutputStream().write(REPLY));
        DataInputStream in = new DataInputStream(client.getInputStream());
        byte[] unused = read(in);
        for (int i = 0; i < MORE_THAN_THE_SYSTEM_TAKES; i++) {
            assertArrayEquals(REPLY, read(in), "reply " + i);
        }
        assertEquals(-1, in.read());
        await().until(() -> door.connections() == 0);
    }

    @Test
    void aConnectionThatIsToBeClosedIsNotKeptForAPeerThatDoesNotRead() throws Exception {
        Socket deaf = connect();
        Socket server = served();
        askFor(deaf, server, 1);
        writeReplies(server, MORE_THAN_THE_SYSTEM_TAKES);
        server.close();
        assertEquals(1, door.connections());
        write(deaf, message(2, 0, 0, 100, 2));
        assertEquals(-1, server.getInputStream().read(), "no request is taken any more");
        await().atMost(10, TimeUnit.SECONDS).until(() -> door.connections() == 0 && server.isClosed());
        assertEquals(0, door.unreadBytes());
    }

    /** JacORB limits how long a connection may be idle. */
    @Test
    void aConnectionWithUnreadRepliesIsNotIdle() throws Exception {
        Socket client = connect();
        Socket server = served();
        askFor(client, server, 1);
        writeReplies(server, MORE_THAN_THE_SYSTEM_TAKES);
        assertTrue(door.unreadBytes() > 0 && door.unreadBytes() <= LIMITS.mostUnreadBytes());
        server.setSoTimeout(20);
        CompletableFuture<Long> ended = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try {
                int unused = server.getInputStream().read();
                ended.completeExceptionally(new IllegalStateException("it read"));
            } catch (IOException e) {
                ended.complete(door.unreadBytes());
            }
        });
        reader.start();
        DataInputStream in = new DataInputStream(client.getInputStream());
        for (int i = 0; i < 1 + MORE_THAN_THE_SYSTEM_TAKES; i++) {
            byte[] unused = read(in);
        }
        assertEquals(0, ended.get(10, TimeUnit.SECONDS));
    }

    private static void writeReplies(Socket server, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            server.getOutputStream().write(REPLY);
        }
    }

    /** A client asks, and is answered: it is proved. */
    private static void askFor(Socket client, Socket server, int id) throws IOException {
        write(client, message(2, 0, 0, 100, id));
        byte[] unused = read(new DataInputStream(server.getInputStream()));
        answer(server, id);
    }

    @Test
    void aProvedConnectionMayStandIdle() throws Exception {
        Socket idle = connect();
        Socket server = served();
        reading(server);
        write(idle, message(2, 0, 0, 100, 1));
        answer(server, 1);
        Socket silent = connect();
        assertEquals(-1, silent.getInputStream().read());
        write(idle, message(2, 0, 0, 100, 2));
        assertTrue(!server.isClosed());
        await().until(() -> door.connections() == 1);
    }

    @Test
    void whatNoMessageOfGiopMayBeIsClosedAtItsHeader() throws Exception {
        byte[] good = message(2, 0, 0, 100, 1);
        for (int[] change : new int[][] {{0, 'g'}, {4, 2}, {5, 3}, {7, 8}, {8, 0x7F}, {8, 0x80}, {9, 0x20}}) {
            byte[] bad = good.clone();
            bad[change[0]] = (byte) change[1];
            Socket client = connect();
            reading(served());
            write(client, bad);
            assertEquals(-1, client.getInputStream().read());
        }
        // A question where an object is needs no 65 KB.
        Socket client = connect();
        reading(served());
        write(client, message(2, 0, 3, 65 * KB, 1));
        assertEquals(-1, client.getInputStream().read());
    }

    /** JacORB would allocate what it claims. */
    @Test
    void aMessageWhoseHeaderLiesIsClosedBeforeItIsHandedOut() throws Exception {
        Socket client = connect();
        Socket server = served();
        byte[] lying = message(2, 0, 0, 100, 1);
        // The length of the object key.
        ByteBuffer.wrap(lying).putInt(24, 1_000);
        write(client, lying);
        assertThrows(IOException.class, () -> server.getInputStream().read());
        assertEquals(-1, client.getInputStream().read());
        await().until(() -> door.held() == 0);
    }

    /** Before its bytes have come. JacORB would write each of them into the text of an exception. */
    @Test
    void aRequestWithALongKeyIsClosedAtTheLengthOfTheKey() throws Exception {
        Socket client = connect();
        Socket server = served();
        byte[] begun = message(2, 0, 0, 100, 1);
        ByteBuffer.wrap(begun).putInt(8, 70 * KB).putInt(24, 65 * KB);
        write(client, begun);
        IOException why =
                assertThrows(IOException.class, () -> server.getInputStream().read());
        assertTrue(String.valueOf(why.getMessage()).contains("object key of 66560 bytes"), why.getMessage());
        assertEquals(-1, client.getInputStream().read());
        await().until(() -> door.held() == 0);
    }

    @Test
    void fragmentsAreHeldTogether() throws Exception {
        Socket client = connect();
        Socket server = served();
        reading(server);
        write(client, message(2, 2, 0, 60 * KB, 5));
        write(client, message(2, 2, 7, 60 * KB, 5));
        await().until(() -> door.held() > 240 * KB);
        write(client, message(2, 2, 7, 60 * KB, 5));
        assertEquals(-1, client.getInputStream().read());
        await().until(() -> door.held() == 0);
    }

    @Test
    void aFinishedSeriesOfFragmentsIsARequestLikeOthers() throws Exception {
        Socket client = connect();
        Socket server = served();
        reading(server);
        write(client, message(2, 2, 0, 40 * KB, 5));
        write(client, message(2, 0, 7, 40 * KB, 5));
        await().until(() -> door.held() > 200 * KB);
        answer(server, 5);
        await().until(() -> door.held() <= 60 * KB);
    }

    @Test
    void limitsThatNoMessageFitsAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new GiopLimits(LIMITS.door(), 200 * KB, Duration.ZERO, Duration.ZERO, 1, 8 << 20));
        assertThrows(
                IllegalArgumentException.class,
                () -> new GiopLimits(LIMITS.door(), 128 * KB, Duration.ZERO, Duration.ZERO, 1, 100 * KB));
        for (long heap : new long[] {16L << 20, 64L << 20, 256L << 20, 1L << 30, 64L << 30}) {
            GiopLimits limits = GiopLimits.of(heap);
            assertTrue(limits.mostMessageBytes() >= 1 << 20);
            // No address can take all places.
            assertEquals(limits.door().connections() / 2, limits.door().connectionsPerAddress());
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), listening.getLocalPort());
        socket.setSoTimeout(20_000);
        opened.add(socket);
        return socket;
    }

    private Socket served() throws InterruptedException {
        Socket socket = accepted.poll(10, TimeUnit.SECONDS);
        assertTrue(socket != null, "no connection was accepted");
        return socket;
    }

    /** Reads all messages and throws them away, in a thread as JacORB's. */
    private static void reading(Socket server) {
        Thread thread = new Thread(() -> {
            try {
                DataInputStream in = new DataInputStream(server.getInputStream());
                while (true) {
                    read(in);
                }
            } catch (IOException e) {
                assertTrue(e.toString() != null);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static byte[] read(DataInputStream in) throws IOException {
        byte[] header = new byte[12];
        in.readFully(header);
        int size = ByteBuffer.wrap(header).getInt(8);
        ByteBuffer whole = ByteBuffer.allocate(12 + size).put(header);
        in.readFully(whole.array(), 12, size);
        return whole.array();
    }

    private static void answer(Socket server, int id) throws IOException {
        byte[] reply = message(2, 0, 1, 8, id);
        ByteBuffer.wrap(reply).putInt(16, 0);
        for (byte next : reply) {
            server.getOutputStream().write(next);
        }
    }

    private static void write(Socket socket, byte[] bytes) {
        writeTo(socket, bytes, 0, bytes.length);
    }

    private static void writeTo(Socket socket, byte[] bytes, int offset, int length) {
        try {
            socket.getOutputStream().write(bytes, offset, length);
        } catch (IOException e) {
            // The other side has hung up, which the tests look at by reading.
            assertTrue(e.toString() != null);
        }
    }

    private static byte[] message(int minor, int flags, int type, int size, int id) {
        ByteBuffer message = ByteBuffer.allocate(12 + size);
        message.put(new byte[] {'G', 'I', 'O', 'P', 1, (byte) minor, (byte) flags, (byte) type})
                .putInt(size);
        if (size >= 8) {
            message.putInt(id).put((byte) 3);
        } else if (size >= 4) {
            message.putInt(id);
        }
        return message.array();
    }
}
