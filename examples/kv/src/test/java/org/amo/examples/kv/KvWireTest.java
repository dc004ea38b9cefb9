package org.amo.examples.kv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import org.amo.core.lease.ClusterTime;
import org.amo.core.lease.LeaseId;
import org.amo.core.rpclog.RpcHeader;
import org.amo.core.rpclog.RpcId;
import org.amo.core.wire.MalformedFrameException;
import org.amo.core.wire.WireWriter;
import org.amo.examples.kv.KvRequest.Kind;
import org.amo.rpclog.Outcome;
import org.junit.jupiter.api.Test;

/** The bytes of docs/wire/rpclog.md, and the coordinator's state over a snapshot. */
final class KvWireTest {
    private static final KvSettings SETTINGS = new KvSettings(6_000, 10, 4, 2, 1_000);

    @Test
    void requests() {
        RpcHeader header =
                new RpcHeader(new RpcId(new LeaseId(300), 7), 5, new ClusterTime(1_000), new ClusterTime(500));
        KvRequest request = new KvRequest(Kind.CONDITIONAL_WRITE, bytes("k"), bytes("v"), 9);
        byte[] encoded = request.encode(Optional.of(header));
        assertEquals(
                "03ac020702e807f403016b01760000000000000009", HexFormat.of().formatHex(encoded));
        KvRequest.Arrived arrived = KvRequest.decode(encoded);
        assertEquals(Optional.of(header), arrived.header());
        assertArrayEquals(encoded, arrived.request().encode(arrived.header()));
        assertEquals(
                "00016b000000000000000000",
                HexFormat.of().formatHex(KvRequest.of(Kind.READ, bytes("k")).encode(Optional.empty())));
        for (int length = 0; length < encoded.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(encoded, length);
            assertThrows(MalformedFrameException.class, () -> KvRequest.decode(cut));
        }
        assertThrows(MalformedFrameException.class, () -> KvRequest.decode(new byte[] {5}));
    }

    @Test
    void replies() {
        KvResult result = new KvResult(KvResult.Status.DONE, 300, bytes("v"));
        byte[] reply = KvReply.encode(new Outcome(Outcome.Status.DONE, result.encode(), new ClusterTime(500)));
        assertEquals("00f40300ac0276", HexFormat.of().formatHex(reply));
        KvResult again = KvResult.decode(KvReply.decode(reply).result());
        assertEquals(300, again.version());
        assertArrayEquals(bytes("v"), again.value());
        assertThrows(MalformedFrameException.class, () -> KvReply.decode(new byte[] {6, 0}));
        assertThrows(MalformedFrameException.class, () -> KvResult.decode(new byte[] {4, 0}));
    }

    /** D15: what a second coordinator is set to does not change the first one's word. */
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
