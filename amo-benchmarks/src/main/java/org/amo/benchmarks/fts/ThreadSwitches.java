package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;

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
            all = all.plus(ofProcess(pid));
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

    private static ThreadSwitches ofProcess(long pid) {
        ThreadSwitches all = NONE;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                all = all.plus(ofThread(thread));
            }
        } catch (IOException | DirectoryIteratorException e) {
            return all;
        }
        return all;
    }

    private static ThreadSwitches ofThread(Path thread) {
        try {
            // A thread's name may hold any bytes.
            String status = Files.readString(thread.resolve("status"), StandardCharsets.ISO_8859_1);
            return new ThreadSwitches(number(status, VOLUNTARY), number(status, INVOLUNTARY));
        } catch (IOException e) {
            return NONE; // it has ended
        }
    }

    private static long number(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length()).strip()))
                .findFirst()
                .orElse(0);
    }
}
