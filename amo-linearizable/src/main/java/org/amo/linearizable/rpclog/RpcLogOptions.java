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
    public static RpcLogOptions defaults(long hashSeed) {
        return new RpcLogOptions(RpcTracker.DEFAULT_WINDOW, 2_000_000, hashSeed);
    }
}
