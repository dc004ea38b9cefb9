package org.amo.linearizable.rocksdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.amo.base.DaemonThreads;
import org.rocksdb.RocksDBException;

/** Backups of one server, and the coordinator's part, in the test's own process. */
final class TestBackups implements AutoCloseable {
    private final Path folder;
    private final int copies;
    private final BiFunction<Path, Durability, StoreBackup> opener;
    private final Map<String, StoreBackup> backups = new TreeMap<>();
    private final Set<String> away = new HashSet<>();
    private final Set<String> stuck = new HashSet<>();
    private final List<Runnable> held = new ArrayList<>();
    private final Executor executor = Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-test-backups"));
    private int refusedParts;
    private long epoch;
    private long process;
    private long processes;
    private long logEpoch;
    private String store = "";
    private List<String> holders = List.of();

    TestBackups(Path folder, int copies, int backups, BiFunction<Path, Durability, StoreBackup> opener) {
        this.folder = folder;
        this.copies = copies;
        this.opener = opener;
        for (int i = 0; i < backups; i++) {
            open("b" + i);
        }
    }

    private void open(String id) {
        backups.put(id, opener.apply(folder.resolve(id), Durability.FILE));
    }

    private StoreBackup backup(String id) {
        return Objects.requireNonNull(backups.get(id), id);
    }

    synchronized List<String> holders() {
        return holders;
    }

    /** No request reaches it from now on. */
    synchronized void leave(String id) {
        away.add(id);
    }

    synchronized void comeBack(String id) {
        away.remove(id);
    }

    /** Its answers are held from now on; the requests reach it when they are released. */
    synchronized void hold(String id) {
        stuck.add(id);
    }

    synchronized void release() {
        stuck.clear();
        held.forEach(executor::execute);
        held.clear();
    }

    synchronized int held() {
        return held.size();
    }

    /** So many parts of states are refused. */
    synchronized void refuseParts(int count) {
        refusedParts = count;
    }

    /** Whether it has rows of no log; it is opened anew. */
    synchronized boolean isEmpty(String id) throws RocksDBException {
        backup(id).close();
        List<byte[]> rows = new ArrayList<>();
        try (RocksFiles files = RocksFiles.openReadOnly(folder.resolve(id), folder.resolve("notes"))) {
            files.scan(files.objects(), (row, value) -> rows.add(row));
        }
        open(id);
        return rows.isEmpty();
    }

    /** It is there again with an empty disk. */
    synchronized void loseDisk(String id) throws IOException {
        backup(id).close();
        delete(folder.resolve(id));
        open(id);
    }

    static void delete(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** The connection of a new process of the server. */
    BackupGroup process() {
        return new ServerProcess();
    }

    private final class ServerProcess implements BackupGroup {
        private long number;

        @Override
        public int copies() {
            return copies;
        }

        @Override
        public String server() {
            return "s0";
        }

        @Override
        public CompletableFuture<Term> newEpoch(String mine) {
            synchronized (TestBackups.this) {
                if (number == 0) {
                    number = ++processes;
                    process = number;
                }
                if (number != process) {
                    return CompletableFuture.failedFuture(new StoreException("a newer process has begun"));
                }
                boolean isComplete = store.isEmpty() || store.equals(mine);
                return CompletableFuture.completedFuture(new Term(++epoch, isComplete, logEpoch, holders));
            }
        }

        @Override
        public CompletableFuture<Boolean> complete(long of, String mine, List<String> at) {
            synchronized (TestBackups.this) {
                if (of != epoch) {
                    return CompletableFuture.completedFuture(false);
                }
                logEpoch = of;
                store = mine;
                holders = at;
                return CompletableFuture.completedFuture(true);
            }
        }

        @Override
        public CompletableFuture<List<String>> live() {
            synchronized (TestBackups.this) {
                return CompletableFuture.completedFuture(backups.keySet().stream()
                        .filter(each -> !away.contains(each))
                        .toList());
            }
        }

        @Override
        public CompletableFuture<byte[]> send(String backup, byte[] request) {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            Runnable handle = () -> answer.complete(backup(backup).handle(request));
            synchronized (TestBackups.this) {
                boolean isRefused = BackupFrame.decode(request).kind() == BackupFrame.Kind.PART && refusedParts > 0;
                refusedParts -= isRefused ? 1 : 0;
                if (away.contains(backup) || isRefused) {
                    answer.completeExceptionally(new IOException("no connection"));
                } else if (stuck.contains(backup)) {
                    held.add(handle);
                } else {
                    executor.execute(handle);
                }
            }
            return answer;
        }
    }

    @Override
    public synchronized void close() {
        backups.values().forEach(StoreBackup::close);
    }
}
