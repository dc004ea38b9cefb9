package org.amo.linearizable.rocksdb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.amo.linearizable.rpclog.KeyRange;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteOptions;

/** An open RocksDB with our column families. */
final class RocksFiles implements AutoCloseable {
    /** Of a store that RocksDB began to make. It makes the log of writes before the next manifest. */
    private static final String FIRST_MANIFEST = "MANIFEST-000001";

    /** RocksDB alone would keep up to 1.5 GB of the log of writes while one family has few. */
    private static final long MAX_LOG_BYTES = 256L << 20;

    private final RocksDB db;
    private final DBOptions options;
    private final List<ColumnFamilyHandle> handles;

    /** Empty for files that are only read: their reader has it. */
    private final Optional<DirectoryUse> use;

    private RocksFiles(RocksDB db, DBOptions options, List<ColumnFamilyHandle> handles, Optional<DirectoryUse> use) {
        this.use = use;
        this.db = db;
        this.options = options;
        this.handles = handles;
    }

    private static List<ColumnFamilyDescriptor> families() {
        return List.of(
                new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY),
                new ColumnFamilyDescriptor(StoreFormat.OBJECTS),
                new ColumnFamilyDescriptor(StoreFormat.RPCS));
    }

    /** RocksDB's default leaves out, without a word, all writes behind a damaged one. A torn last one was not answered. */
    private static DBOptions options() {
        return new DBOptions().setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords);
    }

    /**
     * Each store that was open has a log of writes. RocksDB takes a missing one for an empty one, and would forget the answered calls
     * in it without a word.
     */
    private static void requireLog(Path directory) {
        Path current = directory.resolve("CURRENT");
        try {
            if (Files.notExists(current)
                    || Files.readString(current, StandardCharsets.ISO_8859_1)
                            .strip()
                            .equals(FIRST_MANIFEST)) {
                return;
            }
            try (Stream<Path> files = Files.list(directory)) {
                if (files.noneMatch(file -> file.toString().endsWith(".log"))) {
                    throw new StoreException("the log of writes of the store in " + directory
                            + " is lost, and answered calls with it; put a copy of the folder in its place");
                }
            }
        } catch (IOException e) {
            throw cannot("read", directory, e);
        }
    }

    static RocksFiles open(Path directory) {
        RocksLibrary.load(directory);
        requireLog(directory);
        DBOptions options = options()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setKeepLogFileNum(2)
                .setMaxTotalWalSize(MAX_LOG_BYTES);
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        Optional<DirectoryUse> use = Optional.empty();
        boolean open = false;
        try {
            makeDurably(directory.toAbsolutePath());
            use = Optional.of(DirectoryUse.toWrite(directory));
            RocksDB db = RocksDB.open(options, directory.toString(), families(), handles);
            open = true;
            return new RocksFiles(db, options, handles, use);
        } catch (RocksDBException | IOException e) {
            throw cannot("open", directory, e);
        } finally {
            if (!open) {
                options.close();
                use.ifPresent(RocksFiles::end);
            }
        }
    }

    /** RocksDB forces its own directory alone; an entry of a new one could be lost above it. */
    private static void makeDurably(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = Objects.requireNonNull(directory.getParent(), "the root is a directory");
        makeDurably(parent);
        Files.createDirectories(directory);
        try (FileChannel entries = FileChannel.open(parent, StandardOpenOption.READ)) {
            entries.force(true);
        }
    }

    /** The files of a server that is gone, which are not written to. RocksDB writes its own log to {@code notes}. */
    static RocksFiles openReadOnly(Path directory, Path notes) {
        RocksLibrary.load(notes);
        requireLog(directory);
        DBOptions options = options().setDbLogDir(notes.toString());
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try {
            Files.createDirectories(notes);
            return new RocksFiles(
                    RocksDB.openReadOnly(options, directory.toString(), families(), handles),
                    options,
                    handles,
                    Optional.empty());
        } catch (RocksDBException | IOException e) {
            options.close();
            throw cannot("read", directory, e);
        }
    }

    /** Says what cannot be done, and the remedy for damage. */
    static StoreException cannot(String what, Path directory, Exception e) {
        boolean damaged = e instanceof RocksDBException rocks
                && rocks.getStatus() != null
                && rocks.getStatus().getCode() == Status.Code.Corruption;
        return new StoreException(
                "cannot " + what + " the store in " + directory + ": " + e.getMessage()
                        + (damaged ? "; put a copy of the folder in its place" : ""),
                e);
    }

    /**
     * Makes a store of its own with all that is written so far. It shares files with this one as far as it can, and no change of one is seen
     * by the other.
     *
     * @param folder does not exist yet; on the same file system
     */
    void copyTo(Path folder) throws RocksDBException, IOException {
        Files.createDirectories(Objects.requireNonNull(folder.getParent(), "the root is a directory"));
        try (Checkpoint checkpoint = Checkpoint.create(db)) {
            checkpoint.createCheckpoint(folder.toString());
        }
        // A reader locks the one, and requires a log of writes, which is empty here.
        for (String name : List.of("LOCK", "000000.log")) {
            if (Files.notExists(folder.resolve(name))) {
                Files.createFile(folder.resolve(name));
            }
        }
    }

    RocksDB db() {
        return db;
    }

    /** The id of this store; empty if no version that draws ids has opened it. */
    Optional<String> id() throws RocksDBException {
        return Optional.ofNullable(db.get(StoreFormat.ID_ROW)).map(StoreFormat::id);
    }

    /** The same, drawn if there is none. Whatever the durability of calls, it is on disk before others hear of it. */
    String idOrNew() throws RocksDBException {
        Optional<String> known = id();
        if (known.isPresent()) {
            return known.get();
        }
        byte[] drawn = StoreFormat.number(new SecureRandom().nextLong());
        try (WriteOptions forced = new WriteOptions().setSync(true)) {
            db.put(forced, StoreFormat.ID_ROW, drawn);
        }
        return StoreFormat.id(drawn);
    }

    /** @param number as in {@link StoreChanges} */
    ColumnFamilyHandle family(int number) {
        return handles.get(number);
    }

    ColumnFamilyHandle objects() {
        return handles.get(1);
    }

    ColumnFamilyHandle rpcs() {
        return handles.get(2);
    }

    /** All rows. */
    void scan(ColumnFamilyHandle family, BiConsumer<byte[], byte[]> each) throws RocksDBException {
        scan(family, new byte[0], row -> true, each);
    }

    /** The objects of a range, which stand one behind the other. */
    void scan(KeyRange range, BiConsumer<byte[], byte[]> each) throws RocksDBException {
        scan(
                objects(),
                StoreFormat.firstRow(range),
                row -> range.contains(StoreFormat.number(row), StoreFormat.numberOf(row)),
                each);
    }

    /** Rows from one on, up to the first that is not in. */
    void scan(ColumnFamilyHandle family, byte[] first, Predicate<byte[]> isIn, BiConsumer<byte[], byte[]> each)
            throws RocksDBException {
        try (ReadOptions read = new ReadOptions().setFillCache(false);
                RocksIterator rows = db.newIterator(family, read)) {
            rows.seek(first);
            while (rows.isValid()) {
                byte[] row = rows.key();
                if (!isIn.test(row)) {
                    break;
                }
                each.accept(row, rows.value());
                rows.next();
            }
            rows.status();
        }
    }

    @Override
    public void close() {
        handles.forEach(ColumnFamilyHandle::close);
        db.close();
        options.close();
        use.ifPresent(RocksFiles::end);
    }

    private static void end(DirectoryUse use) {
        try {
            use.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
