package org.amo.benchmarks.jmh;

import org.amo.benchmarks.LoopReplica;

/** The replies that all stores are given to keep. */
final class StoreWork {
    static final int REPLY_BYTES = LoopReplica.REPLY_BYTES;

    private StoreWork() {}
}
