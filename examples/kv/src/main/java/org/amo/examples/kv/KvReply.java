package org.amo.examples.kv;

import org.amo.core.lease.ClusterTime;
import org.amo.core.wire.WireReader;
import org.amo.core.wire.WireWriter;
import org.amo.rpclog.Outcome;

/** How a server answers a copy of a call: the store's outcome, as it travels. */
final class KvReply {
    private KvReply() {}

    static byte[] encode(Outcome outcome) {
        WireWriter writer = new WireWriter(16 + outcome.result().length);
        writer.u8(outcome.status().ordinal());
        writer.varint(outcome.clusterTime().millis());
        writer.raw(outcome.result(), 0, outcome.result().length);
        return writer.toBytes();
    }

    static Outcome decode(byte[] bytes) {
        WireReader reader = new WireReader("kv reply", bytes);
        int code = reader.u8("status");
        if (code >= Outcome.Status.values().length) {
            throw reader.malformed("status", code);
        }
        ClusterTime time = new ClusterTime(reader.varint("cluster time", 0, ClusterTime.MAX_MILLIS));
        byte[] result = java.util.Arrays.copyOfRange(bytes, reader.position(), bytes.length);
        return new Outcome(Outcome.Status.values()[code], result, time);
    }
}
