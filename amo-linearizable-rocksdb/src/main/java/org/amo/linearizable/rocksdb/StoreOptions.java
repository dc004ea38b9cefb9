package org.amo.linearizable.rocksdb;

import java.security.SecureRandom;
import org.amo.linearizable.rpclog.RpcLogOptions;

/**
 * Settings of a store.
 *
 * @param durability of a write before its answer. Default FSYNC
 * @param batchCalls calls that share a write at most. Default 256
 * @param queuedCalls calls that wait at most; more fail with a {@link StoreException} and are not taken. Default 65,536
 * @param table of unacknowledged results; its hash seed must be random. Default: its own defaults, with a seed that is drawn for
 *     each builder
 */
public record StoreOptions(Durability durability, int batchCalls, int queuedCalls, RpcLogOptions table) {
    public StoreOptions {
        if (batchCalls < 1 || queuedCalls < 1) {
            throw new IllegalArgumentException("batchCalls and queuedCalls must be positive: batchCalls=" + batchCalls
                    + " queuedCalls=" + queuedCalls);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private Durability durability = Durability.FSYNC;
        private int batchCalls = 256;
        private int queuedCalls = 65_536;
        private RpcLogOptions table =
                RpcLogOptions.builder(new SecureRandom().nextLong()).build();

        private Builder() {}

        public Builder durability(Durability value) {
            durability = value;
            return this;
        }

        public Builder batchCalls(int calls) {
            batchCalls = calls;
            return this;
        }

        public Builder queuedCalls(int calls) {
            queuedCalls = calls;
            return this;
        }

        public Builder table(RpcLogOptions value) {
            table = value;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that cannot work */
        public StoreOptions build() {
            return new StoreOptions(durability, batchCalls, queuedCalls, table);
        }
    }
}
