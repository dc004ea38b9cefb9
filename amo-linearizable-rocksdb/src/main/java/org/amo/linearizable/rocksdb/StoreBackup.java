package org.amo.linearizable.rocksdb;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.amo.base.Experimental;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.rocksdb.BackupFrame.Answer;
import org.amo.linearizable.rocksdb.BackupFrame.Status;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A disk with copies of the writes of other machines' {@link LinearizableStore}s. Bytes: docs/wire/store-backup.md.
 *
 * <p>A log is named by a server and an epoch. It begins with the server's whole state, and is complete from then on: each
 * accepted write is the next one, and is durable before its answer. Older epochs are refused as soon as a newer one is known.
 *
 * <p>Any thread may use it; requests are handled one after the other. An answered write is there after kill -9, or the loss of power
 * with {@link Durability#FSYNC}. A write that fails ends the backup: whether it is on disk is not known.
 */
@Experimental
public class StoreBackup implements AutoCloseable {
    /** The largest number of bytes of rows in an answer, except for a single row that is larger. */
    static final int READ_BYTES = 1 << 20;

    /** Of a log whose first state is not complete, or that does not exist. */
    static final long NO_POSITION = -1;

    private static final byte SEALED = 'S';
    private static final byte LOG = 'L';

    private final Path directory;
    private final RocksFiles files;
    private final WriteOptions write;
    private final WriteOptions forced;
    private Optional<StoreException> failure = Optional.empty();
    private boolean closed;

    StoreBackup(Path directory, Durability durability) {
        this.directory = directory;
        this.files = RocksFiles.open(directory);
        this.write = new WriteOptions().setSync(durability == Durability.FSYNC);
        this.forced = new WriteOptions().setSync(true);
    }

    /**
     * Opens a directory, or makes it.
     *
     * @param durability of a write before its answer
     * @throws StoreException if another process has it open, or it cannot be read
     */
    public static StoreBackup open(Path directory, Durability durability) {
        return new StoreBackup(directory, durability);
    }

    /**
     * Handles a request of a store. Blocks for the disk.
     *
     * @throws StoreException if the disk failed, now or before, or the backup was closed; its process should end
     */
    public final synchronized byte[] handle(byte[] request) {
        if (closed || failure.isPresent()) {
            throw failure.orElseGet(() -> new StoreException("the backup in " + directory + " is closed"));
        }
        try {
            return answer(BackupFrame.decode(request)).encode();
        } catch (MalformedFrameException e) {
            return Answer.of(Status.MALFORMED, 0).encode();
        } catch (RocksDBException e) {
            failure = Optional.of(new StoreException("the backup in " + directory + " failed: " + e.getMessage(), e));
            throw failure.get();
        }
    }

    private Answer answer(BackupFrame frame) throws RocksDBException {
        long sealed = sealed(frame.server());
        if (isOver(frame.epoch(), sealed)) {
            return Answer.of(Status.FENCED, sealed);
        }
        return switch (frame.kind()) {
            case SEAL -> seal(frame, sealed);
            case BEGIN -> begin(frame);
            case PART -> part(frame);
            case READY -> ready(frame);
            case APPEND -> append(frame);
            case CONFIRM -> confirm(frame);
            case READ -> read(frame, sealed);
            case PRUNE -> prune(frame);
        };
    }

    /** Whether a newer process of the server has begun. */
    boolean isOver(long epoch, long sealed) {
        return epoch < sealed;
    }

    /** Whether a log with that position has all answered writes of its epoch. */
    boolean isComplete(long position) {
        return position != NO_POSITION;
    }

    private Answer seal(BackupFrame frame, long sealed) throws RocksDBException {
        if (frame.epoch() > sealed) {
            files.db().put(forced, sealRow(frame.server()), StoreFormat.number(frame.epoch()));
        }
        return Answer.of(Status.OK, 0);
    }

    /** Once for an epoch: a late duplicate must not clear what came since. */
    private Answer begin(BackupFrame frame) throws RocksDBException {
        byte[] row = logRow(frame.server(), frame.epoch());
        if (files.db().get(row) != null) {
            return missing(frame);
        }
        try (WriteBatch batch = new WriteBatch()) {
            batch.put(sealRow(frame.server()), StoreFormat.number(frame.epoch()));
            batch.put(row, StoreFormat.number(NO_POSITION));
            files.db().write(forced, batch);
        }
        return Answer.of(Status.OK, 0);
    }

    private Answer part(BackupFrame frame) throws RocksDBException {
        byte[] row = logRow(frame.server(), frame.epoch());
        if (files.db().get(row) == null || position(row) != NO_POSITION) {
            return missing(frame);
        }
        try (WriteBatch batch = new WriteBatch();
                WriteOptions unforced = new WriteOptions()) {
            StoreChanges.decode(frame.payload(), new Copied(frame, batch));
            // READY forces these, too: they stand before it in the same log of writes.
            files.db().write(unforced, batch);
        }
        return Answer.of(Status.OK, 0);
    }

    private Answer ready(BackupFrame frame) throws RocksDBException {
        byte[] row = logRow(frame.server(), frame.epoch());
        if (files.db().get(row) == null) {
            return missing(frame);
        }
        if (position(row) == NO_POSITION) {
            files.db().put(write, row, StoreFormat.number(0));
        }
        return Answer.of(Status.OK, position(row));
    }

    private Answer append(BackupFrame frame) throws RocksDBException {
        byte[] row = logRow(frame.server(), frame.epoch());
        long position = position(row);
        if (!isComplete(position) || frame.number() > position + 1) {
            return missing(frame);
        }
        if (frame.number() <= position) {
            return Answer.of(Status.OK, position);
        }
        try (WriteBatch batch = new WriteBatch()) {
            StoreChanges.decode(frame.payload(), new Copied(frame, batch));
            batch.put(row, StoreFormat.number(frame.number()));
            files.db().write(write, batch);
        }
        return Answer.of(Status.OK, frame.number());
    }

    private Answer confirm(BackupFrame frame) throws RocksDBException {
        long position = position(logRow(frame.server(), frame.epoch()));
        return isComplete(position) ? Answer.of(Status.OK, position) : missing(frame);
    }

    /** The reader has sealed the log before: nothing is written to it any more. */
    private Answer read(BackupFrame frame, long sealed) throws RocksDBException {
        if (sealed != frame.epoch() || !isComplete(position(logRow(frame.server(), frame.number())))) {
            return missing(frame);
        }
        byte[] log = dataRow(frame.server(), frame.number());
        byte[] last = frame.payload();
        byte[] after = last.length == 0 ? log : join(join(log, last), new byte[1]);
        WireWriter rows = new WireWriter(READ_BYTES + 1_024);
        boolean[] more = {false};
        files.scan(
                files.objects(),
                after,
                row -> {
                    boolean isMine = Arrays.mismatch(row, log) == log.length;
                    more[0] = isMine && rows.size() >= READ_BYTES;
                    return isMine && !more[0];
                },
                (row, value) -> StoreChanges.putTo(
                        rows, row[log.length], Arrays.copyOfRange(row, log.length + 1, row.length), value));
        return new Answer(Status.OK, more[0] ? 0 : 1, rows.toBytes());
    }

    private Answer prune(BackupFrame frame) throws RocksDBException {
        String server = frame.server();
        try (WriteBatch batch = new WriteBatch()) {
            batch.deleteRange(files.objects(), dataRow(server, 0), dataRow(server, frame.epoch()));
            batch.deleteRange(logRow(server, 0), logRow(server, frame.epoch()));
            files.db().write(write, batch);
        }
        return Answer.of(Status.OK, 0);
    }

    private Answer missing(BackupFrame frame) throws RocksDBException {
        return Answer.of(Status.MISSING, Math.max(0, position(logRow(frame.server(), frame.epoch()))));
    }

    private long sealed(String server) throws RocksDBException {
        byte[] value = files.db().get(sealRow(server));
        return value == null ? 0 : StoreFormat.number(value);
    }

    private long position(byte[] logRow) throws RocksDBException {
        byte[] value = files.db().get(logRow);
        return value == null ? NO_POSITION : StoreFormat.number(value);
    }

    private static byte[] sealRow(String server) {
        WireWriter writer = new WireWriter(32);
        writer.u8(SEALED);
        writer.text(server);
        return writer.toBytes();
    }

    private static byte[] logRow(String server, long epoch) {
        WireWriter writer = new WireWriter(32);
        writer.u8(LOG);
        writer.text(server);
        writer.i64(epoch);
        return writer.toBytes();
    }

    /** The first bytes of all rows of a log; the family and the row follow. */
    private static byte[] dataRow(String server, long epoch) {
        WireWriter writer = new WireWriter(32);
        writer.text(server);
        writer.i64(epoch);
        return writer.toBytes();
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }

    /** Puts a store's changes among the rows of its log. */
    private final class Copied implements StoreChanges.Target {
        private final byte[] log;
        private final WriteBatch batch;

        Copied(BackupFrame frame, WriteBatch batch) {
            this.log = dataRow(frame.server(), frame.epoch());
            this.batch = batch;
        }

        private byte[] row(int family, byte[] row) {
            return join(join(log, new byte[] {(byte) family}), row);
        }

        @Override
        public void put(int family, byte[] row, byte[] value) throws RocksDBException {
            batch.put(files.objects(), row(family, row), value);
        }

        @Override
        public void delete(int family, byte[] row) throws RocksDBException {
            batch.delete(files.objects(), row(family, row));
        }

        @Override
        public void deleteRange(int family, byte[] first, byte[] end) throws RocksDBException {
            batch.deleteRange(files.objects(), row(family, first), row(family, end));
        }
    }

    /** Answered writes stay. */
    @Override
    public final synchronized void close() {
        if (!closed) {
            closed = true;
            write.close();
            forced.close();
            files.close();
        }
    }
}
