package org.amo.core.reply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** One client's record: its live numbers, its time to be looked at, and what a snapshot may say of it. */
class ClientRecordTest {
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final Principal PRINCIPAL = new Principal(3);

    private final ClientRecord record = new ClientRecord(CLIENT, PRINCIPAL);

    private static LiveEntry entry() {
        return new LiveEntry(100, 200, 31, 7);
    }

    @Test
    void aLiveNumberIsFoundBetweenOthers() {
        record.accept(40, entry());
        assertTrue(record.hasLive(1, 40));
        assertTrue(record.hasLive(40, 99));
        assertFalse(record.hasLive(1, 39));
        assertFalse(record.hasLive(41, 99));
    }

    /** The bound covers a timestamp that is equal to it. */
    @Test
    void aRecordIsLookedAtWhenItMayGo() {
        record.acceptOneway(1, 900);
        record.heard(700);
        assertEquals(801, record.nextWakeMillis(900, 100));
        assertTrue(record.isForgettable(900, 801, 100));
        assertEquals(1_000, record.nextWakeMillis(899, 100));
        assertFalse(record.isForgettable(899, 801, 100));
        assertFalse(record.isForgettable(900, 800, 100));
    }

    @Test
    void aSnapshotThatNamesALiveNumberTwiceIsRefused() {
        assertEquals(2, ClientRecord.read(snapshot(3, 4)).liveCount());
        assertThrows(MalformedFrameException.class, () -> ClientRecord.read(snapshot(3, 3)));
        assertThrows(MalformedFrameException.class, () -> ClientRecord.read(snapshot(4, 3)));
    }

    private static WireReader snapshot(long... live) {
        WireWriter writer = new WireWriter(64);
        writer.clientId(CLIENT);
        writer.i64(PRINCIPAL.hash());
        writer.i64(100);
        writer.i64(100);
        writer.i64(200);
        new ResolvedNumbers().write(writer);
        writer.varint(live.length);
        for (long number : live) {
            writer.varint(number);
            LiveEntries.write(writer, entry());
        }
        return new WireReader("record", writer.toBytes());
    }

    /** A store that took nothing counts the replies on the heap, and hears when they go. */
    @Test
    void aReplyThatTheStoreDidNotTakeIsReportedWhenItGoes() {
        FullStore store = new FullStore();
        ClientRecord kept = new ClientRecord(CLIENT, PRINCIPAL, store);
        kept.accept(1, entry());
        kept.complete(1, new byte[9]);
        assertEquals(9, kept.replyBytes());
        assertEquals(0, store.forgotten);
        assertEquals(1, kept.resolve(1, 1, 0));
        assertEquals(9, store.forgotten);
        assertEquals(0, kept.replyBytes());
    }

    @Test
    void aChunkWhoseEntriesHaveGoneIsEmpty() {
        LiveChunk chunk = new LiveChunk(0);
        chunk.put(3, entry());
        assertFalse(chunk.isEmpty());
        chunk.remove(3);
        assertTrue(chunk.isEmpty());
    }

    private static final class FullStore implements ReplyStore {
        private int forgotten;

        @Override
        public boolean put(ClientId client, long number, byte[] reply) {
            return false;
        }

        @Override
        public byte[] get(ClientId client, long number) {
            throw new IllegalStateException("it took none");
        }

        @Override
        public int remove(ClientId client, long number) {
            throw new IllegalStateException("it took none");
        }

        @Override
        public void forgotten(int bytes) {
            forgotten += bytes;
        }

        @Override
        public void clear() {}

        @Override
        public boolean isFull() {
            return false;
        }
    }
}
