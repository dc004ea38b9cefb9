package org.amo.benchmarks.rpclog;

import java.util.concurrent.CompletableFuture;
import org.amo.linearizable.rocksdb.ObjectKey;
import org.amo.linearizable.rocksdb.StoreOutcome;

/** The two kinds of write of one client of a store. */
interface StoreWrites {
    /** Without a completion record. */
    CompletableFuture<StoreOutcome> regular(ObjectKey key, byte[] value);

    /** Numbered, and each acknowledges the calls answered before it. */
    CompletableFuture<StoreOutcome> linearizable(ObjectKey key, byte[] value);
}
