package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an {@link AmoClient} says when something else than its member listens at the address that it was given. */
@Timeout(30)
final class WrongPeerTest {
    private static final String BEGIN = "414d4f5204";

    /** A client takes a third of a second to derive a key from it. */
    private static final Optional<String> SECRET = Optional.of("a s3cret of tests");

    @Test
    void anotherProtocolIsSaidInOneLineAtOnce() throws Exception {
        assertSays(
                "this is not amo's protocol for Java clients: byte 0 is 72", "HTTP/1.1 400 Bad\r\n".getBytes(US_ASCII));
    }

    @Test
    void anotherVersionIsSaidInOneLineAtOnce() throws Exception {
        assertSays(
                "this is version 3 of amo's protocol for Java clients, not 4; run the same version", hex("414d4f5203"));
    }

    @Test
    void framesThatNoMemberSendsAreSaidInOneLineAtOnce() throws Exception {
        assertSays("frame: length 2147483647 is not between 1 and 1024", hex(BEGIN + "7fffffff"));
        assertSays("frame: kind 99 is none of a member's", hex(BEGIN + "00000001" + "63"));
        assertSays("no welcome came before it", hex(BEGIN + "00000001" + "08"));
        assertSays("welcome: ", hex(BEGIN + "00000002" + "0200"));
    }

    @Test
    void aPeerWithoutTheSecretIsSaidInOneLineAtOnce() throws Exception {
        String salt = "000102030405060708090a0b0c0d0e0f";
        for (String sent : List.of("00000012" + "02" + salt + "00", "00000022" + "02" + salt + "10" + salt)) {
            assertSays("it does not prove the secret of group 'count'", hex(BEGIN + sent), SECRET);
        }
    }

    @Test
    void aPeerThatClosesMayComeBackSoTheCallLastsUntilItsDeadline() throws Exception {
        assertLasts("closed the connection", Duration.ofMillis(300), new byte[0]);
        String stopping = HexFormat.of().formatHex("about to stop".getBytes(US_ASCII));
        assertLasts("about to stop", Duration.ofMillis(300), hex(BEGIN + "00000010" + "0300" + "0d" + stopping));
    }

    private static void assertSays(String line, byte[] sent) throws Exception {
        assertSays(line, sent, Optional.empty());
    }

    private static void assertSays(String line, byte[] sent, Optional<String> secret) throws Exception {
        long began = System.nanoTime();
        AmoNotExecutedException why = call(Duration.ofSeconds(20), sent, secret);
        assertOneLine(line, why);
        assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(10), "not at once");
    }

    private static void assertLasts(String line, Duration deadline, byte[] sent) throws Exception {
        long began = System.nanoTime();
        AmoNotExecutedException why = call(deadline, sent, Optional.empty());
        assertOneLine(line, why);
        assertTrue(System.nanoTime() - began >= deadline.toNanos());
    }

    private static void assertOneLine(String line, AmoNotExecutedException why) {
        assertTrue(why.getMessage().contains(line), why.getMessage());
        assertTrue(why.getMessage().contains("was not executed"), why.getMessage());
        assertEquals(1, why.getMessage().lines().count());
    }

    /** The outcome of a call to somebody who reads the greeting, says this and closes, to each who comes. */
    private static AmoNotExecutedException call(Duration deadline, byte[] said, Optional<String> secret)
            throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread peer = new Thread(() -> answerAll(listening, said), "wrong-peer");
            peer.setDaemon(true);
            peer.start();
            AmoClient.Builder builder = AmoClient.builder("count").members("a=127.0.0.1:1/" + listening.getLocalPort());
            secret.ifPresentOrElse(builder::secret, builder::insecure);
            try (AmoClient client = builder.build()) {
                return assertThrows(AmoNotExecutedException.class, () -> client.call(new byte[1], deadline));
            }
        }
    }

    private static void answerAll(ServerSocket listening, byte[] said) {
        while (!listening.isClosed()) {
            answerOne(listening, said);
        }
    }

    private static void answerOne(ServerSocket listening, byte[] said) {
        try (Socket socket = listening.accept()) {
            assertTrue(socket.getInputStream().readNBytes(5).length == 5);
            socket.getOutputStream().write(said);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            // The client let go, or the test is over.
            return;
        }
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }
}
