package org.amo.kv;

import java.util.Arrays;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rocksdb.StoreOutcome.Status;

/** How a server answers a copy of a call: the store's outcome, as it travels. */
final class KvReply {
    /** A status stands for itself by its place here. */
    private static final List<Status> BY_CODE = List.of(
            Status.DONE, Status.RETRY_LATER, Status.STALE, Status.LEASE_EXPIRED, Status.MISUSED, Status.ELSEWHERE);

    private KvReply() {}

    static byte[] encode(StoreOutcome outcome) {
        WireWriter writer = new WireWriter(16 + outcome.result().length);
        writer.u8(BY_CODE.indexOf(outcome.status()));
        writer.varint(outcome.clusterTime().millis());
        writer.raw(outcome.result(), 0, outcome.result().length);
        return writer.toBytes();
    }

    static StoreOutcome decode(byte[] bytes) {
        WireReader reader = new WireReader("kv reply", bytes);
        int code = reader.u8("status");
        if (code >= BY_CODE.size()) {
            throw reader.malformed("status", code);
        }
        ClusterTime time = new ClusterTime(reader.varint("cluster time", 0, ClusterTime.MAX_MILLIS));
        byte[] result = Arrays.copyOfRange(bytes, reader.position(), bytes.length);
        return new StoreOutcome(BY_CODE.get(code), result, time);
    }
}
