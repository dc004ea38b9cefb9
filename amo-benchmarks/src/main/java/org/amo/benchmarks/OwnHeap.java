package org.amo.benchmarks;

import java.lang.management.ManagementFactory;

/** The heap of this process. */
public final class OwnHeap {
    private static final int COLLECTIONS = 4;

    private OwnHeap() {}

    /** Bytes that are used after a collection: the least of several. Stops the process for each. */
    public static long usedBytes() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            used = Math.min(
                    used,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return used;
    }
}
