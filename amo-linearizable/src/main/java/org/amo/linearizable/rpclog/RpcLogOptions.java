package org.amo.linearizable.rpclog;

/**
 * Settings of a server's table.
 *
 * @param window numbers above ackId that a client may use; not less than any client's. Default 512, RAMCloud's
 * @param maxClients at once; another one is refused, none is dropped. Default 2,000,000
 * @param hashSeed secret to the process, so that no client can choose ids that collide
 */
public record RpcLogOptions(int window, int maxClients, long hashSeed) {
    public RpcLogOptions {
        if (window < 1 || maxClients < 1) {
            throw new IllegalArgumentException(
                    "window and maxClients must be positive: window=" + window + " maxClients=" + maxClients);
        }
    }

    /** @param hashSeed drawn at random by the process */
    public static Builder builder(long hashSeed) {
        return new Builder(hashSeed);
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private final long hashSeed;
        private int window = RpcTracker.DEFAULT_WINDOW;
        private int maxClients = 2_000_000;

        private Builder(long hashSeed) {
            this.hashSeed = hashSeed;
        }

        public Builder window(int numbers) {
            window = numbers;
            return this;
        }

        public Builder maxClients(int clients) {
            maxClients = clients;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that cannot work */
        public RpcLogOptions build() {
            return new RpcLogOptions(window, maxClients, hashSeed);
        }
    }
}
