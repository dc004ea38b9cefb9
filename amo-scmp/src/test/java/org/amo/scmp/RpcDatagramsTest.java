package org.amo.scmp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** The bytes of docs/wire/scmp.md. */
class RpcDatagramsTest implements HostileBytes {
    private static final ConnectionId C = new ConnectionId(0x0102030405060708L, 0x090a0b0c0d0e0f10L, 0x10000002);
    private static final long TS = 1_700_000_000_000_000L;
    private static final String HEAD = "10000002 0102030405060708 090a0b0c0d0e0f10 00060a24181e4000";

    private static byte[] bytes(Consumer<ByteBuffer> encoder) {
        ByteBuffer out = ByteBuffer.allocate(RpcDatagrams.MAX_DATAGRAM);
        encoder.accept(out);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static final List<byte[]> EXAMPLES = List.of(
            bytes(out -> RpcDatagrams.call(out, new Call(C, TS, 7, new byte[] {1, 2, 3}), 0)),
            bytes(out -> RpcDatagrams.truncatedCall(out, C, TS, 0)),
            bytes(out -> RpcDatagrams.replyAck(out, C, TS)),
            bytes(out -> RpcDatagrams.reply(out, C, TS, new Reply(false, new byte[] {4, 5}))),
            bytes(out -> RpcDatagrams.ack(out, C, TS)),
            bytes(out -> RpcDatagrams.held(out, C, TS, 60_000)),
            bytes(out -> RpcDatagrams.refused(out, C, TS, RefusalReason.STALE, TS + 1, TS + 2)));

    @Test
    void golden() {
        String padding = "00".repeat(16);
        List<String> golden = List.of(
                "5c11 0007" + HEAD + "00000003 010203" + "00".repeat(13),
                "5c12 0000" + HEAD + "00000000" + padding,
                "5c13 0000" + HEAD + "00000000" + padding,
                "5c14 0000" + HEAD + "00000002 0405",
                "5c15 0000" + HEAD + "00000000",
                "5c16 0000" + HEAD + "00000004 0000ea60",
                "5c17 0001" + HEAD + "00000010 00060a24181e4001 00060a24181e4002");
        for (int i = 0; i < golden.size(); i++) {
            assertArrayEquals(Fuzz.bytes(golden.get(i)), EXAMPLES.get(i), golden.get(i));
        }
    }

    @Test
    void aDatagramUnderAClientsKeyDiffersInItsVersionAlone() {
        for (byte[] example : EXAMPLES) {
            byte[] ofClient = example.clone();
            RpcDatagrams.underClientKey(ByteBuffer.wrap(ofClient), 0);
            assertEquals(0x20 | (example[1] & 0x0F), ofClient[1]);
            assertEquals(RpcDatagrams.CLIENT_KEY, RpcDatagrams.version(ByteBuffer.wrap(ofClient)));
            assertEquals(C.clientHigh(), RpcDatagrams.clientHigh(ByteBuffer.wrap(ofClient)));
            Datagram decoded = RpcDatagrams.decode(ByteBuffer.wrap(ofClient));
            assertEquals(RpcDatagrams.decode(ByteBuffer.wrap(example)).kind(), decoded.kind());
            assertEquals(C, decoded.connection());
            ofClient[1] = (byte) (0x30 | (example[1] & 0x0F));
            assertThrows(MalformedFrameException.class, () -> RpcDatagrams.decode(ByteBuffer.wrap(ofClient)));
        }
        assertEquals(0, RpcDatagrams.version(ByteBuffer.wrap(EXAMPLES.get(0), 0, RpcDatagrams.HEADER - 1)));
    }

    @Test
    void whatIsDecodedIsWhatWasMeant() {
        Datagram call = RpcDatagrams.decode(ByteBuffer.wrap(EXAMPLES.get(0)));
        assertEquals(Datagram.Kind.CALL, call.kind());
        assertEquals(C, call.connection());
        assertEquals(1, call.connection().retentionClass());
        assertEquals(TS, call.timestampMicros());
        assertEquals(7, call.code());
        assertArrayEquals(new byte[] {1, 2, 3}, call.body());
        Datagram refused = RpcDatagrams.decode(ByteBuffer.wrap(EXAMPLES.get(6)));
        assertEquals(TS + 1, refused.first());
        assertEquals(TS + 2, refused.second());
        assertEquals(
                60_000, RpcDatagrams.decode(ByteBuffer.wrap(EXAMPLES.get(5))).first());
    }

    @Test
    void noAnswerButAReplyIsLargerThanTheSmallestRequest() {
        for (byte[] example : EXAMPLES) {
            Datagram.Kind kind = RpcDatagrams.decode(ByteBuffer.wrap(example)).kind();
            assertTrue(
                    kind.isOfClient() ? example.length >= 52 : kind == Datagram.Kind.REPLY || example.length <= 52,
                    kind + " " + example.length);
        }
        byte[] roomy = bytes(out -> RpcDatagrams.truncatedCall(out, C, TS, 1_000));
        assertEquals(
                bytes(out -> RpcDatagrams.reply(out, C, TS, new Reply(false, new byte[1_000]))).length, roomy.length);
        assertEquals(
                Datagram.Kind.TRUNCATED_CALL,
                RpcDatagrams.decode(ByteBuffer.wrap(roomy)).kind());
    }

    @Test
    void whatIsCutIsMalformedAndGarbageIsNothingElse() {
        for (byte[] example : EXAMPLES) {
            for (int length = 0; length < example.length; length++) {
                byte[] cut = Arrays.copyOf(example, length);
                assertThrows(MalformedFrameException.class, () -> RpcDatagrams.decode(ByteBuffer.wrap(cut)));
            }
            Fuzz.mutations(
                    11,
                    20_000,
                    example,
                    bytes -> {
                        RpcDatagrams.decode(ByteBuffer.wrap(bytes));
                        return bytes;
                    },
                    false);
        }
    }

    @Test
    void errorsNameFieldOffsetAndValue() {
        byte[] frame = EXAMPLES.get(0).clone();
        frame[1] = 0x1F;
        String kind = assertThrows(MalformedFrameException.class, () -> RpcDatagrams.decode(ByteBuffer.wrap(frame)))
                .getMessage();
        assertEquals("scmp datagram: field kind at offset 1 is 15", kind);
        String service = assertThrows(IllegalArgumentException.class, () -> RpcDatagrams.checkCall(65_536, 0))
                .getMessage();
        assertTrue(service.contains("65535"), service);
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "scmp datagram",
                MalformedFrameException.class,
                bytes -> RpcDatagrams.decode(ByteBuffer.wrap(bytes)),
                EXAMPLES.toArray(byte[][]::new)));
    }
}
