package org.amo.linearizable.rpclog;

import java.util.Arrays;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.LeaseId;

/**
 * The rpc log entry (section IV-A), written in one with the object that a call changed. docs/wire/rpclog.md.
 *
 * @param id of the call
 * @param ackId acknowledged by the call
 * @param table of the call's object
 * @param keyHash of the call's object: the record goes where the object goes
 * @param result to answer retries with, at most {@link #MAX_RESULT} bytes; not copied
 */
public record RpcRecord(RpcId id, long ackId, long table, long keyHash, byte[] result) {
    /** A result is kept for each unacknowledged call: large ones belong into the object. */
    public static final int MAX_RESULT = 1 << 20;

    private static final int VERSION = 1;

    public RpcRecord {
        if (ackId < 0 || ackId >= id.number()) {
            throw new IllegalArgumentException(
                    "a call cannot acknowledge itself: number=" + id.number() + " ackId=" + ackId);
        }
        if (result.length > MAX_RESULT) {
            throw new IllegalArgumentException("a result has at most " + MAX_RESULT + " bytes, not " + result.length);
        }
    }

    public byte[] encode() {
        WireWriter writer = new WireWriter(40 + result.length);
        writer.u8(VERSION);
        writer.varint(id.client().value());
        writer.varint(id.number());
        writer.varint(id.number() - ackId);
        writer.i64(table);
        writer.i64(keyHash);
        writer.blob(result);
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException for bytes that {@link #encode} did not write */
    public static RpcRecord decode(byte[] bytes) {
        WireReader reader = new WireReader("rpc record", bytes);
        reader.version(VERSION);
        LeaseId client = new LeaseId(reader.varint("client", 1, LeaseId.MAX_VALUE));
        long number = reader.varint("number", 1, RpcId.MAX_NUMBER);
        long ackId = number - reader.varint("ack distance", 1, number);
        long table = reader.i64("table");
        long keyHash = reader.i64("key hash");
        byte[] result = reader.blob("result", MAX_RESULT);
        reader.end();
        return new RpcRecord(new RpcId(client, number), ackId, table, keyHash, result);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RpcRecord that
                && id.equals(that.id)
                && ackId == that.ackId
                && table == that.table
                && keyHash == that.keyHash
                && Arrays.equals(result, that.result);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}
