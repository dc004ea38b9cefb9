package org.amo.dpg.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;
import org.amo.dpg.PduTag;
import org.amo.dpg.Tag;
import org.amo.dpg.TagSequencer.Numbered;
import org.amo.dpg.udp.DpgFrames.Envelope;
import org.amo.dpg.udp.DpgFrames.Tags;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** The examples of docs/wire/dpg.md. */
class DpgFramesTest implements HostileBytes {
    private static final HexFormat HEX = HexFormat.of();
    private static final Seal SEAL = DpgFrames.seal("a secret of tests".getBytes(StandardCharsets.UTF_8), "group");

    private static void golden(String hex, byte[] content) {
        assertEquals(hex.replace(" ", ""), HEX.formatHex(content));
    }

    @Override
    public List<Decoder> decoders() {
        OrderDigest.Digest digest = new OrderDigest.Digest(new Tag(7, 300), 64, -2);
        List<PduTag> tags = List.of(new PduTag(1, 2), new PduTag(3, 4));
        return List.of(
                Decoder.of(
                        "dpg envelope",
                        MalformedFrameException.class,
                        DpgFrames::decodeEnvelope,
                        SEAL.sealed(DpgFrames.encode(new Envelope(5, 6, Optional.empty(), new byte[] {7, 8}))),
                        SEAL.sealed(DpgFrames.encode(new Envelope(5, 6, Optional.of(digest), new byte[] {9})))),
                Decoder.of(
                        "dpg tags",
                        MalformedFrameException.class,
                        DpgFrames::decodeTags,
                        SEAL.sealed(DpgFrames.encode(new Tags(1, 10, 300, 0x100, tags)))),
                Decoder.of(
                        "dpg numbered tags",
                        MalformedFrameException.class,
                        DpgFrames::decodeNumbered,
                        SEAL.sealed(DpgFrames.encode(new Numbered(0x101, 300, tags)))));
    }

    @Test
    void asManyTagsAreWrittenAsAreRead() {
        List<PduTag> most = Collections.nCopies(DpgFrames.MOST_TAGS, new PduTag(-1, -1));
        Tags tags = new Tags(255, -1, 1L << 40, 0, most);
        byte[] longest = SEAL.sealed(DpgFrames.encode(tags));
        assertEquals(tags, DpgFrames.decodeTags(longest));
        assertTrue(longest.length < 65_507);
        List<PduTag> tooMany = Collections.nCopies(DpgFrames.MOST_TAGS + 1, new PduTag(-1, -1));
        assertThrows(IllegalArgumentException.class, () -> DpgFrames.encode(new Tags(1, 1, 1, 1, tooMany)));
        assertThrows(IllegalArgumentException.class, () -> DpgFrames.encode(new Numbered(1, 1, tooMany)));
        assertThrows(IllegalArgumentException.class, () -> DpgFrames.encode(new Tags(256, 1, 1, 1, List.of())));
    }

    @Test
    void aPduInItsEnvelope() {
        Envelope plain =
                new Envelope(0x0102030405060708L, 0x1122334455667788L, Optional.empty(), new byte[] {(byte) 0xD1, 5});
        byte[] bytes = DpgFrames.encode(plain);
        golden("b1 0102030405060708 1122334455667788 00 d105", bytes);
        Envelope read = DpgFrames.decodeEnvelope(SEAL.sealed(bytes));
        assertEquals(plain.instance(), read.instance());
        assertEquals(plain.nonce(), read.nonce());
        assertArrayEquals(plain.pdu(), read.pdu());
        OrderDigest.Digest digest = new OrderDigest.Digest(new Tag(0xAABBCCDDEEFF0011L, 300), 64, -2);
        Envelope report = new Envelope(1, 2, Optional.of(digest), new byte[] {(byte) 0xD9});
        byte[] withDigest = DpgFrames.encode(report);
        golden("b1 0000000000000001 0000000000000002 01 aabbccddeeff0011 ac02 40 fffffffffffffffe d9", withDigest);
        assertEquals(
                Optional.of(digest),
                DpgFrames.decodeEnvelope(SEAL.sealed(withDigest)).digest());
    }

    @Test
    void tagsAndTheirNumbers() {
        List<PduTag> two = List.of(new PduTag(1, 2), new PduTag(3, 4));
        byte[] tags = DpgFrames.encode(new Tags(1, 10, 300, 0x100, two));
        golden(
                "b7 01 000000000000000a ac02 0000000000000100 02 0000000000000001 0000000000000002 0000000000000003"
                        + " 0000000000000004",
                tags);
        assertEquals(new Tags(1, 10, 300, 0x100, two), DpgFrames.decodeTags(SEAL.sealed(tags)));
        byte[] hello = DpgFrames.encode(new Tags(0, 10, 1, 0, List.of()));
        golden("b7 00 000000000000000a 01 0000000000000000 00", hello);
        byte[] numbered = DpgFrames.encode(new Numbered(0x101, 300, two.subList(0, 1)));
        golden("b5 0000000000000101 ac02 01 0000000000000001 0000000000000002", numbered);
        assertEquals(new Numbered(0x101, 300, two.subList(0, 1)), DpgFrames.decodeNumbered(SEAL.sealed(numbered)));
    }

    @Test
    void aSealIsOfOneSecretOneUseAndEveryByte() {
        byte[] sealed = SEAL.sealed(new byte[] {1, 2, 3});
        assertTrue(DpgFrames.isSealed(SEAL, sealed));
        assertFalse(
                DpgFrames.isSealed(DpgFrames.seal("another secret".getBytes(StandardCharsets.UTF_8), "group"), sealed));
        assertFalse(DpgFrames.isSealed(
                DpgFrames.seal("a secret of tests".getBytes(StandardCharsets.UTF_8), "sequencer"), sealed));
        for (int i = 0; i < sealed.length; i++) {
            byte[] broken = sealed.clone();
            broken[i] ^= 1;
            assertFalse(DpgFrames.isSealed(SEAL, broken), "byte " + i);
        }
        assertFalse(DpgFrames.isSealed(SEAL, new byte[3]));
    }

    @Test
    void whatIsCutOrTooLongIsRefused() {
        byte[] tags = DpgFrames.encode(new Tags(0, 10, 300, 0x100, List.of(new PduTag(1, 2))));
        for (int length = 0; length < tags.length; length++) {
            byte[] cut = SEAL.sealed(Arrays.copyOf(tags, length));
            assertThrows(MalformedFrameException.class, () -> DpgFrames.decodeTags(cut));
        }
        byte[] longer = SEAL.sealed(Arrays.copyOf(tags, tags.length + 1));
        assertThrows(MalformedFrameException.class, () -> DpgFrames.decodeTags(longer));
        assertThrows(MalformedFrameException.class, () -> DpgFrames.decodeNumbered(SEAL.sealed(tags)));
    }
}
