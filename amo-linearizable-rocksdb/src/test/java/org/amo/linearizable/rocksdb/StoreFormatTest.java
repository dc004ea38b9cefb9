package org.amo.linearizable.rocksdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.KeyHash;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** Golden bytes of docs/wire/rpclog.md. */
class StoreFormatTest implements HostileBytes {
    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "row of a call",
                        MalformedFrameException.class,
                        row -> StoreFormat.rpc(StoreFormat.clientOf(row).value(), StoreFormat.numberOf(row)),
                        StoreFormat.rpc(new RpcId(new LeaseId(300), 7))),
                Decoder.of(
                        "stored object",
                        MalformedFrameException.class,
                        StoreFormat::object,
                        StoreFormat.object(new StoredObject(258, Operations.bytes("xy")))));
    }

    @Test
    void rowsAreReadAtTheirLimitsAndOthersAreRefused() {
        byte[] row = StoreFormat.rpc(new RpcId(new LeaseId(LeaseId.MAX_VALUE), RpcId.MAX_NUMBER));
        assertEquals(LeaseId.MAX_VALUE, StoreFormat.clientOf(row).value());
        assertEquals(RpcId.MAX_NUMBER, StoreFormat.numberOf(row));
        for (int length = 0; length < row.length; length++) {
            byte[] cut = Arrays.copyOf(row, length);
            assertThrows(MalformedFrameException.class, () -> StoreFormat.numberOf(cut));
        }
        assertThrows(MalformedFrameException.class, () -> StoreFormat.clientOf(new byte[16]));
        byte[] longest = new ObjectKey(-1, new byte[ObjectKey.MAX_KEY]).row();
        assertEquals(-1, StoreFormat.number(longest));
        assertThrows(IllegalArgumentException.class, () -> new ObjectKey(1, new byte[ObjectKey.MAX_KEY + 1]));
    }

    @Test
    void keyHashesNeverChange() {
        assertEquals("efd01f60ba992926", Long.toHexString(KeyHash.of(new byte[0])));
        assertEquals("4a2b30eb98962955", Long.toHexString(KeyHash.of(Operations.bytes("k1"))));
    }

    @Test
    void rowsHaveTheseBytesAndStandInTheOrderOfTheirNumbers() {
        byte[] row = StoreFormat.rpc(new RpcId(new LeaseId(300), 7));
        assertEquals("000000000000012c" + "0000000000000007", hex(row));
        assertEquals(new LeaseId(300), StoreFormat.clientOf(row));
        assertEquals(7, StoreFormat.numberOf(row));
        assertTrue(Arrays.compareUnsigned(StoreFormat.rpc(300, 0), row) < 0);
        byte[] object = new ObjectKey(3, Operations.bytes("k1")).row();
        assertEquals("0000000000000003" + "4a2b30eb98962955" + "6b31", hex(object));
    }

    @Test
    void anIdIsToldAsItsSixteenDigits() {
        assertEquals("00000000000000ff", StoreFormat.id(StoreFormat.number(255)));
        assertThrows(MalformedFrameException.class, () -> StoreFormat.id(new byte[7]));
    }

    @Test
    void anObjectHasTheseBytes() {
        byte[] bytes = StoreFormat.object(new StoredObject(258, Operations.bytes("xy")));
        assertEquals("0000000000000102" + "7879", hex(bytes));
        StoredObject again = StoreFormat.object(bytes);
        assertEquals(258, again.version());
        assertArrayEquals(Operations.bytes("xy"), again.value());
        assertThrows(MalformedFrameException.class, () -> StoreFormat.object(new byte[7]));
    }
}
