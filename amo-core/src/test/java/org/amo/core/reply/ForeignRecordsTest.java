package org.amo.core.reply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** What is remembered of clients that never acknowledge: each entry until its time, and nothing else. */
final class ForeignRecordsTest {
    private static final ClientId C = new ClientId(3, 1);
    private static final ClientId D = new ClientId(2, 9);
    private static final Principal ALICE = Principal.credential("alice");

    private final ForeignRecords records = new ForeignRecords(ReplyStore.heap(), new Shares(1));

    // ------------------------------------------------- one client

    @Test
    void anEntryExpiresWhenItsTimeIsPastAndNotBefore() {
        ForeignRecord record = new ForeignRecord(C, ALICE);
        record.accept(5, entry(100));
        record.accept(6, entry(101));
        assertEquals(101, record.nextWakeMillis());
        assertEquals(0, record.expire(100));
        assertEquals(2, record.liveCount());
        assertEquals(20, record.chargedBytes());
        assertEquals(1, record.expire(101));
        assertEquals(Optional.empty(), record.live(5));
        assertEquals(10, record.chargedBytes());
        assertEquals(102, record.nextWakeMillis());
        assertEquals(1, record.expire(102));
        assertEquals(0, record.chargedBytes());
        assertEquals(Long.MAX_VALUE, record.nextWakeMillis());
    }

    @Test
    void repliesAreCountedAndOneWithoutALiveEntryIsDropped() {
        ForeignRecord record = new ForeignRecord(C, ALICE);
        record.accept(5, entry(100));
        record.accept(6, entry(100));
        record.complete(5, new byte[3]);
        record.complete(6, new byte[4]);
        record.complete(7, new byte[5]);
        assertEquals(7, record.replyBytes());
        assertEquals(3, record.live(5).flatMap(LiveEntry::reply).orElseThrow().length);
        assertEquals(Optional.empty(), record.live(7));
    }

    /** What each call asks for is kept and not looked for, since a client may have many thousand live entries. */
    @Property(tries = 200)
    void theEarliestTimeAndTheBytesAreThoseOfTheLiveEntries(@ForAll long seed) {
        Random random = new Random(seed);
        ForeignRecord record = new ForeignRecord(C, ALICE);
        Map<Long, Long> times = new HashMap<>();
        Map<Long, Integer> bytes = new HashMap<>();
        long now = 0;
        // A client with more than FEW keeps its entries in another way.
        int ids = random.nextBoolean() ? 30 : 10 * ForeignEntries.FEW;
        for (int step = 0; step < 2 * ids; step++) {
            long id = random.nextInt(ids);
            switch (random.nextInt(3)) {
                case 0 -> {
                    if (!times.containsKey(id)) {
                        long time = now + random.nextInt(ids);
                        record.accept(id, entry(time));
                        times.put(id, time);
                        bytes.put(id, 0);
                    }
                }
                case 1 -> {
                    int length = random.nextInt(9);
                    record.complete(id, new byte[length]);
                    bytes.computeIfPresent(id, (each, before) -> length);
                }
                default -> {
                    now += random.nextInt(4);
                    long at = now;
                    int before = times.size();
                    times.values().removeIf(time -> time < at);
                    bytes.keySet().retainAll(times.keySet());
                    assertEquals(before - times.size(), record.expire(at));
                }
            }
            ForeignRecord either = random.nextBoolean() ? record : record.copy();
            long earliest = times.values().stream().min(Long::compare).orElse(Long.MAX_VALUE - 1);
            assertEquals(earliest + 1, either.nextWakeMillis());
            assertEquals(bytes.values().stream().mapToLong(each -> each).sum(), either.replyBytes());
            assertEquals(10L * times.size(), either.chargedBytes());
        }
    }

    @Test
    void aRecordIsReadAsItWasWrittenInRisingOrderOfItsIds() {
        ForeignRecord record = new ForeignRecord(C, ALICE);
        record.accept(0xFFFF_FFFFL, entry(100));
        record.accept(0, entry(200));
        record.complete(0, new byte[] {7});
        record.wakeAtMillis(101);
        ForeignRecord read = ForeignRecord.read(new WireReader("record", written(record)));
        assertEquals(C, read.client());
        assertEquals(ALICE, read.principal());
        assertEquals(101, read.wakeAtMillis());
        assertEquals(2, read.liveCount());
        assertEquals(20, read.chargedBytes());
        assertEquals(1, read.replyBytes());
        assertEquals(hex(record), hex(read));
    }

    @Test
    void idsThatDoNotRiseAreMalformed() {
        WireWriter writer = new WireWriter(64);
        writer.clientId(C);
        writer.i64(ALICE.hash());
        writer.i64(101);
        writer.varint(2);
        for (int twice = 0; twice < 2; twice++) {
            writer.varint(4);
            LiveEntries.write(writer, entry(100));
        }
        WireReader reader = new WireReader("record", writer.toBytes());
        assertThrows(MalformedFrameException.class, () -> ForeignRecord.read(reader));
    }

    // ------------------------------------------------- all clients

    @Test
    void clientsAreDueInOrderOfTimeAndThenScheduledForNothing() {
        accept(C, 5, 200);
        accept(D, 5, 100);
        assertEquals(101, records.nextWakeMillis());
        assertEquals(List.of(), due(100));
        assertEquals(List.of(D), due(101));
        assertEquals(201, records.nextWakeMillis());
        assertEquals(List.of(C), due(500));
        assertEquals(Long.MAX_VALUE, records.nextWakeMillis());
        assertEquals(List.of(), due(Long.MAX_VALUE - 1));
    }

    @Test
    void aClientIsDueOnceHoweverOftenItsTimeWasBroughtForward() {
        accept(C, 5, 300);
        accept(C, 6, 200);
        accept(C, 7, 100);
        accept(C, 8, 250);
        assertEquals(List.of(C), due(1_000));
        assertEquals(List.of(), due(1_000));
    }

    @Test
    void aClientThatIsForgottenIsNeverDueAndHoldsNothing() {
        accept(C, 5, 100);
        accept(D, 5, 200);
        assertEquals(20, records.shares().bytes(ALICE));
        assertEquals(2, records.shares().clients(ALICE));
        records.find(C).orElseThrow().expire(101);
        records.remove(C);
        records.remove(C);
        assertEquals(1, records.size());
        assertEquals(Optional.empty(), records.find(C));
        assertEquals(10, records.shares().bytes(ALICE));
        assertEquals(1, records.shares().clients(ALICE));
        assertEquals(201, records.nextWakeMillis());
        assertEquals(List.of(D), due(1_000));
    }

    @Test
    void aRecordFromASnapshotIsChargedAndDueAsBefore() {
        accept(C, 5, 100);
        ForeignRecords restored = new ForeignRecords(ReplyStore.heap(), new Shares(2));
        restored.add(ForeignRecord.read(
                new WireReader("record", written(records.find(C).orElseThrow()))));
        assertEquals(1, restored.size());
        assertEquals(10, restored.shares().bytes(ALICE));
        assertEquals(1, restored.shares().clients(ALICE));
        assertEquals(101, restored.nextWakeMillis());
    }

    @Test
    void clientsAreVisitedInRisingOrderOfTheirIds() {
        accept(C, 5, 100);
        accept(D, 5, 100);
        List<ClientId> visited = new ArrayList<>();
        records.forEach(record -> visited.add(record.client()));
        assertEquals(List.of(D, C), visited);
    }

    @Test
    void aCopyKeepsWhatItsOriginalForgets() {
        accept(C, 5, 100);
        String before = hex(records.find(C).orElseThrow());
        ForeignRecords copy = records.copy();
        records.find(C).orElseThrow().expire(101);
        assertEquals(before, hex(copy.find(C).orElseThrow()));
        assertEquals(10, copy.find(C).orElseThrow().chargedBytes());
        assertEquals(10, copy.shares().bytes(ALICE));
        assertEquals(Long.MAX_VALUE, copy.nextWakeMillis(), "scheduled for nothing");
    }

    // ------------------------------------------------- replies in a store

    @Property(tries = 100)
    void repliesInAStoreChangeNothingOfWhatIsRemembered(@ForAll long seed) {
        Random random = new Random(seed);
        MapReplies store = new MapReplies(5);
        ForeignRecords stored = new ForeignRecords(store, new Shares(1));
        ForeignRecords plain = new ForeignRecords(ReplyStore.heap(), new Shares(1));
        List<ForeignRecords> tables = List.of(stored, plain);
        long now = 0;
        int ids = random.nextBoolean() ? 10 : 10 * ForeignEntries.FEW;
        for (int step = 0; step < 150 + ids; step++) {
            ClientId client = random.nextBoolean() ? C : D;
            long id = random.nextInt(ids);
            int choice = random.nextInt(4);
            int length = random.nextInt(9);
            now += random.nextInt(3);
            for (ForeignRecords table : tables) {
                ForeignRecord record = table.findOrMake(client, ALICE);
                if (choice == 0) {
                    record.expire(now);
                } else if (choice == 1) {
                    record.complete(id, bytes(length, step));
                } else if (record.live(id).isEmpty()) {
                    record.accept(id, entry(now + (long) length * ids / 10));
                }
            }
            assertEquals(all(plain), all(stored));
            assertEquals(replyBytes(plain), replyBytes(stored));
            assertEquals(replyBytes(stored), store.onHeap() + store.bytes(), "each reply is counted in one place");
        }
        ForeignRecords copy = stored.copy();
        String before = all(stored);
        stored.forEach(record -> record.expire(Long.MAX_VALUE));
        assertEquals(0, store.bytes(), "an expired reply leaves the store");
        assertEquals(0, store.onHeap());
        assertEquals(before, all(copy), "a copy does not need the store");
    }

    @Test
    void aRecordFromASnapshotFillsTheStore() {
        accept(C, 5, 100);
        records.find(C).orElseThrow().complete(5, new byte[3]);
        MapReplies store = new MapReplies(5);
        ForeignRecords restored = new ForeignRecords(store, new Shares(2));
        restored.add(ForeignRecord.read(
                new WireReader("record", written(records.find(C).orElseThrow()))));
        assertEquals(3, store.bytes());
        assertEquals(all(records), all(restored));
    }

    /** An own client may have any id, that of a foreign one too. */
    @Test
    void repliesToAnOwnClientWithTheSameIdAndNumberStayApart() {
        MapReplies store = new MapReplies(5);
        ForeignRecord foreign = new ForeignRecord(C, ALICE, store);
        ClientRecord own = new ClientRecord(C, ALICE, store);
        foreign.accept(1, entry(100));
        own.accept(1, entry(100));
        foreign.complete(1, new byte[] {1});
        own.complete(1, new byte[] {2});
        assertEquals(2, store.bytes());
        assertEquals(1, foreign.live(1).flatMap(LiveEntry::reply).orElseThrow()[0]);
        assertEquals(1, foreign.expire(101));
        assertEquals(2, own.live(1).flatMap(LiveEntry::reply).orElseThrow()[0]);
    }

    private static byte[] bytes(int length, int content) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) content);
        return bytes;
    }

    private static String all(ForeignRecords records) {
        StringBuilder text = new StringBuilder();
        records.forEach(record -> text.append(hex(record)).append('\n'));
        return text.toString();
    }

    private static long replyBytes(ForeignRecords records) {
        long[] bytes = {0};
        records.forEach(record -> bytes[0] += record.replyBytes());
        return bytes[0];
    }

    private void accept(ClientId client, long id, long expiresAt) {
        ForeignRecord record = records.findOrMake(client, ALICE);
        record.accept(id, entry(expiresAt));
        records.reschedule(record);
    }

    private List<ClientId> due(long now) {
        return records.pollDue(now).stream().map(ForeignRecord::client).toList();
    }

    private static LiveEntry entry(long expiresAt) {
        return new LiveEntry(50, expiresAt, 77, 10);
    }

    private static byte[] written(ForeignRecord record) {
        WireWriter writer = new WireWriter(64);
        record.write(writer);
        return writer.toBytes();
    }

    private static String hex(ForeignRecord record) {
        return HexFormat.of().formatHex(written(record));
    }
}
