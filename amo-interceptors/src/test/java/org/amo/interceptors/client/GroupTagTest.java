package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.jacorb.orb.CDROutputStream;
import org.junit.jupiter.api.Test;

class GroupTagTest implements HostileBytes {
    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "TAG_FT_GROUP component",
                MalformedFrameException.class,
                GroupTag::decode,
                FakeGroup.groupTag(7),
                HexFormat.of().parseHex("0101000004000000616d6f0000000000080000000000000003000000")));
    }

    @Test
    void theLongestDomainIsRead() {
        for (int length : new int[] {0, 1, 1_023, 1_024}) {
            CDROutputStream out = new CDROutputStream();
            out.beginEncapsulatedArray();
            out.write_octet((byte) 1);
            out.write_octet((byte) 0);
            out.write_string("d".repeat(length));
            out.write_ulonglong(-1);
            out.write_ulong(-1);
            byte[] data = out.getBufferCopy();
            if (length < 1_024) {
                assertEquals(new GroupTag("d".repeat(length), -1, -1), GroupTag.decode(data));
            } else {
                assertThrows(MalformedFrameException.class, () -> GroupTag.decode(data));
            }
        }
    }

    @Test
    void readsWhatAnOrbWrites() {
        CDROutputStream out = new CDROutputStream();
        out.beginEncapsulatedArray();
        out.write_octet((byte) 1);
        out.write_octet((byte) 0);
        out.write_string("bank");
        out.write_ulonglong(0x1122334455667788L);
        out.write_ulong(9);
        assertEquals(new GroupTag("bank", 0x1122334455667788L, 9), GroupTag.decode(out.getBufferCopy()));
    }

    @Test
    void readsLittleEndianToo() {
        byte[] data = HexFormat.of()
                .parseHex("01010000 04000000 616d6f00 00000000 0800000000000000 03000000".replace(" ", ""));
        assertEquals(new GroupTag("amo", 8, 3), GroupTag.decode(data));
    }

    @Test
    void whatIsCutOffIsRefusedAtEveryLength() {
        byte[] whole = FakeGroup.groupTag(7);
        assertEquals(new GroupTag("amo", 7, 3), GroupTag.decode(whole));
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThrows(MalformedFrameException.class, () -> GroupTag.decode(part));
        }
    }

    @Test
    void aLengthThatCannotBeIsRefused() {
        byte[] data = FakeGroup.groupTag(7);
        data[4] = 0x7F;
        assertThrows(MalformedFrameException.class, () -> GroupTag.decode(data));
        data[4] = (byte) 0xFF;
        assertThrows(MalformedFrameException.class, () -> GroupTag.decode(data));
    }
}
