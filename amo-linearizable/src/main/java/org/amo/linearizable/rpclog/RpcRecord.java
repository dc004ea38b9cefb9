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
 * @param request the hash of the call's request, so that another call under its id is found; 0 if the server has none
 * @param result to answer retries with, at most {@link #MAX_RESULT} bytes; not copied
 */
public record RpcRecord(RpcId id, long ackId, long table, long keyHash, long request, byte[] result) {
    /** A result is kept for each unacknowledged call: large ones belong into the object. */
    public static final int MAX_RESULT = 1 << 20;

    /** Without the hash of a request. */
    private static final int PLAIN = 1;

    private static final int WITH_REQUEST = 2;

    public RpcRecord {
        if (ackId < 0 || ackId >= id.number()) {
            throw new IllegalArgumentException(
                    "a call cannot acknowledge itself: number=" + id.number() + " ackId=" + ackId);
        }
        if (result.length > MAX_RESULT) {
            throw new IllegalArgumentException("a result has at most " + MAX_RESULT + " bytes, not " + result.length);
        }
    }

    /** Of a server that has no hash of the request. */
    public RpcRecord(RpcId id, long ackId, long table, long keyHash, byte[] result) {
        this(id, ackId, table, keyHash, 0, result);
    }

    /** Whether an attempt is one of this call: the id is not enough, since two clients may have one lease by mistake. */
    public boolean isOf(long itsTable, long itsKeyHash, long itsRequest) {
        boolean sameRequest = request == itsRequest || request == 0 || itsRequest == 0;
        return table == itsTable && keyHash == itsKeyHash && sameRequest;
    }

    public byte[] encode() {
        WireWriter writer = new WireWriter(48 + result.length);
        writer.u8(request == 0 ? PLAIN : WITH_REQUEST);
        writer.varint(id.client().value());
        writer.varint(id.number());
        writer.varint(id.number() - ackId);
        writer.i64(table);
        writer.i64(keyHash);
        if (request != 0) {
            writer.i64(request);
        }
        writer.blob(result);
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException for bytes that {@link #encode} did not write */
    public static RpcRecord decode(byte[] bytes) {
        WireReader reader = new WireReader("rpc record", bytes);
        int version = reader.u8("version");
        if (version != PLAIN && version != WITH_REQUEST) {
            throw reader.malformed("version", version);
        }
        LeaseId client = new LeaseId(reader.varint("client", 1, LeaseId.MAX_VALUE));
        long number = reader.varint("number", 1, RpcId.MAX_NUMBER);
        long ackId = number - reader.varint("ack distance", 1, number);
        long table = reader.i64("table");
        long keyHash = reader.i64("key hash");
        long request = version == PLAIN ? 0 : reader.i64("request");
        if (version == WITH_REQUEST && request == 0) {
            throw reader.malformed("request", request);
        }
        byte[] result = reader.blob("result", MAX_RESULT);
        reader.end();
        return new RpcRecord(new RpcId(client, number), ackId, table, keyHash, request, result);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RpcRecord that
                && id.equals(that.id)
                && ackId == that.ackId
                && table == that.table
                && keyHash == that.keyHash
                && request == that.request
                && Arrays.equals(result, that.result);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}
