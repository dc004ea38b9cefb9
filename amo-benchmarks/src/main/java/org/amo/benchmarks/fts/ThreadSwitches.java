package org.amo.benchmarks.fts;

import java.util.stream.LongStream;
import org.amo.benchmarks.ProcessTime;

/**
 * How often the threads of some processes gave up a processor.
 *
 * @param voluntary to wait: for another thread, a lock, bytes of a socket or a disk
 * @param involuntary for another thread that was to run
 */
record ThreadSwitches(long voluntary, long involuntary) {
    private static final String VOLUNTARY = "voluntary_ctxt_switches:";
    private static final String INVOLUNTARY = "nonvoluntary_ctxt_switches:";
    private static final ThreadSwitches NONE = new ThreadSwitches(0, 0);

    /** Of the threads that live now; none for a process that has ended, and where there is no /proc. */
    static ThreadSwitches of(LongStream pids) {
        ThreadSwitches all = NONE;
        for (long pid : pids.toArray()) {
            for (String status : ProcessTime.ofThreads(pid, "status")) {
                all = all.plus(new ThreadSwitches(number(status, VOLUNTARY), number(status, INVOLUNTARY)));
            }
        }
        return all;
    }

    /** Those since an earlier reading; those of threads that have ended meanwhile are missing. */
    ThreadSwitches since(ThreadSwitches before) {
        return new ThreadSwitches(
                Math.max(0, voluntary - before.voluntary), Math.max(0, involuntary - before.involuntary));
    }

    private ThreadSwitches plus(ThreadSwitches more) {
        return new ThreadSwitches(voluntary + more.voluntary, involuntary + more.involuntary);
    }

    private static long number(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length()).strip()))
                .findFirst()
                .orElse(0);
    }
}
