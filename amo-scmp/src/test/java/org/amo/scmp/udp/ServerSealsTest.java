package org.amo.scmp.udp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.RpcDatagrams;
import org.junit.jupiter.api.Test;

/** The keys that a server takes, and the clients that a key speaks for. */
final class ServerSealsTest {
    private static final byte[] KEY = "a s3cret of tests".getBytes(UTF_8);
    private static final ScmpCredential TILL_7 = ScmpCredential.of(KEY, "till-7");
    private static final ScmpCredential TILL_8 = ScmpCredential.of(KEY, "till-8");

    private final ServerSeals seals = ServerSeals.of(Optional.of(KEY));

    private static ByteBuffer datagram(DatagramSeal seal, String client) {
        ByteBuffer datagram = ByteBuffer.allocate(RpcDatagrams.MIN_REQUEST + RpcDatagrams.SEAL);
        RpcDatagrams.replyAck(datagram, new ConnectionId(ScmpCredential.clientHigh(client), 1, 0), 1);
        seal.seal(datagram, 0);
        return datagram.flip();
    }

    private boolean isTaken(ByteBuffer datagram) {
        Optional<DatagramSeal> seal = seals.of(datagram);
        return seal.isPresent() && seal.get().open(datagram);
    }

    @Test
    void eachClientSpeaksForItselfAndForNoOther() {
        DatagramSeal till7 = DatagramSeal.ofClient(TILL_7.key());
        DatagramSeal till8 = DatagramSeal.ofClient(TILL_8.key());
        assertTrue(isTaken(datagram(till7, "till-7")));
        assertTrue(isTaken(datagram(till8, "till-8")));
        assertFalse(isTaken(datagram(till7, "till-8")));
        assertFalse(isTaken(datagram(till8, "till-7")));
    }

    /** A datagram cannot change the form that its seal was made for. */
    @Test
    void theKeyOfAClientIsNotTheServersAndTheReverse() {
        ByteBuffer asOfTheServer = datagram(DatagramSeal.ofClient(TILL_7.key()), "till-7");
        asOfTheServer.put(1, (byte) (0x10 | (asOfTheServer.get(1) & 0x0F)));
        assertFalse(isTaken(asOfTheServer));
        DatagramSeal own = DatagramSeal.of(Optional.of(KEY));
        ByteBuffer asOfAClient = datagram(own, "till-7");
        assertTrue(isTaken(asOfAClient.duplicate()));
        asOfAClient.put(1, (byte) (0x20 | (asOfAClient.get(1) & 0x0F)));
        assertFalse(isTaken(asOfAClient));
        assertFalse(isTaken(datagram(DatagramSeal.of(Optional.of(TILL_7.key())), "till-7")));
    }

    @Test
    void anAnswerIsUnderTheKeyOfItsDatagramAlone() {
        long till7 = ScmpCredential.clientHigh("till-7");
        ByteBuffer answer = datagram(seals.ofAnswer(true, till7), "till-7");
        assertTrue(ServerSeals.isUnderClientKey(answer));
        assertFalse(DatagramSeal.ofClient(TILL_8.key()).open(answer.duplicate()));
        assertTrue(DatagramSeal.ofClient(TILL_7.key()).open(answer));
        ByteBuffer toOld = datagram(seals.ofAnswer(false, till7), "till-7");
        assertEquals(RpcDatagrams.SERVER_KEY, RpcDatagrams.version(toOld));
        assertTrue(DatagramSeal.of(Optional.of(KEY)).open(toOld));
    }

    @Test
    void aServerWithoutAKeyTakesNoDatagramUnderOne() {
        ServerSeals clear = ServerSeals.of(Optional.empty());
        assertTrue(clear.of(datagram(DatagramSeal.ofClient(TILL_7.key()), "till-7"))
                .isEmpty());
        assertTrue(
                clear.of(datagram(DatagramSeal.of(Optional.empty()), "till-7")).isPresent());
    }
}
