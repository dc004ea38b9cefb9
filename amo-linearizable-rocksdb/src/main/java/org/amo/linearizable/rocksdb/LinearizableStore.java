package org.amo.linearizable.rocksdb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.amo.base.DaemonThreads;
import org.amo.base.Stable;
import org.amo.base.wire.MalformedFrameException;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.LeaseValidator;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.PendingRemovals;
import org.amo.linearizable.rpclog.RangeRecovery;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcRecord;
import org.amo.linearizable.rpclog.RpcVerdict;
import org.amo.linearizable.rpclog.UnackedRpcResults;
import org.rocksdb.RocksDBException;

/**
 * A server's objects and rpc records on disk (Park, sections III-B to V): each call is executed at most once as
 * long as its client's lease lasts, and retries get the first result, over crashes and on servers that take ranges over.
 *
 * <p>Object and record are one write. Calls that wait together share a write and its fsync; a result leaves when it is
 * durable. After kill -9, or the loss of power with {@link Durability#FSYNC}, {@link #open} finds every answered call.
 *
 * <p>Nothing is served before the authority has told the cluster time, at start and after {@link #takeOver}. Only one
 * process has a directory open. Where a disk may be lost with its server, give it a {@link BackupGroup}, or make the shard an
 * {@code AmoReplica} group.
 *
 * <p>Safe for use by several threads. Futures are completed by the store's thread, which must not be held up. A write
 * that fails ends the store: whether it is on disk is not known.
 */
@Stable
public final class LinearizableStore implements AutoCloseable {
    /**
     * So many acknowledged records go together, or fewer with a sweep: not one with each call, which would wait. So many may be on disk
     * beside those of use.
     */
    public static final int RECORDS_A_REMOVAL = 32;

    private static final int SWEEP_ROWS = 10_000;

    /** A record of a dead client is of no use from the end of its lease to the next sweep. */
    private static final int SWEEPS_A_TERM = 32;

    private final RocksFiles files;
    private final Path directory;
    private final StoreOptions options;
    private final Authority authority;
    private final OwnerQueue<Task<?>> queue;
    private final Thread owner;

    // Of the owner alone.
    private final LeaseValidator lease = new LeaseValidator();
    private final PendingRemovals removals = new PendingRemovals();
    private final UnackedRpcResults table;
    private final List<KeyRange> served = new ArrayList<>();
    private final List<Runnable> whenDurable = new ArrayList<>();
    private StoreWriter writer;
    private StagedBatch batch;
    private long leastVersion;
    private boolean tidies;
    private boolean closedByOwner;

    private volatile boolean closing;
    private volatile Optional<StoreException> failure = Optional.empty();

    private LinearizableStore(Path directory, StoreOptions options, Authority authority) {
        this.directory = directory;
        this.options = options;
        this.authority = authority;
        this.files = RocksFiles.open(directory);
        this.writer = new StoreWriter(files, options.durability(), Optional.empty());
        this.queue = new OwnerQueue<>(options.queuedCalls());
        this.table = new UnackedRpcResults(lease, options.table(), removals);
        this.batch = writer.stage();
        this.owner = DaemonThreads.unstarted("amo-rpclog-" + directory.getFileName(), this::work);
    }

    /**
     * Opens a directory, or makes it, and rebuilds the table from its records.
     *
     * @param ranges that this server has, as the coordinator says now; records of others only bound their clients
     * @throws StoreException if another process has it open, or it cannot be read
     */
    public static LinearizableStore open(
            Path directory, List<KeyRange> ranges, StoreOptions options, Authority authority) {
        return open(directory, () -> ranges, options, authority);
    }

    /**
     * The same for a server that comes back and does not know which ranges were taken over from it. They are asked for
     * when the directory is locked, since from then on no server can take more.
     */
    public static LinearizableStore open(
            Path directory, Supplier<List<KeyRange>> ranges, StoreOptions options, Authority authority) {
        return open(directory, id -> ranges.get(), options, authority);
    }

    /**
     * The same for a server whose coordinator knows the store that has the calls of its ranges: a directory that was lost is made
     * anew, with another id.
     *
     * @param ranges gets the id of this store, and throws a {@link StoreException} if it must not serve
     */
    public static LinearizableStore open(
            Path directory, Function<String, List<KeyRange>> ranges, StoreOptions options, Authority authority) {
        return open(directory, ranges, options, authority, Optional.empty());
    }

    /**
     * The same for a server whose disk may be lost: all of so many backups have each write before its answer, and each read
     * is confirmed by them. If the coordinator says that this store is not complete, it is fetched from a backup first. So a call is
     * lost only with the disks of the server and of all its backups. Blocks until enough backups have the whole state.
     *
     * @param backups that this process of the server has
     * @throws StoreException also if this store must be fetched and is not empty, or no backup has a copy any more, or a newer process of
     *     the server has begun
     */
    public static LinearizableStore open(
            Path directory,
            Function<String, List<KeyRange>> ranges,
            StoreOptions options,
            Authority authority,
            BackupGroup backups) {
        return open(directory, ranges, options, authority, Optional.of(backups));
    }

    private static LinearizableStore open(
            Path directory,
            Function<String, List<KeyRange>> ranges,
            StoreOptions options,
            Authority authority,
            Optional<BackupGroup> backups) {
        LinearizableStore store = new LinearizableStore(directory, options, authority);
        try {
            String id = store.files.idOrNew();
            List<KeyRange> served = ranges.apply(id);
            if (backups.isPresent()) {
                store.backUp(backups.get(), id);
            }
            store.recover(served);
        } catch (RocksDBException | RuntimeException e) {
            store.release();
            throw new StoreException("cannot recover the store in " + directory + ": " + e.getMessage(), e);
        }
        store.learn(store.lease.mustLearn());
        store.owner.start();
        return store;
    }

    private void backUp(BackupGroup backups, String id) throws RocksDBException {
        Optional<BackupLog> log = BackupLog.begin(backups, files, id, () -> closing);
        batch.close();
        writer.close();
        writer = new StoreWriter(files, options.durability(), log);
        batch = writer.stage();
    }

    private void recover(List<KeyRange> ranges) throws RocksDBException {
        byte[] version = files.db().get(StoreFormat.VERSION_ROW);
        leastVersion = version == null ? 1 : StoreFormat.number(version);
        table.beginRecovery();
        files.scan(files.rpcs(), (row, value) -> {
            if (StoreFormat.numberOf(row) == 0) {
                table.recoverBound(StoreFormat.clientOf(row), StoreFormat.number(value));
                return;
            }
            RpcRecord record = RpcRecord.decode(value);
            if (StoreFormat.isIn(ranges, record.table(), record.keyHash())) {
                table.recoverRecord(record.id(), record.ackId());
            } else {
                table.recoverBound(record.id().client(), record.ackId());
            }
        });
        table.endRecovery();
        served.addAll(ranges);
    }

    /**
     * An attempt of a linearizable call. Returns at once.
     *
     * @return the outcome of this attempt; DONE once it is durable. Fails with the operation's exception, then the call did not
     *     happen; or with a {@link StoreException}: more calls wait than the options allow, and this one was not taken; or the
     *     store was closed or has failed, and the call may be on disk. A retry at the next store tells
     */
    public CompletableFuture<StoreOutcome> call(RpcHeader header, ObjectKey key, Operation operation) {
        return call(header, key, 0, operation);
    }

    /**
     * The same, with the hash of the request. If two clients have one lease by mistake, such as copies of one virtual machine, a call
     * that comes under a used number is {@link StoreOutcome.Status#MISUSED}; without the hash it gets the other call's result.
     *
     * @param request hash of all that the attempts of a call have in common, by {@link org.amo.linearizable.rpclog.KeyHash} for instance;
     *     0 for none
     */
    public CompletableFuture<StoreOutcome> call(RpcHeader header, ObjectKey key, long request, Operation operation) {
        Call call = new Call(header, key, request, operation);
        return submit(answer -> judge(call, Optional.empty(), answer));
    }

    /** An attempt. */
    private record Call(RpcHeader header, ObjectKey key, long request, Operation operation) {}

    /** A write without an rpc record: a retry of it runs again. Its future completes and fails as that of {@link #call}. */
    public CompletableFuture<StoreOutcome> callUnrecorded(ObjectKey key, Operation operation) {
        return submit(answer -> {
            if (!serves(key)) {
                answer.complete(outcome(StoreOutcome.Status.ELSEWHERE));
                return;
            }
            try {
                byte[] result = execute(key, operation);
                whenDurable.add(() -> answer.complete(done(result)));
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
    }

    /**
     * The object as the calls answered so far left it; never one that a crash could undo.
     *
     * @return fails with a {@link StoreException} if this store does not serve the key, or not yet
     */
    public CompletableFuture<Optional<StoredObject>> read(ObjectKey key) {
        return submit(answer -> {
            if (!serves(key) || !lease.isReady()) {
                answer.completeExceptionally(new StoreException("not served here, or not yet: " + directory));
                return;
            }
            Optional<StoredObject> object = batch.object(key);
            whenDurable.add(() -> answer.complete(object));
        });
    }

    /**
     * Takes ranges of a dead server over from its directory, which is read and not written. Several servers may do so at
     * the same time, each with its own ranges. {@code tellCoordinator} is called when all is on this server's disk; the
     * ranges are served when its future is done, and the cluster time was learned after that.
     *
     * <p>Other calls wait while the directory is read.
     *
     * @return done when they are served; fails if the dead server runs, the disk does not bear it, or this store serves one of them
     *     already: its calls since then would be lost
     */
    public CompletableFuture<Void> takeOver(
            Path deadServer, List<KeyRange> ranges, Supplier<CompletableFuture<?>> tellCoordinator) {
        return takeOver(deadServer, Optional.empty(), ranges, tellCoordinator);
    }

    /**
     * The same if the coordinator knows the dead server's store: its directory may have been lost, and made anew without the calls.
     *
     * @param id of that store, as {@link #open} told it; if it is empty, any store in the directory is taken
     */
    public CompletableFuture<Void> takeOver(
            Path deadServer,
            Optional<String> id,
            List<KeyRange> ranges,
            Supplier<CompletableFuture<?>> tellCoordinator) {
        CompletableFuture<Void> durable = submit(answer -> {
            ingest(deadServer, id, ranges);
            whenDurable.add(() -> answer.complete(null));
        });
        return durable.thenCompose(none -> tellCoordinator.get())
                .thenCompose(none -> submitOwn(answer -> {
                    served.addAll(ranges);
                    learn(lease.mustLearn());
                    answer.complete(null);
                }));
    }

    /**
     * Stops serving ranges, and puts a copy of this store into a folder: another server can take the ranges over from there
     * with {@link #takeOver}, while this store serves its other ranges. Answered calls of these ranges, and their completion records, are in
     * the copy; later attempts get ELSEWHERE here. A crash of this server leaves the folder; delete it.
     *
     * @param ranges each as this store got it; those that it does not serve are left out
     * @param folder does not exist yet; on the file system of this store
     * @return done when the copy is there; fails with a {@link StoreException} if it could not be made, and the ranges are not served
     */
    public CompletableFuture<Void> handOver(List<KeyRange> ranges, Path folder) {
        return submitOwn(answer -> {
            // Calls before it first: they are in the copy, and at the backups.
            commit();
            served.removeAll(ranges);
            try {
                files.copyTo(folder);
                answer.complete(null);
            } catch (RocksDBException | IOException e) {
                throw new StoreException("cannot copy the store to " + folder + ": " + e.getMessage(), e);
            }
        });
    }

    /**
     * Serves ranges again that were handed over and that no server took. The coordinator must have made sure that none will.
     *
     * @return done when they are served
     */
    public CompletableFuture<Void> takeBack(List<KeyRange> ranges) {
        return submitOwn(answer -> {
            ranges.stream().filter(each -> !served.contains(each)).forEach(served::add);
            answer.complete(null);
        });
    }

    private void ingest(Path deadServer, Optional<String> id, List<KeyRange> ranges) throws RocksDBException {
        // A heartbeat's answer that is older than the coordinator's consent to a takeover can ask for it again.
        for (KeyRange range : ranges) {
            if (served.stream().anyMatch(range::overlaps)) {
                throw new StoreException("this store serves " + range
                        + " already; calls that it answered would be lost by taking it over again");
            }
        }
        // Calls before it first: a removal that the range's parts bring must not come before its record.
        commit();
        RangeRecovery recovery = new RangeRecovery(ranges);
        try (RangeBatch taken = new RangeBatch(writer)) {
            copyObjects(deadServer, id, ranges, recovery, taken);
            taken.putLeastVersion(leastVersion);
            recovery.takeOver(taken, table, removals);
            taken.write();
        }
    }

    private void copyObjects(
            Path deadServer, Optional<String> id, List<KeyRange> ranges, RangeRecovery recovery, RangeBatch taken)
            throws RocksDBException {
        try (DirectoryUse fence = DirectoryUse.toRead(deadServer);
                RocksFiles dead = RocksFiles.openReadOnly(deadServer, directory.resolve("notes"))) {
            lookInto(deadServer, () -> {
                if (id.isPresent() && !id.equals(dead.id())) {
                    throw new StoreException("the store in " + deadServer + " has the id "
                            + dead.id().orElse("none") + ", and not " + id.get()
                            + " of the store with the calls of these ranges; put a copy of that folder in its place");
                }
                byte[] version = dead.db().get(StoreFormat.VERSION_ROW);
                leastVersion = Math.max(leastVersion, version == null ? 1 : StoreFormat.number(version));
                dead.scan(dead.rpcs(), (row, value) -> {
                    if (StoreFormat.numberOf(row) == 0) {
                        recovery.onBound(StoreFormat.clientOf(row), StoreFormat.number(value));
                    } else {
                        recovery.onRecord(RpcRecord.decode(value));
                    }
                });
            });
            for (KeyRange range : ranges) {
                clear(range, taken);
                lookInto(deadServer, () -> dead.scan(range, taken::putObject));
            }
            if (!fence.isHeld()) {
                throw new StoreException("the lock on " + deadServer + " was lost");
            }
        } catch (IOException e) {
            throw new StoreException("cannot read the store in " + deadServer + ": " + e.getMessage(), e);
        }
    }

    /** Reads files of another server. */
    private interface Look {
        void read() throws RocksDBException;
    }

    /** Its damage is no failure of this store: that would end one server after the other. */
    private static void lookInto(Path deadServer, Look look) {
        try {
            look.read();
        } catch (RocksDBException | MalformedFrameException e) {
            throw RocksFiles.cannot("read", deadServer, e);
        }
    }

    /** Clears the remains of a range from an earlier time, or from a recovery that was broken off. */
    private void clear(KeyRange range, RangeBatch taken) throws RocksDBException {
        files.scan(range, (row, value) -> taken.deleteObject(row));
    }

    /**
     * How often to {@link #sweep}, so that the records of dead clients that wait for their removal stay within a tenth of those that are
     * kept: docs/decisions/0147.
     *
     * @param termMillis of a lease
     */
    public static long sweepMillis(long termMillis) {
        return Math.max(1, termMillis / SWEEPS_A_TERM);
    }

    /**
     * The periodic check of leases, each {@link #sweepMillis}; backups remove older logs, too. Returns at once; where the authority does
     * not answer, the next one asks again.
     */
    public void sweep() {
        when(
                authority.time(),
                time -> post(() -> {
                    lease.onHeard(time);
                    tidies = true;
                    writer.prune();
                    List<LeaseId> asked = new ArrayList<>();
                    int next = 0;
                    do {
                        next = table.sweep(next, SWEEP_ROWS, asked::add);
                    } while (next != 0);
                    for (LeaseId client : asked) {
                        when(authority.check(client), answer -> post(() -> tidies |= table.onLease(answer)), () -> {});
                    }
                }),
                () -> {});
    }

    /**
     * Asks the backups whether they have all writes, and replaces one that has lost them: call it every second or so. Writes and
     * reads do so, too, but a store without calls would not notice. Returns at once.
     *
     * @return done when all backups have all writes; fails if the store has ended, or more calls wait than the options allow
     */
    public CompletableFuture<Void> checkBackups() {
        return submit(answer -> whenDurable.add(() -> answer.complete(null)));
    }

    /** The reason for which this store takes no calls any more, if that is not {@link #close}. Any thread; at once. */
    public Optional<StoreException> failure() {
        return failure;
    }

    /** Clients with state, their completion records, and whether calls are served. Looks at every client. */
    public CompletableFuture<StoreStatus> status() {
        return submit(answer -> answer.complete(new StoreStatus(
                table.clients(),
                table.results(false),
                removals.size() + table.results(true),
                lease.isReady(),
                lease.now())));
    }

    private void learn(long question) {
        when(
                authority.time(),
                time -> {
                    CompletableFuture<Void> unused = submitOwn(answer -> lease.onLearned(question, time));
                },
                () -> {
                    if (!closing) {
                        CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS, LinearizableStore::inOwnThread)
                                .execute(() -> learn(question));
                    }
                });
    }

    /** The common pool may have one thread, which an application's task can block; the owner's queue may be full. */
    private static void inOwnThread(Runnable task) {
        DaemonThreads.start("amo-store-lease", task);
    }

    private static <T> void when(CompletableFuture<T> future, Consumer<T> then, Runnable otherwise) {
        CompletableFuture<T> unused = future.whenComplete((value, failed) -> {
            if (failed == null) {
                then.accept(value);
            } else {
                otherwise.run();
            }
        });
    }

    /** Enqueues an action that no caller waits for, and that the next sweep asks for again. */
    private void post(Runnable action) {
        enqueue(new Task<>(new CompletableFuture<Void>(), answer -> action.run()));
    }

    private boolean serves(ObjectKey key) {
        return StoreFormat.isIn(served, key.table(), key.hash());
    }

    private void judge(Call call, Optional<LeaseAnswer> lived, CompletableFuture<StoreOutcome> answer)
            throws RocksDBException {
        if (!serves(call.key())) {
            answer.complete(outcome(StoreOutcome.Status.ELSEWHERE));
            return;
        }
        RpcVerdict verdict = lived.isPresent() ? table.start(call.header(), lived.get()) : table.start(call.header());
        switch (verdict) {
            case EXECUTE -> run(call, answer);
            case REPLAY -> answer.complete(replay(call));
            case STALE -> answer.complete(outcome(StoreOutcome.Status.STALE));
            case LEASE_EXPIRED -> answer.complete(outcome(StoreOutcome.Status.LEASE_EXPIRED));
            case BEYOND_WINDOW -> answer.complete(outcome(StoreOutcome.Status.MISUSED));
            case RETRY_LATER, NOT_NOW -> answer.complete(outcome(StoreOutcome.Status.RETRY_LATER));
            case LEASE_IN_DOUBT -> {
                if (lived.isPresent()) {
                    answer.complete(outcome(StoreOutcome.Status.RETRY_LATER));
                } else {
                    ask(call, answer);
                }
            }
        }
    }

    private void ask(Call call, CompletableFuture<StoreOutcome> answer) {
        when(
                authority.check(call.header().id().client()),
                lived -> enqueue(new Task<>(answer, each -> judge(call, Optional.of(lived), each))),
                () -> answer.complete(
                        new StoreOutcome(StoreOutcome.Status.RETRY_LATER, new byte[0], ClusterTime.ZERO)));
    }

    private void run(Call call, CompletableFuture<StoreOutcome> answer) throws RocksDBException {
        RpcId id = call.header().id();
        ObjectKey key = call.key();
        byte[] result;
        try {
            result = execute(key, call.operation());
        } catch (RuntimeException e) {
            // Nothing was written: the call did not happen.
            table.reset(id);
            answer.completeExceptionally(e);
            return;
        }
        removals.addForgotten(batch);
        batch.putRecord(new RpcRecord(id, call.header().ackId(), key.table(), key.hash(), call.request(), result));
        whenDurable.add(() -> {
            table.complete(id);
            answer.complete(done(result));
        });
    }

    private byte[] execute(ObjectKey key, Operation operation) throws RocksDBException {
        Optional<StoredObject> object = batch.object(key);
        long next = Math.max(leastVersion, object.map(StoredObject::version).orElse(0L) + 1);
        Operation.Change change = change(operation, object, next);
        if (change.result().length > RpcRecord.MAX_RESULT) {
            throw new IllegalArgumentException(
                    "a result has at most " + RpcRecord.MAX_RESULT + " bytes, not " + change.result().length);
        }
        switch (change.kind()) {
            case PUT -> batch.putObject(key, new StoredObject(next, change.value()));
            case DELETE -> {
                leastVersion = Math.max(leastVersion, next);
                batch.deleteObject(key, leastVersion);
            }
            case KEEP -> {
                // A condition that failed, or a read: the answer is recorded, the object stays.
            }
        }
        return change.result();
    }

    /** Its Errors fail the call, as its exceptions do. */
    private static Operation.Change change(Operation operation, Optional<StoredObject> object, long next) {
        try {
            return operation.on(object, next);
        } catch (StackOverflowError | AssertionError | LinkageError e) {
            throw new IllegalStateException("the operation failed: " + e, e);
        }
    }

    private StoreOutcome replay(Call call) throws RocksDBException {
        RpcId id = call.header().id();
        byte[] bytes = files.db().get(files.rpcs(), StoreFormat.rpc(id));
        if (bytes == null) {
            throw new IllegalStateException("there is no record of a completed call: " + id);
        }
        RpcRecord record = RpcRecord.decode(bytes);
        boolean same = record.isOf(call.key().table(), call.key().hash(), call.request());
        return same ? done(record.result()) : outcome(StoreOutcome.Status.MISUSED);
    }

    private StoreOutcome done(byte[] result) {
        return new StoreOutcome(StoreOutcome.Status.DONE, result, lease.now());
    }

    private StoreOutcome outcome(StoreOutcome.Status status) {
        return new StoreOutcome(status, new byte[0], lease.now());
    }

    /** The work of a task, with its future. */
    private interface Step<T> {
        void run(CompletableFuture<T> answer) throws RocksDBException;
    }

    /** Something for the owner to do; {@code fail} if the store ended before. */
    private record Task<T>(CompletableFuture<T> answer, Step<T> step) {
        void run() throws RocksDBException {
            try {
                step.run(answer);
            } catch (StoreException e) {
                answer.completeExceptionally(e);
            }
        }

        void fail(StoreException why) {
            answer.completeExceptionally(why);
        }
    }

    private <T> CompletableFuture<T> submit(Step<T> step) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        enqueue(new Task<>(answer, step));
        return answer;
    }

    /** A step of the store itself, which no one would ask for again: calls that wait do not keep it out. */
    private <T> CompletableFuture<T> submitOwn(Step<T> step) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (closing || failure.isPresent() || !queue.putOwn(new Task<>(answer, step))) {
            answer.completeExceptionally(ending());
        }
        return answer;
    }

    private void enqueue(Task<?> task) {
        OwnerQueue.Put put = closing || failure.isPresent() ? OwnerQueue.Put.ENDED : queue.put(task);
        switch (put) {
            case TAKEN -> {}
            case FULL ->
                task.fail(new StoreException("the store in " + directory + " has " + options.queuedCalls()
                        + " calls waiting; try again later"));
            case ENDED -> task.fail(ending());
        }
    }

    private StoreException ending() {
        return failure.orElseGet(() -> new StoreException("the store in " + directory + " is closed"));
    }

    // Without its thread the store would take calls for ever and answer none.
    @SuppressWarnings("IllegalCatch")
    private void work() {
        List<Task<?>> tasks = new ArrayList<>();
        while (!closing) {
            try {
                queue.take(tasks, options.batchCalls());
            } catch (InterruptedException e) {
                // An operation may have left the mark, too.
                continue;
            }
            try {
                for (Task<?> task : tasks) {
                    task.run();
                    // A backup gets a write in one frame.
                    if (writer.hasBackups() && batch.changes().size() >= RangeBatch.PART_BYTES) {
                        commit();
                    }
                }
                commit();
            } catch (RocksDBException | RuntimeException | Error e) {
                StoreException why = new StoreException("the store in " + directory + " failed: " + e.getMessage(), e);
                failure = Optional.of(why);
                tasks.forEach(task -> task.fail(why));
                break;
            }
            tasks.clear();
        }
        queue.end().forEach(task -> task.fail(ending()));
        if (closedByOwner) {
            release();
        }
    }

    private void commit() throws RocksDBException {
        if (tidies || removals.size() >= RECORDS_A_REMOVAL) {
            tidies = false;
            removals.addTo(batch, List.copyOf(batch.records()), table);
        }
        if (!batch.isEmpty()) {
            writer.write(batch.changes());
            batch.close();
            batch = writer.stage();
        } else if (!whenDurable.isEmpty()) {
            writer.confirm();
        }
        List<Runnable> told = List.copyOf(whenDurable);
        whenDurable.clear();
        told.forEach(Runnable::run);
    }

    /**
     * Closes the store: answered calls stay; calls that wait fail. In the store's own thread, as a stage of one of its futures
     * may call it, the store ends behind the calls of the present write.
     */
    @Override
    public void close() {
        closing = true;
        if (Thread.currentThread() == owner) {
            closedByOwner = true;
            return;
        }
        owner.interrupt();
        boolean interrupted = false;
        while (owner.isAlive()) {
            try {
                owner.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        release();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void release() {
        batch.close();
        writer.close();
        files.close();
    }
}
