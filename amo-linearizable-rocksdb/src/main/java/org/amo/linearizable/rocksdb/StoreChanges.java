package org.amo.linearizable.rocksdb;

import java.util.Optional;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * Changes that are one write, for RocksDB, and for backups if there are any: docs/wire/store-backup.md. One thread owns it.
 */
final class StoreChanges implements AutoCloseable {
    static final int DEFAULT = 0;
    static final int OBJECTS = 1;
    static final int RPCS = 2;

    /** A row is a key with its table and hash. */
    private static final int MAX_ROW = ObjectKey.MAX_KEY + 16;

    private static final int PUT = 0;
    private static final int DELETE = 1;
    private static final int DELETE_RANGE = 2;

    private final RocksFiles files;
    private final WriteBatch batch = new WriteBatch();
    private final Optional<WireWriter> bytes;

    /** Receives the changes of a decoded write. */
    interface Target {
        void put(int family, byte[] row, byte[] value) throws RocksDBException;

        void delete(int family, byte[] row) throws RocksDBException;

        /** @param end is not deleted */
        void deleteRange(int family, byte[] first, byte[] end) throws RocksDBException;
    }

    /** @param encodes whether backups get the changes, too */
    StoreChanges(RocksFiles files, boolean encodes) {
        this.files = files;
        this.bytes = encodes ? Optional.of(new WireWriter(256)) : Optional.empty();
    }

    boolean isEmpty() {
        return batch.count() == 0;
    }

    long size() {
        return batch.getDataSize();
    }

    WriteBatch batch() {
        return batch;
    }

    /** For backups. */
    byte[] toBytes() {
        return bytes.orElseThrow().toBytes();
    }

    void put(int family, byte[] row, byte[] value) throws RocksDBException {
        batch.put(files.family(family), row, value);
        if (bytes.isPresent()) {
            putTo(bytes.get(), family, row, value);
        }
    }

    void delete(int family, byte[] row) throws RocksDBException {
        batch.delete(files.family(family), row);
        if (bytes.isPresent()) {
            head(bytes.get(), DELETE, family, row);
        }
    }

    void deleteRange(int family, byte[] first, byte[] end) throws RocksDBException {
        batch.deleteRange(files.family(family), first, end);
        if (bytes.isPresent()) {
            head(bytes.get(), DELETE_RANGE, family, first);
            bytes.get().blob(end);
        }
    }

    /** The encoding of a put alone. */
    static void putTo(WireWriter writer, int family, byte[] row, byte[] value) {
        head(writer, PUT, family, row);
        writer.blob(value);
    }

    private static void head(WireWriter writer, int change, int family, byte[] row) {
        writer.u8(change);
        writer.u8(family);
        writer.blob(row);
    }

    /** @throws org.amo.base.wire.MalformedFrameException if the bytes are no changes; some of them may have been passed on */
    static void decode(byte[] encoded, Target target) throws RocksDBException {
        WireReader reader = new WireReader("changes", encoded);
        while (reader.remaining() > 0) {
            int change = reader.u8("change");
            int family = reader.u8("family");
            if (family > RPCS) {
                throw reader.malformed("family", family);
            }
            byte[] row = reader.blob("row", MAX_ROW);
            switch (change) {
                case PUT -> target.put(family, row, reader.blob("value", encoded.length));
                case DELETE -> target.delete(family, row);
                case DELETE_RANGE -> target.deleteRange(family, row, reader.blob("end", MAX_ROW));
                default -> throw reader.malformed("change", change);
            }
        }
    }

    @Override
    public void close() {
        batch.close();
    }
}
