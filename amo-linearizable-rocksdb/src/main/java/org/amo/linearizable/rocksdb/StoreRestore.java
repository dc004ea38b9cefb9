package org.amo.linearizable.rocksdb;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.linearizable.rocksdb.BackupFrame.Answer;
import org.amo.linearizable.rocksdb.BackupFrame.Status;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * Fetches a server's whole state from one holder of its last complete log into an empty store. A crash leaves a part behind,
 * under a mark; the next process begins again. The mark goes when the coordinator knows the new store.
 */
final class StoreRestore {
    private final RocksFiles files;
    private final BackupLog log;

    StoreRestore(RocksFiles files, BackupLog log) {
        this.files = files;
        this.log = log;
    }

    /**
     * Blocks until a holder has been read.
     *
     * @throws StoreException if this store is another one with rows of its own, or every holder says that it has lost the log
     */
    void restore(BackupGroup.Term term) throws RocksDBException {
        if (files.db().get(StoreFormat.RESTORING_ROW) == null) {
            requireEmpty();
        }
        try (WriteOptions forced = new WriteOptions().setSync(true)) {
            while (true) {
                List<String> lost = new ArrayList<>();
                for (String holder : term.holders()) {
                    Optional<Boolean> read = readFrom(holder, term, forced);
                    if (read.isPresent() && read.get()) {
                        return;
                    }
                    if (read.isPresent()) {
                        lost.add(holder);
                    }
                }
                if (lost.size() == term.holders().size()) {
                    throw new StoreException("this store is not the one with the answered calls of its ranges, and the"
                            + " backups " + lost
                            + " have lost their copies; put a copy of the lost folder in its place,"
                            + " or give these calls up");
                }
                log.pause();
            }
        }
    }

    private void requireEmpty() throws RocksDBException {
        boolean[] any = {files.db().get(StoreFormat.VERSION_ROW) != null};
        for (int family : List.of(StoreChanges.OBJECTS, StoreChanges.RPCS)) {
            files.scan(files.family(family), new byte[0], row -> !any[0], (row, value) -> any[0] = true);
        }
        if (any[0]) {
            throw new StoreException(
                    "the store in this directory is not the one with the answered calls of its ranges, and is"
                            + " not empty; put the right folder in its place, or an empty one, which is filled from the backups");
        }
    }

    /** @return whether it was read; false if the holder has lost the log; empty if it does not answer */
    private Optional<Boolean> readFrom(String holder, BackupGroup.Term term, WriteOptions forced)
            throws RocksDBException {
        if (log.ask(holder, log.seal(term.epoch())).isEmpty()) {
            return Optional.empty();
        }
        clear(forced);
        byte[] last = {};
        while (true) {
            Optional<Answer> answer = log.read(holder, term.epoch(), term.logEpoch(), last);
            if (answer.isEmpty()) {
                return Optional.empty();
            }
            if (answer.get().status() != Status.OK) {
                return Optional.of(false);
            }
            boolean isEnd = answer.get().number() == 1;
            try (StoreChanges part = new StoreChanges(files, false)) {
                Rows rows = new Rows(part);
                StoreChanges.decode(answer.get().payload(), rows);
                last = rows.last;
                if (!part.isEmpty()) {
                    files.db().write(forced, part.batch());
                }
            }
            if (isEnd) {
                return Optional.of(true);
            }
        }
    }

    private void clear(WriteOptions forced) throws RocksDBException {
        try (StoreChanges cleared = new StoreChanges(files, false)) {
            cleared.put(StoreChanges.DEFAULT, StoreFormat.RESTORING_ROW, new byte[0]);
            cleared.delete(StoreChanges.DEFAULT, StoreFormat.VERSION_ROW);
            for (int family : List.of(StoreChanges.OBJECTS, StoreChanges.RPCS)) {
                files.scan(files.family(family), (row, value) -> delete(cleared, family, row));
            }
            files.db().write(forced, cleared.batch());
        }
    }

    private static void delete(StoreChanges changes, int family, byte[] row) {
        try {
            changes.delete(family, row);
        } catch (RocksDBException e) {
            throw new StoreException("cannot prepare a write: " + e.getMessage(), e);
        }
    }

    /** Takes rows into a part, and notes the last one. */
    private static final class Rows implements StoreChanges.Target {
        private final StoreChanges part;
        private byte[] last = {};

        Rows(StoreChanges part) {
            this.part = part;
        }

        @Override
        public void put(int family, byte[] row, byte[] value) throws RocksDBException {
            part.put(family, row, value);
            last = new byte[row.length + 1];
            last[0] = (byte) family;
            System.arraycopy(row, 0, last, 1, row.length);
        }

        @Override
        public void delete(int family, byte[] row) {
            throw new StoreException("a backup sent a deletion in a state");
        }

        @Override
        public void deleteRange(int family, byte[] first, byte[] end) {
            throw new StoreException("a backup sent a deletion in a state");
        }
    }
}
