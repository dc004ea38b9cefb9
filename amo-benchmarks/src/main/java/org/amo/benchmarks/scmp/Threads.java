package org.amo.benchmarks.scmp;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/** Processor time of threads of this process. */
final class Threads {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Threads() {}

    /** Of the calling thread. */
    static long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Of all threads that live now and whose names begin so. */
    static long cpuNanosOf(String prefix) {
        long nanos = 0;
        for (ThreadInfo each : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (each != null && each.getThreadName().startsWith(prefix)) {
                nanos += Math.max(0, THREADS.getThreadCpuTime(each.getThreadId()));
            }
        }
        return nanos;
    }
}
