package org.amo.linearizable.rocksdb;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.rocksdb.BackupFrame.Answer;
import org.amo.linearizable.rocksdb.BackupFrame.Kind;
import org.amo.linearizable.rocksdb.BackupFrame.Status;
import org.rocksdb.RocksDBException;

/**
 * A store's writes at its backups. A log is named by the server and an epoch: it begins with the whole state at each of its
 * holders, and has every write since. A write counts when all holders have it, so any one of them has all answered writes.
 *
 * <p>Invariant: the coordinator names the holders of one complete log, and that log stays at them until a newer one is complete at
 * its own. If a holder is lost, a new log is begun at others; if there are too few, the store waits.
 *
 * <p>A process that begins seals a holder of the last log first, or has the only store that the writer of that log can have
 * open. A writer needs all holders, so an older process can neither write nor confirm a read from then on.
 *
 * <p>One thread at a time owns it: the thread that opens the store, then the store's. It blocks.
 */
final class BackupLog {
    static final int PART_BYTES = 1 << 20;

    /** So long a holder may be silent before another backup takes its place. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long PAUSE_MILLIS = 50;

    private final BackupGroup group;
    private final int copies;
    private final RocksFiles files;
    private final String store;
    private final BooleanSupplier closing;
    private final Map<String, CompletableFuture<byte[]>> sent = new LinkedHashMap<>();
    private final Set<String> failed = new HashSet<>();
    private List<String> holders = List.of();
    private BackupFrame last;
    private long epoch;
    private long position;

    private BackupLog(BackupGroup group, int copies, RocksFiles files, String store, BooleanSupplier closing) {
        this.group = group;
        this.copies = copies;
        this.files = files;
        this.store = store;
        this.closing = closing;
        this.last = BackupFrame.of(Kind.CONFIRM, group.server(), 1);
    }

    /**
     * Begins a new log, after the store was restored from a holder of the last one if it is not complete itself.
     *
     * @param store its id
     * @return empty if there are to be no backups
     * @throws StoreException if a newer process of the server runs, or no backup can have the last log any more
     */
    static Optional<BackupLog> begin(BackupGroup group, RocksFiles files, String store, BooleanSupplier closing)
            throws RocksDBException {
        int copies = group.copies();
        if (copies == 0) {
            return Optional.empty();
        }
        BackupLog log = new BackupLog(group, copies, files, store, closing);
        BackupGroup.Term term = log.untilKnown(() -> group.newEpoch(store));
        if (term.ownIsComplete()) {
            term.holders().forEach(each -> log.ask(each, log.seal(term.epoch())));
        } else {
            new StoreRestore(files, log).restore(term);
        }
        log.install(Optional.of(term));
        files.db().delete(StoreFormat.RESTORING_ROW);
        return Optional.of(log);
    }

    /** Sends a write to all holders. {@link #await} must follow it, when the write is in the store. */
    void append(byte[] changes) {
        position++;
        send(new BackupFrame(Kind.APPEND, group.server(), epoch, position, changes));
    }

    /** Waits until no older process' log is read any more: all holders confirm that there is no newer epoch. */
    void confirm() throws RocksDBException {
        send(BackupFrame.of(Kind.CONFIRM, group.server(), epoch));
        await();
    }

    private void send(BackupFrame frame) {
        last = frame;
        byte[] request = frame.encode();
        holders.forEach(each -> sent.put(each, group.send(each, request)));
    }

    /**
     * Waits until all holders have the last write, or those of a new log, which begins with it.
     *
     * @throws StoreException if a newer process has begun, or the store is closed
     */
    void await() throws RocksDBException {
        Map<String, CompletableFuture<byte[]>> waited = new LinkedHashMap<>(sent);
        sent.clear();
        long began = System.nanoTime();
        for (Map.Entry<String, CompletableFuture<byte[]>> each : waited.entrySet()) {
            Optional<Answer> answer = answer(each.getValue());
            while (answer.isEmpty()) {
                if (System.nanoTime() - began > PATIENCE_NANOS && canReplace(each.getKey())) {
                    failed.add(each.getKey());
                    install(Optional.empty());
                    return;
                }
                pause();
                answer = answer(group.send(each.getKey(), last.encode()));
            }
            if (answer.get().status() != Status.OK) {
                // It has lost its disk.
                failed.add(each.getKey());
                install(Optional.empty());
                return;
            }
        }
    }

    private boolean canReplace(String holder) {
        Optional<List<String>> live = known(group.live());
        return live.isPresent()
                && live.get().stream().filter(each -> !each.equals(holder)).count() >= copies;
    }

    /**
     * Begins a new log at enough backups, until that succeeds. Each try has an epoch of its own, so no request of an earlier one can
     * harm it.
     */
    private void install(Optional<BackupGroup.Term> first) throws RocksDBException {
        Optional<BackupGroup.Term> term = first;
        while (true) {
            Optional<List<String>> chosen = choose();
            if (chosen.isEmpty()) {
                pause();
                continue;
            }
            long next = term.orElseGet(() -> untilKnown(() -> group.newEpoch(store)))
                    .epoch();
            term = Optional.empty();
            boolean isThere = true;
            for (String backup : chosen.get()) {
                if (isThere && !copyTo(backup, next)) {
                    failed.add(backup);
                    isThere = false;
                }
            }
            if (isThere) {
                // Refused: perhaps for an epoch of this process, whose answer was lost. The next question tells.
                if (untilKnown(() -> group.complete(next, store, chosen.get()))) {
                    begun(next, chosen.get());
                    return;
                }
            }
        }
    }

    private void begun(long next, List<String> chosen) {
        Set<String> had = new HashSet<>(holders);
        had.addAll(known(group.live()).orElse(List.of()));
        holders = chosen;
        epoch = next;
        position = 0;
        failed.clear();
        prune(had);
    }

    /** Has all backups remove older logs: one that was away when this one began still has them. Waits for nothing. */
    void prune() {
        CompletableFuture<Void> unused = group.live().thenAccept(this::prune);
    }

    private void prune(Collection<String> backups) {
        byte[] prune = BackupFrame.of(Kind.PRUNE, group.server(), epoch).encode();
        // One that does not get it keeps older logs until it gets a later one.
        for (String each : backups) {
            CompletableFuture<byte[]> unused = group.send(each, prune);
        }
    }

    /** Present holders first, and those that failed only if there are no others. */
    private Optional<List<String>> choose() {
        List<String> live = new ArrayList<>(known(group.live()).orElse(List.of()));
        List<String> sorted = new ArrayList<>(live);
        sorted.removeIf(each -> !holders.contains(each) || failed.contains(each));
        live.stream()
                .filter(each -> !sorted.contains(each) && !failed.contains(each))
                .forEach(sorted::add);
        live.stream().filter(each -> !sorted.contains(each)).forEach(sorted::add);
        return sorted.size() < copies ? Optional.empty() : Optional.of(List.copyOf(sorted.subList(0, copies)));
    }

    /** @return false if the backup did not take it */
    private boolean copyTo(String backup, long next) throws RocksDBException {
        if (!isOk(ask(backup, BackupFrame.of(Kind.BEGIN, group.server(), next)))) {
            return false;
        }
        Parts parts = new Parts(backup, next);
        byte[] version = files.db().get(StoreFormat.VERSION_ROW);
        if (version != null) {
            parts.add(StoreChanges.DEFAULT, StoreFormat.VERSION_ROW, version);
        }
        for (int family : List.of(StoreChanges.OBJECTS, StoreChanges.RPCS)) {
            files.scan(files.family(family), (row, value) -> parts.add(family, row, value));
        }
        return parts.end() && isOk(ask(backup, BackupFrame.of(Kind.READY, group.server(), next)));
    }

    private static boolean isOk(Optional<Answer> answer) {
        return answer.isPresent() && answer.get().status() == Status.OK;
    }

    /** Sends a state, part by part. */
    private final class Parts {
        private final String backup;
        private final long next;
        private WireWriter part = new WireWriter(1_024);
        private boolean taken = true;

        Parts(String backup, long next) {
            this.backup = backup;
            this.next = next;
        }

        void add(int family, byte[] row, byte[] value) {
            if (taken) {
                StoreChanges.putTo(part, family, row, value);
                if (part.size() >= PART_BYTES) {
                    end();
                }
            }
        }

        /** @return false if one was not taken */
        boolean end() {
            if (taken && part.size() > 0) {
                taken = isOk(ask(backup, new BackupFrame(Kind.PART, group.server(), next, 0, part.toBytes())));
                part = new WireWriter(PART_BYTES);
            }
            return taken;
        }
    }

    /** One attempt. */
    Optional<Answer> ask(String backup, BackupFrame frame) {
        return answer(group.send(backup, frame.encode()));
    }

    Optional<Answer> read(String backup, long reader, long log, byte[] lastRow) {
        return ask(backup, new BackupFrame(Kind.READ, group.server(), reader, log, lastRow));
    }

    BackupFrame seal(long by) {
        return BackupFrame.of(Kind.SEAL, group.server(), by);
    }

    /** @throws StoreException if a newer process has begun */
    private Optional<Answer> answer(CompletableFuture<byte[]> future) {
        Optional<byte[]> bytes = known(future);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        try {
            Answer answer = Answer.decode(bytes.get());
            if (answer.status() == Status.FENCED) {
                throw over();
            }
            return Optional.of(answer);
        } catch (MalformedFrameException e) {
            return Optional.empty();
        }
    }

    private StoreException over() {
        return new StoreException("another process of server " + group.server()
                + " has begun since, and this one must not serve any more");
    }

    /** A question to the coordinator or to a backup. */
    private interface Question<T> {
        CompletableFuture<T> ask();
    }

    private <T> T untilKnown(Question<T> question) {
        while (true) {
            Optional<T> answer = known(question.ask());
            if (answer.isPresent()) {
                return answer.get();
            }
            pause();
        }
    }

    /** @return empty if it failed, and may be asked again */
    private <T> Optional<T> known(CompletableFuture<T> future) {
        while (true) {
            try {
                return Optional.of(future.get());
            } catch (InterruptedException e) {
                // An operation may have left the mark.
                checkOpen();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof StoreException why) {
                    throw why;
                }
                return Optional.empty();
            }
        }
    }

    void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            checkOpen();
        }
        checkOpen();
    }

    private void checkOpen() {
        if (closing.getAsBoolean()) {
            throw new StoreException("the store was closed while its backups had not answered");
        }
    }
}
