package org.amo.linearizable.rpclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.junit.jupiter.api.Test;

/** Values of the rpc log: their limits, and the hash that is on disks. */
class RpcLogValuesTest {
    private static final RpcId ID = new RpcId(new LeaseId(9), 7);

    private static ClusterTime at(long millis) {
        return new ClusterTime(millis);
    }

    private static String hash(byte[] key) {
        return Long.toHexString(KeyHash.of(key));
    }

    /** Keys on disk were placed by it: another hash would look for them in other ranges. */
    @Test
    void theHashOfAKeyNeverChanges() {
        assertEquals("efd01f60ba992926", hash(new byte[0]));
        assertEquals("82a2a958a9bece5b", hash("a".getBytes(StandardCharsets.US_ASCII)));
        assertEquals("a5edf5ea32752ba1", hash("key 1".getBytes(StandardCharsets.US_ASCII)));
        assertEquals("c1fbda391c27e28", hash(new byte[] {(byte) 0xFF, (byte) 0x80}));
    }

    @Test
    void aRangeHasBothItsEndsAndMayBeOneHash() {
        KeyRange range = new KeyRange(3, 10, 20);
        assertFalse(range.contains(3, 9));
        assertTrue(range.contains(3, 10));
        assertTrue(range.contains(3, 20));
        assertFalse(range.contains(3, 21));
        assertTrue(range.overlaps(new KeyRange(3, 20, -1)));
        assertTrue(range.overlaps(new KeyRange(3, 0, 10)));
        assertTrue(range.overlaps(new KeyRange(3, 0, -1)));
        assertFalse(range.overlaps(new KeyRange(3, 21, -1)));
        assertFalse(range.overlaps(new KeyRange(3, 0, 9)));
        assertFalse(range.overlaps(new KeyRange(4, 10, 20)));
        assertTrue(new KeyRange(3, 10, 10).contains(3, 10));
        assertThrows(IllegalArgumentException.class, () -> new KeyRange(3, 11, 10));
    }

    @Test
    void aNumberIsFrom1To2ToThe62nd() {
        assertEquals(1, new RpcId(ID.client(), 1).number());
        assertEquals(1L << 62, new RpcId(ID.client(), RpcId.MAX_NUMBER).number());
        assertThrows(IllegalArgumentException.class, () -> new RpcId(ID.client(), 0));
        assertThrows(IllegalArgumentException.class, () -> new RpcId(ID.client(), RpcId.MAX_NUMBER + 1));
    }

    @Test
    void neitherCallNorRecordAcknowledgesItselfOrLessThanNothing() {
        for (long ackId : new long[] {0, 6}) {
            assertEquals(ackId, new RpcHeader(ID, ackId, at(1), at(1)).ackId());
            assertEquals(ackId, new RpcRecord(ID, ackId, 1, 1, new byte[0]).ackId());
        }
        for (long ackId : new long[] {-1, 7}) {
            assertThrows(IllegalArgumentException.class, () -> new RpcHeader(ID, ackId, at(1), at(1)));
            assertThrows(IllegalArgumentException.class, () -> new RpcRecord(ID, ackId, 1, 1, new byte[0]));
        }
    }

    @Test
    void aResultMayBeAMebibyte() {
        assertEquals(1 << 20, new RpcRecord(ID, 0, 1, 1, new byte[RpcRecord.MAX_RESULT]).result().length);
    }

    @Test
    void recordsAreEqualIfAllTheirFieldsAre() {
        RpcRecord record = new RpcRecord(ID, 5, 3, 4, new byte[] {1});
        RpcRecord same = new RpcRecord(ID, 5, 3, 4, new byte[] {1});
        assertEquals(record, same);
        assertEquals(record.hashCode(), same.hashCode());
        assertNotEquals(record, new RpcRecord(new RpcId(ID.client(), 8), 5, 3, 4, new byte[] {1}));
        assertNotEquals(
                record.hashCode(), new RpcRecord(new RpcId(ID.client(), 8), 5, 3, 4, new byte[] {1}).hashCode());
        assertNotEquals(record, new RpcRecord(ID, 4, 3, 4, new byte[] {1}));
        assertNotEquals(record, new RpcRecord(ID, 5, 2, 4, new byte[] {1}));
        assertNotEquals(record, new RpcRecord(ID, 5, 3, 5, new byte[] {1}));
        assertNotEquals(record, new RpcRecord(ID, 5, 3, 4, 9, new byte[] {1}));
        assertNotEquals(record, new RpcRecord(ID, 5, 3, 4, new byte[] {2}));
        assertFalse(record.equals(null));
    }

    @Test
    void aRecordIsOfItsObjectAndItsRequestAsFarAsBothAreKnown() {
        RpcRecord record = new RpcRecord(ID, 5, 3, 4, 9, new byte[] {1});
        assertTrue(record.isOf(3, 4, 9));
        assertTrue(record.isOf(3, 4, 0));
        assertTrue(new RpcRecord(ID, 5, 3, 4, new byte[] {1}).isOf(3, 4, 9));
        assertFalse(record.isOf(2, 4, 9));
        assertFalse(record.isOf(3, 5, 9));
        assertFalse(record.isOf(3, 4, 8));
    }

    /** The authority's word about a lease replaces the client's; of the times the later one counts. */
    @Test
    void aHeaderTakesTheAuthoritysAnswer() {
        RpcHeader header = new RpcHeader(ID, 5, at(1_000), at(600));
        LeaseAnswer later = new LeaseAnswer(LeaseAnswer.Status.LIVE, ID.client(), at(2_000), at(700));
        assertEquals(new RpcHeader(ID, 5, at(2_000), at(700)), header.withLease(later));
        LeaseAnswer old = new LeaseAnswer(LeaseAnswer.Status.LIVE, ID.client(), at(900), at(500));
        assertEquals(new RpcHeader(ID, 5, at(900), at(600)), header.withLease(old));
    }

    @Test
    void aTableHasAWindowAndRoomForAClient() {
        assertEquals(1, RpcLogOptions.builder(0).window(1).maxClients(1).build().window());
        assertThrows(
                IllegalArgumentException.class,
                () -> RpcLogOptions.builder(0).window(0).maxClients(1).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> RpcLogOptions.builder(0).window(1).maxClients(0).build());
        assertEquals(
                RpcLogOptions.builder(77).window(512).maxClients(2_000_000).build(),
                RpcLogOptions.builder(77).build());
    }
}
