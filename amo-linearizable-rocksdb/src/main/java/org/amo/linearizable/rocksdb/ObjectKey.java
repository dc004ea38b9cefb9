package org.amo.linearizable.rocksdb;

import java.util.Arrays;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.rpclog.KeyHash;

/**
 * The name of an object.
 *
 * @param table its id
 * @param key at most {@link #MAX_KEY} bytes; not copied
 */
public record ObjectKey(long table, byte[] key) {
    public static final int MAX_KEY = 64 * 1024;

    public ObjectKey {
        if (key.length > MAX_KEY) {
            throw new IllegalArgumentException("a key has at most " + MAX_KEY + " bytes, not " + key.length);
        }
    }

    public long hash() {
        return KeyHash.of(key);
    }

    /** Table, hash, key: so a range of hashes is a range of rows. */
    byte[] row() {
        WireWriter writer = new WireWriter(16 + key.length);
        writer.i64(table);
        writer.i64(hash());
        writer.raw(key, 0, key.length);
        return writer.toBytes();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ObjectKey that && table == that.table && Arrays.equals(key, that.key);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(table) * 31 + Arrays.hashCode(key);
    }
}
