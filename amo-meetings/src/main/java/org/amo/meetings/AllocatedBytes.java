package org.amo.meetings;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Counts the bytes of the objects that a test's thread makes. */
public final class AllocatedBytes {
    private AllocatedBytes() {}

    /**
     * The least of some rounds: the first one loads classes, too. They are few, so that they are not compiled: a compiler
     * might leave objects out.
     */
    public static long leastOf(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            long before = threads.getThreadAllocatedBytes(thread);
            work.run();
            least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
        }
        return least;
    }
}
