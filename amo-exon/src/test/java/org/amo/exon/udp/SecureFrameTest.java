package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Objects;
import org.amo.base.wire.MalformedFrameException;
import org.amo.exon.NodeId;
import org.amo.exon.udp.SecureFrame.Opening;
import org.amo.exon.udp.SecureFrame.Outside;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** Golden bytes of docs/wire/exon.md: the outsides of encrypted datagrams. */
class SecureFrameTest implements HostileBytes {
    private static final NodeId A = new NodeId(0x0011223344556677L, 0x8899AABBCCDDEEFFL);
    private static final NodeId B = new NodeId(0x0102030405060708L, 0x090A0B0C0D0E0F10L);
    private static final String FIRST = "f1 0102030405060708090a0b0c0d0e0f10 00112233445566778899aabbccddeeff";
    private static final String SECOND = "f2 0000002a";
    private static final String RECORD = "f3 0000002b ac02";
    private static final String NOTICE = "f4 0000002b ac02";

    private static byte[] with(String head, int body) {
        return Fuzz.bytes(head + "00".repeat(body));
    }

    @Test
    void theOutsidesHaveTheseBytes() {
        assertEquals(Fuzz.hex(Fuzz.bytes(FIRST)), Fuzz.hex(SecureFrame.firstHead(B, A)));
        assertEquals(Fuzz.hex(Fuzz.bytes(SECOND)), Fuzz.hex(SecureFrame.secondHead(42)));
        assertEquals(Fuzz.hex(Fuzz.bytes(RECORD)), Fuzz.hex(SecureFrame.recordHead(43, 300)));
        assertEquals(new Outside(0xF1, B, A, 0, 0, 33), SecureFrame.read(with(FIRST, 64)));
        assertEquals(new Outside(0xF2, null, null, 42, 0, 5), SecureFrame.read(with(SECOND, 52)));
        Outside record = SecureFrame.read(with(RECORD, 17));
        assertEquals(new Outside(0xF3, null, null, 43, 300, 7), record);
        assertEquals(Fuzz.hex(Fuzz.bytes(NOTICE)), Fuzz.hex(SecureFrame.notice(record)));
        assertEquals(new Outside(0xF4, null, null, 43, 300, 7), SecureFrame.read(Fuzz.bytes(NOTICE)));
        Opening opening = new Opening(42, 7, 3);
        assertEquals("0000002a" + "0000000000000007" + "00000003", Fuzz.hex(opening.toBytes()));
        assertEquals(opening, Opening.of(opening.toBytes()));
    }

    /** The example of the wire page: all bytes from the secret and the private keys on. */
    @Test
    void aHandshakeAndARecordHaveTheseBytes() throws Exception {
        String secret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
        ExonEndpointOptions options = ExonEndpointOptions.builder(A, secret).build();
        SecureKeys ofA = SecureKeys.of(options, 7);
        SecureKeys ofB = SecureKeys.of(ExonEndpointOptions.builder(B, secret).build(), 9);
        assertEquals("642b0c8d7bee10d12219d34f4af91c74b7e19229b517c9025671d9c93855e0e0", Fuzz.hex(ofA.psk(A, B)));
        assertEquals(Fuzz.hex(ofA.psk(A, B)), Fuzz.hex(ofB.psk(A, B)));
        byte[] prologue = SecureKeys.prologue(SecureFrame.firstHead(B, A));
        NoiseHandshake initiator = new NoiseHandshake(true, prologue, ofA.psk(A, B));
        NoiseHandshake responder = new NoiseHandshake(false, prologue, ofB.psk(A, B));
        byte[] first = initiator.writeFirst(
                NoiseHandshakeTest.pair(NoiseHandshakeTest.INITIATORS), new Opening(42, 7, 1).toBytes());
        assertEquals(
                "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
                        + "8a49561754e7bc31b26a8933c1dc8bc15236e3c29a24b61ccccc72c48f811695",
                Fuzz.hex(first));
        responder.readFirst(first);
        byte[] second = Objects.requireNonNull(responder.writeSecond(
                NoiseHandshakeTest.pair(NoiseHandshakeTest.RESPONDERS), first, Fuzz.bytes("0000002b")));
        assertEquals(
                "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843"
                        + "09e056a5fec648888e8f7b016ab4318c86dc440f",
                Fuzz.hex(second));
        initiator.readSecond(second);
        byte[] record = initiator
                .split()
                .out()
                .seal(300, SecureFrame.recordHead(43, 300), new byte[] {0}, Fuzz.bytes("68656c6c6f"));
        assertEquals("f30000002bac02" + "61a27241de5076ac72fd0089de7bfea138443f78c683", Fuzz.hex(record));
    }

    @Test
    void otherLengthsAreMalformed() {
        for (byte[] datagram : List.of(
                with(FIRST, 63),
                with(FIRST, 65),
                with(SECOND, 51),
                with(SECOND, 53),
                with(RECORD, 16),
                with(NOTICE, 1),
                Fuzz.bytes("e1 00"),
                Fuzz.bytes("f0"),
                new byte[0])) {
            assertThrows(MalformedFrameException.class, () -> SecureFrame.read(datagram), Fuzz.hex(datagram));
        }
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "exon, encrypted",
                MalformedFrameException.class,
                SecureFrame::read,
                with(FIRST, 64),
                with(SECOND, 52),
                with(RECORD, 40),
                Fuzz.bytes(NOTICE)));
    }
}
