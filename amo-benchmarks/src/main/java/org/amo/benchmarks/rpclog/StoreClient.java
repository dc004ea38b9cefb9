package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.ObjectKey;
import org.amo.linearizable.rocksdb.Operation;
import org.amo.linearizable.rocksdb.StoreOptions;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rocksdb.StoreStatus;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.RpcTracker;

/** A store and one client of it, in this process: the difference between the two kinds of write, and nothing else. */
final class StoreClient implements StoreWrites, AutoCloseable {
    static final int RESULT_BYTES = 8;
    private static final byte[] RESULT = new byte[RESULT_BYTES];
    private static final long POLL_NANOS = 100_000;

    private final LinearizableStore store;
    private final RpcTracker tracker;

    StoreClient(Path directory, Durability durability, long client) throws IOException {
        store = open(directory, durability);
        tracker = new RpcTracker(new LeaseId(client), RpcTracker.DEFAULT_WINDOW);
        StoreStatus unused = awaitReady(store);
    }

    /** Waits until it serves. */
    static StoreStatus awaitReady(LinearizableStore opened) throws IOException {
        try {
            StoreStatus status = opened.status().join();
            while (!status.ready()) {
                LockSupport.parkNanos(POLL_NANOS);
                status = opened.status().join();
            }
            return status;
        } catch (CompletionException e) {
            throw new IOException("the store does not open: " + e.getMessage(), e);
        }
    }

    static LinearizableStore open(Path directory, Durability durability) {
        return LinearizableStore.open(
                directory,
                List.of(new KeyRange(1, 0, -1)),
                StoreOptions.builder().durability(durability).build(),
                new AlwaysLive());
    }

    static ObjectKey key(long number) {
        return new ObjectKey(1, ("key " + number).getBytes(StandardCharsets.US_ASCII));
    }

    static Operation write(byte[] value) {
        return (object, next) -> Operation.Change.put(value, RESULT);
    }

    @Override
    public CompletableFuture<StoreOutcome> regular(ObjectKey key, byte[] value) {
        return store.callUnrecorded(key, write(value));
    }

    @Override
    public CompletableFuture<StoreOutcome> linearizable(ObjectKey key, byte[] value) {
        long number = tracker.take().orElseThrow();
        return store.call(tracker.header(number, AlwaysLive.EXPIRES, ClusterTime.ZERO), key, write(value))
                .whenComplete((outcome, failed) -> tracker.finish(number));
    }

    /** Numbered, and never acknowledged. */
    CompletableFuture<StoreOutcome> unacknowledged(long client, ObjectKey key, byte[] value) {
        RpcTracker own = new RpcTracker(new LeaseId(client), 1);
        return store.call(
                own.header(own.take().orElseThrow(), AlwaysLive.EXPIRES, ClusterTime.ZERO), key, write(value));
    }

    static void done(StoreOutcome outcome) throws IOException {
        if (outcome.status() != StoreOutcome.Status.DONE) {
            throw new IOException("a write was answered " + outcome.status());
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
