package org.amo.benchmarks.fts;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/**
 * Calls that a server has executed, and bytes that its threads have allocated, up to one moment. A server writes them twice a
 * second to {@code FILE.allocated} beside the file that it was given.
 */
record Allocations(double calls, double bytes) {

    /** The last that the server has written. */
    static Allocations of(ServerProcess server) throws IOException {
        double[] numbers = PublishedFile.numbers(file(server.reference()));
        return new Allocations(numbers[0], numbers[1]);
    }

    /** Writes them for this process. */
    static void publish(Path reference, long calls) throws IOException {
        PublishedFile.write(file(reference), calls + " " + bytesOfThisProcess());
    }

    Allocations since(Allocations before) {
        return new Allocations(calls - before.calls, bytes - before.bytes);
    }

    double bytesPerCall() {
        return bytes / Math.max(1, calls);
    }

    /** Of the threads that live now: the few that end during a measurement take theirs along. */
    static long bytesOfThisProcess() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }

    private static Path file(Path reference) {
        return reference.resolveSibling(reference.getFileName() + ".allocated");
    }
}
