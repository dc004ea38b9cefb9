package org.amo.linearizable.rocksdb;

import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.RpcId;

/** Rows of the three column families; docs/wire/rpclog.md. Any other bytes give a MalformedFrameException. */
final class StoreFormat {
    static final byte[] OBJECTS = {'o'};
    static final byte[] RPCS = {'r'};
    static final byte[] VERSION_ROW = {'v'};
    static final byte[] ID_ROW = {'i'};

    /** The mark of a store that is being restored from a backup. */
    static final byte[] RESTORING_ROW = {'t'};

    private StoreFormat() {}

    static byte[] object(StoredObject object) {
        WireWriter writer = new WireWriter(9 + object.value().length);
        writer.i64(object.version());
        writer.raw(object.value(), 0, object.value().length);
        return writer.toBytes();
    }

    static StoredObject object(byte[] bytes) {
        WireReader reader = new WireReader("object", bytes);
        long version = reader.i64("version");
        return new StoredObject(version, java.util.Arrays.copyOfRange(bytes, 8, bytes.length));
    }

    /** The row of a call's record. Number 0 is the client's bound, so it stands before them. */
    static byte[] rpc(long client, long number) {
        WireWriter writer = new WireWriter(16);
        writer.i64(client);
        writer.i64(number);
        return writer.toBytes();
    }

    static byte[] rpc(RpcId id) {
        return rpc(id.client().value(), id.number());
    }

    static LeaseId clientOf(byte[] row) {
        WireReader reader = new WireReader("rpc row", row);
        long client = reader.i64("client");
        if (client < 1 || client > LeaseId.MAX_VALUE) {
            throw reader.malformed("client", client);
        }
        return new LeaseId(client);
    }

    static long numberOf(byte[] row) {
        WireReader reader = new WireReader("row", row);
        reader.i64("client or table");
        return reader.i64("number or hash");
    }

    static byte[] number(long number) {
        WireWriter writer = new WireWriter(8);
        writer.i64(number);
        return writer.toBytes();
    }

    static long number(byte[] bytes) {
        return new WireReader("number", bytes).i64("number");
    }

    /** The store's id as it is told. */
    static String id(byte[] bytes) {
        return HexFormat.of().toHexDigits(number(bytes));
    }

    /** First row of a range of objects. */
    static byte[] firstRow(KeyRange range) {
        return rpc(range.table(), range.first());
    }

    static boolean isIn(List<KeyRange> ranges, long table, long hash) {
        for (KeyRange range : ranges) {
            if (range.contains(table, hash)) {
                return true;
            }
        }
        return false;
    }
}
