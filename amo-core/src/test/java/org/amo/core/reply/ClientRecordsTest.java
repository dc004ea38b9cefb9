package org.amo.core.reply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.ClientId;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** The packed table of clients against a plain map of records. */
final class ClientRecordsTest {

    @Property(tries = 100)
    void aTableHoldsFindsAndWakesWhatAMapDoes(@ForAll long seed) {
        Random random = new Random(seed);
        ClientRecords table = new ClientRecords(random.nextLong(), ReplyStore.heap(), RowPages.HEAP, new Shares(0));
        TreeMap<ClientId, ClientRecord> model = new TreeMap<>();
        int spread = 1 + random.nextInt(120);
        long now = 0;
        for (int step = 0; step < 400; step++) {
            ClientId client = new ClientId(random.nextInt(2), random.nextInt(spread));
            switch (random.nextInt(8)) {
                case 0 -> {
                    if (model.remove(client) != null) {
                        table.remove(table.find(client).orElseThrow());
                    }
                }
                case 1 -> {
                    now += random.nextInt(60);
                    List<ClientId> expected = due(model, now);
                    List<ClientId> due = table.pollDue(now);
                    assertEquals(times(model, expected), times(model, due), "in order of time");
                    expected.sort(null);
                    due.sort(null);
                    assertEquals(expected, due);
                    due.forEach(each -> model.get(each).wakeAtMillis(Long.MAX_VALUE));
                }
                default -> {
                    ClientRecord record =
                            table.find(client).orElseGet(() -> new ClientRecord(client, principal(client)));
                    ClientRecord plain = model.computeIfAbsent(client, id -> new ClientRecord(id, principal(id)));
                    long choice = random.nextLong();
                    change(record, new Random(choice), now);
                    change(plain, new Random(choice), now);
                    table.keep(record);
                }
            }
            assertEquals(model.size(), table.size());
            assertEquals(model.containsKey(client), table.find(client).isPresent());
            assertEquals(
                    model.values().stream()
                            .mapToLong(ClientRecord::wakeAtMillis)
                            .min()
                            .orElse(Long.MAX_VALUE),
                    table.nextWakeMillis());
            assertEquals(
                    model.values().stream()
                            .mapToInt(ClientRecord::rangeCount)
                            .max()
                            .orElse(0),
                    table.maxRanges());
            Principal principal = principal(client);
            assertEquals(
                    model.keySet().stream()
                            .filter(each -> principal(each).equals(principal))
                            .count(),
                    table.shares().clients(principal));
            assertEquals(
                    model.values().stream()
                            .filter(each -> principal(each.client()).equals(principal))
                            .mapToLong(ClientRecord::chargedBytes)
                            .sum(),
                    table.shares().bytes(principal));
            assertEquals(
                    model.values().stream()
                            .mapToLong(ClientRecord::chargedBytes)
                            .sum(),
                    table.shares().totalBytes());
        }
        ClientRecords copy = table.copy();
        String before = written(model);
        for (ClientId client : List.copyOf(model.keySet())) {
            table.remove(table.find(client).orElseThrow());
        }
        assertEquals(0, table.size());
        assertEquals(0, table.shares().totalBytes(), "all charges went with their records");
        for (int each = 0; each < 3; each++) {
            assertEquals(0, table.shares().clients(new Principal(each)));
            assertEquals(0, table.shares().bytes(new Principal(each)));
        }
        StringBuilder copied = new StringBuilder();
        copy.forEach(record -> copied.append(bytes(record)));
        assertEquals(before, copied.toString(), "a copy is as its original was, in order of ids");
    }

    @Property(tries = 100)
    void repliesInAStoreChangeNothingOfWhatIsRemembered(@ForAll long seed) {
        Random random = new Random(seed);
        MapReplies store = new MapReplies(5);
        ClientRecords stored = new ClientRecords(1, store, RowPages.HEAP, new Shares(0));
        ClientRecords plain = new ClientRecords(1, ReplyStore.heap(), RowPages.HEAP, new Shares(0));
        for (int step = 0; step < 150; step++) {
            ClientId client = new ClientId(0, random.nextInt(4));
            long choice = random.nextLong();
            for (ClientRecords table : List.of(stored, plain)) {
                ClientRecord record = table.findOrMake(client, Principal.UNKNOWN);
                change(record, new Random(choice), step);
                if (choice % 5 == 0) {
                    record.expire(step, record::keepId);
                }
                table.keep(record);
            }
            assertEquals(all(plain), all(stored));
            assertEquals(
                    plain.find(client).orElseThrow().replyBytes(),
                    stored.find(client).orElseThrow().replyBytes());
        }
        ClientRecords copy = stored.copy();
        String before = all(stored);
        stored.forEach(record -> {
            record.resolve(1, Long.MAX_VALUE - 1, 0);
            stored.keep(record);
        });
        assertEquals(0, store.count(), "a reply that is needed no more leaves the store");
        assertEquals(before, all(copy), "a copy does not need the store");
    }

    private static Principal principal(ClientId client) {
        return new Principal(client.low() % 3);
    }

    private static String all(ClientRecords records) {
        StringBuilder text = new StringBuilder();
        records.forEach(record -> text.append(bytes(record)));
        return text.toString();
    }

    @Test
    void idsThatDifferInOneBitOnlyAreAllFound() {
        ClientRecords table = new ClientRecords(7, ReplyStore.heap(), RowPages.HEAP, new Shares(0));
        List<ClientId> ids = new ArrayList<>();
        for (int bit = 0; bit < 64; bit++) {
            ids.add(new ClientId(1L << bit, 0));
            ids.add(new ClientId(0, 1L << bit));
        }
        ids.forEach(id -> table.keep(new ClientRecord(id, Principal.UNKNOWN)));
        assertEquals(ids.size(), table.size());
        ids.forEach(id -> assertTrue(table.find(id).isPresent()));
    }

    @Test
    void clientsOfManyPagesAreAllFoundAndCopied() {
        ClientRecords table = new ClientRecords(7, ReplyStore.heap(), RowPages.HEAP, new Shares(0));
        int clients = 2_000;
        for (int each = 0; each < clients; each++) {
            ClientRecord record = table.findOrMake(new ClientId(0, each), principal(new ClientId(0, each)));
            record.heard(each);
            record.wakeAtMillis(10_000 + each);
            table.keep(record);
        }
        ClientRecords copy = table.copy();
        for (int each = 0; each < clients; each++) {
            for (ClientRecords found : List.of(table, copy)) {
                ClientRecord record = found.find(new ClientId(0, each)).orElseThrow();
                assertEquals(each, record.lastHeardMillis());
                assertEquals(10_000 + each, record.wakeAtMillis());
                assertEquals(principal(new ClientId(0, each)), record.principal());
            }
        }
        assertEquals(clients, table.pollDue(20_000).size());
    }

    @Test
    void whatTheRecordsAreMadeOfIsClearedAndClosedWithThem() {
        List<String> told = new ArrayList<>();
        RowPages pages = new RowPages() {
            @Override
            public ByteBuffer page(int bytes) {
                return ByteBuffer.allocate(bytes);
            }

            @Override
            public void clear() {
                told.add("clear rows");
            }

            @Override
            public void close() {
                told.add("close rows");
            }
        };
        MapReplies replies = new MapReplies(5);
        assertTrue(replies.put(new ClientId(9, 9), 1, new byte[1]));
        RecordMemory memory = new RecordMemory(1, replies, pages, Shares::new);
        memory.clear();
        assertEquals(0, replies.count());
        memory.close();
        assertEquals(List.of("clear rows", "close rows"), told);
        assertEquals(0, memory.newClientRecords().size());
        assertEquals(0, memory.newForeignRecords().size());
    }

    /** Idle, with something live, or with a range; then scheduled. */
    private static void change(ClientRecord record, Random random, long now) {
        long number = record.floor() + 1 + random.nextInt(4);
        switch (random.nextInt(5)) {
            case 0 -> {
                if (record.live(number).isEmpty() && !record.isResolved(number)) {
                    record.accept(number, new LiveEntry(now, now + random.nextInt(50), number, 5));
                }
            }
            case 1 -> {
                if (record.live(number).filter(entry -> entry.reply().isEmpty()).isPresent()) {
                    record.complete(number, new byte[] {1});
                }
            }
            case 2 -> record.resolve(record.floor() + 1, number, now);
            case 3 -> record.resolve(number, number, now);
            default -> record.heard(now);
        }
        if (random.nextBoolean()) {
            record.wakeAtMillis(random.nextInt(10) == 0 ? Long.MAX_VALUE : now + random.nextInt(200));
        }
    }

    private static List<ClientId> due(Map<ClientId, ClientRecord> model, long now) {
        List<ClientId> due = new ArrayList<>();
        model.forEach((client, record) -> {
            if (record.wakeAtMillis() <= now) {
                due.add(client);
            }
        });
        due.sort((one, other) ->
                Long.compare(model.get(one).wakeAtMillis(), model.get(other).wakeAtMillis()));
        return due;
    }

    private static List<Long> times(Map<ClientId, ClientRecord> model, List<ClientId> clients) {
        return clients.stream().map(client -> model.get(client).wakeAtMillis()).toList();
    }

    private static String written(Map<ClientId, ClientRecord> model) {
        StringBuilder text = new StringBuilder();
        model.values().forEach(record -> text.append(bytes(record)));
        return text.toString();
    }

    private static String bytes(ClientRecord record) {
        WireWriter writer = new WireWriter(64);
        record.write(writer);
        return java.util.HexFormat.of().formatHex(writer.toBytes()) + "\n";
    }
}
