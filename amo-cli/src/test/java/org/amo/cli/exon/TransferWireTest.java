package org.amo.cli.exon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** The golden bytes are those of docs/wire/exon-files.md. */
class TransferWireTest implements HostileBytes {
    private static final String HASH = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    private static final String OFFER = "0101" + "80808001" + HASH + "05612e747874";
    private static final String KEY = "00112233445566778899aabbccddeeff";
    private static final String PIECE = "0102" + KEY + "0000000000004000" + "616263";
    private static final String TAKEN = "0103" + KEY;
    private static final String LINE = "0104" + "0000000000000007" + "0000000000000002" + "6869";
    private static final String END = "0105" + "0000000000000007" + "0000000000000003";
    private static final String PROBE = "0106" + "0000";
    private static final String ANSWER = "0107" + "00" + "808001" + "00" + "00";
    private static final String REFUSED = "0107" + "03" + "00" + "03" + "0466756c6c";

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    @Test
    void eachMessageHasTheBytesOfThePage() {
        FileOffer offer = new FileOffer("a.txt", 1 << 21, bytes(HASH));
        TransferKey key = new TransferKey(0x0011223344556677L, 0x8899aabbccddeeffL);
        byte[] abc = "abc..".getBytes(StandardCharsets.US_ASCII);
        assertArrayEquals(bytes(OFFER), TransferWire.offer(offer));
        assertEquals(offer, TransferWire.offer(bytes(OFFER)));
        assertArrayEquals(bytes(PIECE), TransferWire.piece(key, 1 << 14, abc, 3));
        TransferWire.Piece piece = TransferWire.piece(bytes(PIECE));
        assertEquals(key, piece.key());
        assertEquals(1 << 14, piece.offset());
        assertArrayEquals("abc".getBytes(StandardCharsets.US_ASCII), piece.bytes());
        assertArrayEquals(bytes(TAKEN), TransferWire.taken(key));
        assertEquals(key, TransferWire.taken(bytes(TAKEN)));
        assertArrayEquals(bytes(LINE), TransferWire.line(7, 2, "hi".getBytes(StandardCharsets.US_ASCII)));
        assertEquals(2, TransferWire.line(bytes(LINE)).number());
        assertArrayEquals(bytes(END), TransferWire.endOfLines(7, 3));
        assertArrayEquals(bytes(PROBE), TransferWire.probe(4));
        assertArrayEquals(bytes(ANSWER), TransferWire.answer(TransferAnswer.send(1 << 14)));
        assertEquals(TransferAnswer.send(1 << 14), TransferWire.answer(bytes(ANSWER)));
        assertArrayEquals(bytes(REFUSED), TransferWire.answer(TransferAnswer.refused(3, "full")));
        assertEquals(TransferAnswer.refused(3, "full"), TransferWire.answer(bytes(REFUSED)));
    }

    @Test
    void anotherVersionIsRefused() {
        assertThrows(MalformedFrameException.class, () -> TransferWire.kind(bytes("0201")));
        assertThrows(MalformedFrameException.class, () -> TransferWire.kind(bytes("01")));
        assertEquals(TransferWire.OFFER, TransferWire.kind(bytes(OFFER)));
    }

    @Test
    void aKeyFollowsFromNameLengthAndContent() {
        FileOffer offer = new FileOffer("a", 5, bytes(HASH));
        assertEquals(offer.key(), new FileOffer("a", 5, bytes(HASH)).key());
        assertEquals(
                4,
                List.of(
                                offer,
                                new FileOffer("b", 5, bytes(HASH)),
                                new FileOffer("a", 6, bytes(HASH)),
                                new FileOffer("a", 5, new byte[FileOffer.HASH_BYTES]))
                        .stream()
                        .map(FileOffer::key)
                        .distinct()
                        .count());
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "message of a transfer",
                        MalformedFrameException.class,
                        TransferWireTest::decode,
                        Fuzz.bytes(OFFER),
                        Fuzz.bytes(PIECE),
                        Fuzz.bytes(TAKEN),
                        Fuzz.bytes(LINE),
                        Fuzz.bytes(END)),
                Decoder.of(
                        "answer of a transfer",
                        MalformedFrameException.class,
                        TransferWire::answer,
                        Fuzz.bytes(ANSWER),
                        Fuzz.bytes(REFUSED)));
    }

    private static Object decode(byte[] message) {
        return switch (TransferWire.kind(message)) {
            case TransferWire.OFFER -> TransferWire.offer(message);
            case TransferWire.PIECE -> TransferWire.piece(message);
            case TransferWire.TAKEN -> TransferWire.taken(message);
            case TransferWire.LINE, TransferWire.END_OF_LINES -> TransferWire.line(message);
            default -> message;
        };
    }
}
