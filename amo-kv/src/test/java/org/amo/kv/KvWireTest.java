package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.kv.KvClient.Records;
import org.amo.kv.KvRequest.Kind;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.ObjectKey;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** The bytes of docs/wire/rpclog.md, and the coordinator's state over a snapshot. */
final class KvWireTest implements HostileBytes {
    private static final KvSettings SETTINGS = new KvSettings(6_000, 10, 4, 2, 1_000);

    private static final RpcHeader HEADER =
            new RpcHeader(new RpcId(new LeaseId(300), 7), 5, new ClusterTime(1_000), new ClusterTime(500));

    /** One whose ranges are dealt. */
    private static CoordinatorState dealt() {
        CoordinatorState state = new CoordinatorState();
        configure(state, SETTINGS);
        state.handle(beat("s1"), 1_000, () -> 0);
        state.handle(beat("s2"), 1_100, () -> 0);
        state.handle(new byte[] {CoordinatorState.LEASE, 1}, 1_200, () -> 0);
        return state;
    }

    private static void ask(byte[] request) {
        try {
            dealt().handle(request, 1_300, () -> 0);
        } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().contains("give this one another id"), e.getMessage());
        }
    }

    private static byte[] recovered() {
        WireWriter writer = new WireWriter(16);
        writer.u8(CoordinatorState.RECOVERED);
        writer.text("s1");
        writer.varint(1);
        writer.varint(0);
        writer.varint(0);
        return writer.toBytes();
    }

    @Override
    public List<Decoder> decoders() {
        byte[] snapshot = dealt().take();
        WireWriter settings = new WireWriter(32);
        settings.u8(CoordinatorState.CONFIGURE);
        SETTINGS.write(settings);
        return List.of(
                Decoder.of(
                        "kv request",
                        MalformedFrameException.class,
                        KvRequest::decode,
                        KvRequest.of(Kind.READ, bytes("k")).encode(Optional.empty()),
                        KvRequest.named("op", bytes("k"), bytes("v")).encode(Optional.of(HEADER)),
                        new KvRequest(Kind.CONDITIONAL_WRITE, bytes("k"), bytes("v"), 9).encode(Optional.of(HEADER))),
                Decoder.of(
                        "kv reply",
                        MalformedFrameException.class,
                        bytes -> KvResult.decode(KvReply.decode(bytes).result()),
                        KvReply.encode(new StoreOutcome(
                                StoreOutcome.Status.DONE,
                                new KvResult(KvResult.Status.DONE, 300, bytes("v")).encode(),
                                new ClusterTime(500)))),
                Decoder.of(
                        "records of a kv server",
                        MalformedFrameException.class,
                        KvRecordsWire::decode,
                        KvRecordsWire.encode(new Records(1, 8, 3))),
                Decoder.of(
                        "coordinator request",
                        MalformedFrameException.class,
                        KvWireTest::ask,
                        settings.toBytes(),
                        beat("s3"),
                        begin("s3", "5e").toBytes(),
                        CoordinatorClient.beatRequest(CoordinatorState.BEGIN, "s3", "h", 1, "/s3")
                                .toBytes(),
                        recovered(),
                        new byte[] {CoordinatorState.MAP},
                        new byte[] {CoordinatorState.BACKUPS},
                        new byte[] {CoordinatorState.LEASE, 1}),
                Decoder.of(
                                "coordinator snapshot",
                                MalformedFrameException.class,
                                bytes -> new CoordinatorState().restore(bytes),
                                snapshot)
                        .taking(1_000_000), // as many tablets as there may be
                Decoder.of(
                        "orders of a coordinator",
                        MalformedFrameException.class,
                        Orders::decode,
                        dealt().handle(beat("s1"), 1_300, () -> 0)),
                Decoder.of(
                        "map of a coordinator",
                        MalformedFrameException.class,
                        TabletMap::decode,
                        dealt().handle(new byte[] {CoordinatorState.MAP}, 1_300, () -> 0)));
    }

    @Test
    void aServerTellsItsCompletionRecords() {
        Records records = new Records(1, 8, 3);
        assertArrayEquals(HexFormat.of().parseHex("0803"), KvRecordsWire.encode(records));
        assertEquals(records, KvRecordsWire.decode(HexFormat.of().parseHex("0803")));
        assertArrayEquals(new byte[] {1}, KvRecordsWire.question());
        assertEquals(new Records(2, 9, 3), records.plus(new Records(1, 1, 0)));
    }

    @Test
    void whatIsAsLongAsItMayBeIsRead() {
        KvRequest longest =
                new KvRequest(Kind.WRITE, new byte[ObjectKey.MAX_KEY], new byte[KvRequest.MAX_VALUE], Long.MIN_VALUE);
        byte[] request = longest.encode(Optional.of(HEADER));
        assertEquals(KvRequest.MAX_VALUE, KvRequest.decode(request).request().value().length);
        byte[] value = new byte[KvRequest.MAX_VALUE + 1];
        assertThrows(IllegalArgumentException.class, () -> new KvRequest(Kind.WRITE, bytes("k"), value, 0));
        byte[] key = new byte[ObjectKey.MAX_KEY + 1];
        assertThrows(IllegalArgumentException.class, () -> KvRequest.of(Kind.READ, key));
        String text = "d".repeat(CoordinatorState.MAX_TEXT);
        CoordinatorState state = dealt();
        byte[] orders = state.handle(
                CoordinatorClient.beginRequest(text, text, 65_535, text, text, Optional.of(text))
                        .toBytes(),
                1,
                () -> 0);
        assertEquals(SETTINGS, Orders.decode(orders).settings());
        CoordinatorState other = new CoordinatorState();
        other.restore(state.take());
        assertArrayEquals(state.take(), other.take());
        int beat = CoordinatorState.BEAT;
        assertThrows(FrameLimitException.class, () -> CoordinatorClient.beatRequest(beat, text + "d", "h", 1, "d"));
        assertThrows(FrameLimitException.class, () -> CoordinatorClient.beatRequest(beat, "i", "h", 1, text + "d"));
        assertThrows(FrameLimitException.class, () -> begin("i", text + "d"));
    }

    @Test
    void settingsAreReadAtTheirLimits() {
        long longest = 1L << 52;
        for (KvSettings settings : List.of(
                new KvSettings(1_000, 1, 1, 1, 100),
                new KvSettings(longest, Integer.MAX_VALUE, KvSettings.MAX_TABLETS, KvSettings.MAX_TABLETS, longest))) {
            WireWriter writer = new WireWriter(32);
            settings.write(writer);
            assertEquals(settings, KvSettings.read(new WireReader("settings", writer.toBytes())));
        }
        assertThrows(IllegalArgumentException.class, () -> new KvSettings(longest + 1, 1, 1, 1, 100));
        assertThrows(IllegalArgumentException.class, () -> new KvSettings(1_000, 1, 1, 1, longest + 1));
        assertThrows(IllegalArgumentException.class, () -> new KvSettings(1_000, 1, 4_097, 1, 100));
    }

    @Test
    void requests() {
        KvRequest request = new KvRequest(Kind.CONDITIONAL_WRITE, bytes("k"), bytes("v"), 9);
        byte[] encoded = request.encode(Optional.of(HEADER));
        assertEquals(
                "03ac020702e807f403016b01760000000000000009", HexFormat.of().formatHex(encoded));
        KvRequest.Arrived arrived = KvRequest.decode(encoded);
        assertEquals(Optional.of(HEADER), arrived.header());
        assertArrayEquals(encoded, arrived.request().encode(arrived.header()));
        assertEquals(
                "00016b000000000000000000",
                HexFormat.of().formatHex(KvRequest.of(Kind.READ, bytes("k")).encode(Optional.empty())));
        for (int length = 0; length < encoded.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(encoded, length);
            assertThrows(MalformedFrameException.class, () -> KvRequest.decode(cut));
        }
        assertThrows(MalformedFrameException.class, () -> KvRequest.decode(new byte[] {6}));
    }

    @Test
    void namedOperations() {
        KvRequest request = KvRequest.named("op", bytes("k"), bytes("v"));
        byte[] encoded = request.encode(Optional.of(HEADER));
        assertEquals("05ac020702e807f403016b0176026f70", HexFormat.of().formatHex(encoded));
        KvRequest.Arrived arrived = KvRequest.decode(encoded);
        assertEquals("op", arrived.request().name());
        assertArrayEquals(encoded, arrived.request().encode(arrived.header()));
        assertNotEquals(KvRequest.named("oq", bytes("k"), bytes("v")).hash(), request.hash());
        String longest = "n".repeat(KvRequest.MAX_NAME);
        assertEquals(longest, KvRequest.named(longest, bytes("k"), bytes("v")).name());
        assertThrows(IllegalArgumentException.class, () -> KvRequest.named(longest + "n", bytes("k"), bytes("v")));
    }

    @Test
    void replies() {
        KvResult result = new KvResult(KvResult.Status.DONE, 300, bytes("v"));
        byte[] reply =
                KvReply.encode(new StoreOutcome(StoreOutcome.Status.DONE, result.encode(), new ClusterTime(500)));
        assertEquals("00f40300ac0276", HexFormat.of().formatHex(reply));
        KvResult again = KvResult.decode(KvReply.decode(reply).result());
        assertEquals(300, again.version());
        assertArrayEquals(bytes("v"), again.value());
        assertThrows(MalformedFrameException.class, () -> KvReply.decode(new byte[] {6, 0}));
        assertThrows(MalformedFrameException.class, () -> KvResult.decode(new byte[] {5, 0}));
        assertEquals(
                "0400",
                HexFormat.of().formatHex(KvResult.of(KvResult.Status.FAILED, 0).encode()));
    }

    /** The settings of a second coordinator do not change those of the first one. */
    @Test
    void theFirstSettingsCountAndASnapshotHoldsAll() {
        CoordinatorState state = new CoordinatorState();
        assertThrows(IllegalStateException.class, () -> state.handle(new byte[] {CoordinatorState.MAP}, 1, () -> 0));
        byte[] first = configure(state, SETTINGS);
        assertArrayEquals(first, configure(state, new KvSettings(7_000, 10, 4, 2, 1_000)));
        state.handle(beat("s1"), 1_000, () -> 0);
        state.handle(beat("s2"), 1_100, () -> 0);
        state.handle(new byte[] {CoordinatorState.LEASE, 1}, 1_200, () -> 0);
        CoordinatorState other = new CoordinatorState();
        other.restore(state.take());
        assertArrayEquals(state.take(), other.take());
        byte[] map = {CoordinatorState.MAP};
        assertArrayEquals(state.handle(map, 1_300, () -> 0), other.handle(map, 1_300, () -> 0));
    }

    /** An heir is told the store that has the calls of a dead server. */
    @Test
    void ordersNameTheStoreOfADeadServer() {
        CoordinatorState state = dealt();
        state.handle(begin("s1", "5e").toBytes(), 1_300, () -> 0);
        for (int millis = 1_400; millis <= 3_000; millis += 100) {
            state.handle(beat("s2"), millis, () -> 0);
        }
        List<Orders.Inheritance> inherited =
                Orders.decode(state.handle(beat("s2"), 3_100, () -> 0)).inherited();
        assertEquals(2, inherited.size());
        inherited.forEach(each -> assertEquals(Optional.of("5e"), each.store()));
    }

    /** Version 1 had no stores, and version 2 neither backups nor moves: their absence is the only difference. */
    @Test
    void snapshotsOfTheFirstVersionsAreRead() {
        CoordinatorState state = new CoordinatorState();
        configure(state, SETTINGS);
        state.handle(beat("s1"), 1_000, () -> 0);
        byte[] third = state.take();
        String directory = HexFormat.of().formatHex(bytes("/s1"));
        String hex = HexFormat.of().formatHex(third);
        assertEquals("03", hex.substring(0, 2));
        // Four tablets that do not move and have no copy; no backups wanted, no backups, no logs. Before them are
        // zeros, too.
        String later = "0000".repeat(4) + "000000";
        assertTrue(hex.endsWith(later));
        String second = "02" + hex.substring(2, hex.length() - later.length());
        String first = "01" + second.substring(2).replace(directory + "00", directory);
        assertEquals(second.length() - 2, first.length());
        for (String older : List.of(first, second)) {
            CoordinatorState other = new CoordinatorState();
            other.restore(HexFormat.of().parseHex(older));
            assertArrayEquals(third, other.take());
        }
    }

    /** Logs of coordinators have the settings of the first version. */
    @Test
    void settingsOfTheFirstVersionHaveNoBackups() {
        WireWriter writer = new WireWriter(32);
        writer.u8(CoordinatorState.FIRST_CONFIGURE);
        SETTINGS.writeFirst(writer);
        byte[] answer = new CoordinatorState().handle(writer.toBytes(), 1, () -> 0);
        assertEquals(SETTINGS, KvSettings.read(new WireReader("settings", answer)));
    }

    private static WireWriter begin(String id, String store) {
        return CoordinatorClient.beginRequest(id, "h", 1, "/" + id, store, Optional.empty());
    }

    private static byte[] configure(CoordinatorState state, KvSettings settings) {
        WireWriter writer = new WireWriter(32);
        writer.u8(CoordinatorState.CONFIGURE);
        settings.write(writer);
        return state.handle(writer.toBytes(), 1, () -> 0);
    }

    private static byte[] beat(String id) {
        WireWriter writer = new WireWriter(32);
        writer.u8(CoordinatorState.BEAT);
        writer.text(id);
        writer.text("h");
        writer.varint(1);
        writer.text("/" + id);
        return writer.toBytes();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
