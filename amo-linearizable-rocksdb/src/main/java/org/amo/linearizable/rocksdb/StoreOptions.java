package org.amo.linearizable.rocksdb;

import java.security.SecureRandom;
import org.amo.linearizable.rpclog.RpcLogOptions;

/**
 * Settings of a store.
 *
 * @param durability default FSYNC
 * @param batchCalls calls that share a write at most. Default 256
 * @param queuedCalls calls that wait at most; more are told to retry later. Default 65,536
 * @param table of unacknowledged results; its hash seed must be random
 */
public record StoreOptions(Durability durability, int batchCalls, int queuedCalls, RpcLogOptions table) {
    public StoreOptions {
        if (batchCalls < 1 || queuedCalls < 1) {
            throw new IllegalArgumentException("batchCalls and queuedCalls must be positive: batchCalls=" + batchCalls
                    + " queuedCalls=" + queuedCalls);
        }
    }

    /** With a hash seed drawn for this call. */
    public static StoreOptions defaults() {
        return new StoreOptions(Durability.FSYNC, 256, 65_536, RpcLogOptions.defaults(new SecureRandom().nextLong()));
    }

    public StoreOptions with(Durability value) {
        return new StoreOptions(value, batchCalls, queuedCalls, table);
    }
}
