package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.exon.ExonCodec.Header;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.Arrived;
import org.amo.exon.Frame.Refused;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Seen;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.amo.exon.Frame.Unknown;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** Golden bytes of docs/wire/exon.md, and what a decoder must bear. */
class ExonCodecTest implements HostileBytes {
    private static final NodeId A = new NodeId(0x0011223344556677L, 0x8899AABBCCDDEEFFL);
    private static final NodeId B = new NodeId(0x0102030405060708L, 0x090A0B0C0D0E0F10L);

    private static final String LONG_HEADER =
            "e1 0102030405060708090a0b0c0d0e0f10 00112233445566778899aabbccddeeff" + " 07 0000002a 00000000 01";
    private static final String SHORT_HEADER = "ea 0000002b ac02";
    private static final String FRAMES = "01 05 e807" // SEEN 5, 1000 us ago
            + "02 0a 11 03 01" // REQSLOTS s=10 n=17 l=7 need=1
            + "03 0a 07 11" // SLOTS s=10 r=7 n=17
            + "04 07 0a 02 0568656c6c6f 00" // TOKENS r=7 s=10: "hello", ""
            + "05 07 0d 01 03 027878" // PIECE r=7 s=13, 1 of 3: "xx"
            + "06 07 14 14 02 02 00 05 02" // ACK r=7, 0 to 20 but 17 and 9 to 11
            + "07 03"; // UNKNOWN r=3

    /** The same in a short datagram from life 8 of its sender to life 6 of its receiver. */
    private static final String SHORT_FRAMES = "01 05 e807"
            + "02 04 11 03 01" // s is 8 + 2
            + "03 08 01 11" // s is 6 + 4, r is 8 - 1
            + "04 02 04 02 0568656c6c6f 00" // r is 6 + 1, s is 8 + 2
            + "05 02 0a 01 03 027878"
            + "06 01 1c 14 02 02 00 05 02"
            + "07 09";

    private static final Numbers LIVES = new Numbers(8, 6);

    private static final List<Frame> DECODED = List.of(
            new Seen(5, 1_000),
            new RequestSlots(10, 17, 7, 1),
            new Slots(10, 7, 17),
            new Token(7, 10, 0, 1, "hello".getBytes(StandardCharsets.US_ASCII)),
            new Token(7, 11, 0, 1, new byte[0]),
            new Token(7, 13, 1, 3, "xx".getBytes(StandardCharsets.US_ASCII)),
            new Ack(7, 0, 20, new long[] {17, 18, 9, 12}),
            new Unknown(3));

    @Test
    void aDatagramThatNamesBothNodesHasTheseBytes() {
        WireWriter writer = new WireWriter(64);
        ExonCodec.writeHeader(new Header(true, B, A, 7, 42, 0, 1), writer);
        writeAll(writer, Numbers.PLAIN);
        assertEquals(Fuzz.hex(Fuzz.bytes(LONG_HEADER + FRAMES)), Fuzz.hex(writer.toBytes()));
        byte[] bytes = writer.toBytes();
        assertEquals(DECODED, ExonCodec.decode(bytes, bytes.length, Numbers.PLAIN));
        assertEquals(new Header(true, B, A, 7, 42, 0, 1), ExonCodec.readHeader(new WireReader("test", bytes)));
    }

    @Test
    void aDatagramThatNamesAHandleHasTheseBytes() {
        WireWriter writer = new WireWriter(64);
        ExonCodec.writeHeader(Header.shortForm(43, 300), writer);
        writeAll(writer, LIVES);
        byte[] bytes = writer.toBytes();
        assertEquals(Fuzz.hex(Fuzz.bytes(SHORT_HEADER + SHORT_FRAMES)), Fuzz.hex(bytes));
        assertEquals(DECODED, ExonCodec.decode(bytes, bytes.length, LIVES));
    }

    /** Kinds 8 and 9, which nodes of before do not know. */
    @Test
    void wordOfArrivalsAndRefusalsHasTheseBytes() {
        List<Frame> frames = List.of(new Arrived(new Ack(7, 0, 20, new long[] {17, 18, 9, 12})), new Refused(7, 10, 2));
        String named = "08 07 14 14 02 02 00 05 02" + "09 07 0a 02";
        String inShort = "08 01 1c 14 02 02 00 05 02" + "09 01 08 02"; // r is 8 - 1, s is 6 + 4
        for (boolean plain : List.of(true, false)) {
            Numbers numbers = plain ? Numbers.PLAIN : LIVES;
            WireWriter writer = new WireWriter(64);
            ExonCodec.writeHeader(Header.shortForm(43, 300), writer);
            frames.forEach(frame -> ExonCodec.writeFrame(frame, numbers, writer));
            byte[] bytes = writer.toBytes();
            assertEquals(Fuzz.hex(Fuzz.bytes(SHORT_HEADER + (plain ? named : inShort))), Fuzz.hex(bytes));
            assertEquals(frames, ExonCodec.decode(bytes, bytes.length, numbers));
        }
    }

    @Test
    void aNumberBelowOneIsMalformedInAnyForm() {
        byte[] bytes = Fuzz.bytes(SHORT_HEADER + "07 11"); // r is 8 - 9
        assertThrows(MalformedFrameException.class, () -> ExonCodec.decode(bytes, bytes.length, LIVES));
    }

    private static void writeAll(WireWriter writer, Numbers numbers) {
        for (Frame frame : DECODED) {
            if (frame instanceof Token token && token.slot() == 10) {
                ExonCodec.writeTokens(List.of(token, (Token) DECODED.get(4)), numbers, writer);
            } else if (!(frame instanceof Token token && token.slot() == 11)) {
                ExonCodec.writeFrame(frame, numbers, writer);
            }
        }
    }

    @Test
    void theSealIsTheFirstHalfOfAnHmacUnderAKeyOfThePairAndTheLife() {
        Seal secret = Seal.ofKey(new byte[] {1, 2, 3});
        byte[] datagram = Session.seal(secret, A, 7, B).sealed(Fuzz.bytes("e9 0000002b ac02"));
        assertEquals("e90000002bac02" + "00d3ec954ee9d3b65101ba31f6790a03", Fuzz.hex(datagram));
        assertTrue(isSealed(Session.seal(secret, A, 7, B), datagram));
        assertFalse(isSealed(Session.seal(secret, A, 8, B), datagram), "another life");
        assertFalse(isSealed(Session.seal(secret, B, 7, A), datagram), "the other way");
        assertFalse(isSealed(Session.seal(Seal.ofKey(new byte[] {1, 2, 4}), A, 7, B), datagram));
        datagram[5] ^= 1;
        assertFalse(isSealed(Session.seal(secret, A, 7, B), datagram), "a bit changed");
    }

    @Test
    void aShortDatagramIsGoodForOneLifeOfBoth() {
        Seal secret = Seal.ofKey(new byte[] {1, 2, 3});
        byte[] datagram = Session.seal(secret, A, 7, B, 6).sealed(Fuzz.bytes(SHORT_HEADER));
        assertEquals("ea0000002bac02" + "1e3238f71781b18da9365aebce877302", Fuzz.hex(datagram));
        assertFalse(isSealed(Session.seal(secret, A, 7, B, 5), datagram), "another life of the receiver");
        assertFalse(isSealed(Session.seal(secret, A, 7, B), datagram));
    }

    private static boolean isSealed(Seal seal, byte[] datagram) {
        return Session.isSealed(seal, datagram, datagram.length);
    }

    @Test
    void anyBytesAreMalformedOrDecodedAtLittleCost() {
        byte[] valid = Fuzz.bytes(LONG_HEADER + FRAMES);
        Fuzz.mutations(11, 30_000, valid, bytes -> again(bytes, Numbers.PLAIN), false);
        Fuzz.mutations(12, 30_000, Fuzz.bytes(SHORT_HEADER + SHORT_FRAMES), bytes -> again(bytes, LIVES), false);
    }

    @Test
    void whatClaimsMoreThanItHoldsIsMalformed() {
        for (String frame : List.of(
                "04 07 0a ffffff07", // as many tokens
                "04 07 0a 01 ffff03", // as long a body
                "06 07 14 14 40 00 00", // as many holes
                "06 07 14 05 01 04 04", // a hole below what is spoken of
                "02 0a 11 0b 01", // a frontier below zero
                "02 0a 01 00 02", // more needed than asked for
                "05 07 0d 03 03 00", // a piece past the last
                "05 07 02 02 03 00", // a message that begins below slot 1
                "09")) {
            Fuzz.claims(Fuzz.bytes(LONG_HEADER + frame), bytes -> again(bytes, Numbers.PLAIN));
        }
    }

    @Test
    void aCutDatagramIsMalformedOrEndsBetweenFrames() {
        byte[] valid = Fuzz.bytes(SHORT_HEADER + SHORT_FRAMES);
        int decoded = 0;
        for (int length = 0; length <= valid.length; length++) {
            int cut = length;
            try {
                List<Frame> frames = ExonCodec.decode(valid, cut, LIVES);
                decoded++;
                assertTrue(DECODED.subList(0, frames.size()).equals(frames), "cut at " + cut);
            } catch (MalformedFrameException e) {
                assertTrue(e.getMessage().startsWith("exon datagram"), e.getMessage());
            }
        }
        assertEquals(8, decoded, "after the header and after each of the seven frames");
        assertThrows(MalformedFrameException.class, () -> ExonCodec.decode(valid, valid.length + 1, LIVES));
    }

    private static byte[] again(byte[] bytes, Numbers numbers) {
        WireReader reader = new WireReader("exon datagram", bytes);
        WireWriter writer = new WireWriter(bytes.length);
        ExonCodec.writeHeader(ExonCodec.readHeader(reader), writer);
        List<Frame> frames = new ArrayList<>(ExonCodec.readFrames(reader, numbers));
        frames.forEach(frame -> ExonCodec.writeFrame(frame, numbers, writer));
        return writer.toBytes();
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "exon, both nodes named",
                        MalformedFrameException.class,
                        bytes -> ExonCodec.decode(bytes, bytes.length, Numbers.PLAIN),
                        Fuzz.bytes(LONG_HEADER + FRAMES)),
                Decoder.of(
                        "exon, by a handle",
                        MalformedFrameException.class,
                        bytes -> ExonCodec.decode(bytes, bytes.length, LIVES),
                        Fuzz.bytes(SHORT_HEADER + SHORT_FRAMES)));
    }
}
