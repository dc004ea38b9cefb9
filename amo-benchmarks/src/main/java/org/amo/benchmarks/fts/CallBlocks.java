package org.amo.benchmarks.fts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.benchmarks.ProcessTime;
import org.omg.CORBA.ORB;

/**
 * Compares sides that differ by a few percent: they take turns in blocks of some milliseconds, so that other load on the
 * machine hits all of them. The same threads make the calls of every side. One thread at a time owns it.
 */
final class CallBlocks implements AutoCloseable {
    private final ExecutorService threads;
    private final int threadCount;
    private final List<Caller> callers = new ArrayList<>();

    /** One side: an ORB, a stub for each thread, and the server. */
    private record Caller(ORB orb, List<CallLoad.Call> calls, ServerProcess server) {}

    /** The result of a side in a round; its client's and its server's processor time. */
    record Done(double callsPerSecond, double cpuMicrosPerCall) {}

    CallBlocks(int threadCount) {
        this.threadCount = threadCount;
        this.threads = Executors.newFixedThreadPool(threadCount);
    }

    /** Adds a side of an ORB with these properties; sides count from 0. */
    void side(Map<String, String> orbProperties, ServerProcess server) throws IOException, InterruptedException {
        ORB orb = ORB.init(new String[0], BankGroup.client(orbProperties));
        String reference = server.awaitReference();
        List<CallLoad.Call> calls = new ArrayList<>();
        for (int i = 0; i < threadCount; i++) {
            calls.add(CallLoad.greeting(orb, reference));
        }
        callers.add(new Caller(orb, calls, server));
    }

    /**
     * Calls of every side, in blocks that go forth and back over the sides.
     *
     * @param passes how often forth and back
     * @param callsPerBlock of all threads together
     * @return by side
     * @throws ExecutionException when a call failed
     */
    List<Done> round(int passes, int callsPerBlock) throws InterruptedException, ExecutionException {
        int sides = callers.size();
        double[] seconds = new double[sides];
        double[] cpuSeconds = new double[sides];
        for (int turn = 0; turn < 2 * passes * sides; turn++) {
            int inPass = turn % (2 * sides);
            int side = inPass < sides ? inPass : 2 * sides - 1 - inPass;
            Caller caller = callers.get(side);
            double cpuBefore = cpuSeconds(caller);
            seconds[side] += block(caller, callsPerBlock);
            cpuSeconds[side] += cpuSeconds(caller) - cpuBefore;
        }
        double calls = 2.0 * passes * callsPerBlock;
        List<Done> done = new ArrayList<>();
        for (int side = 0; side < sides; side++) {
            done.add(new Done(calls / seconds[side], 1e6 * cpuSeconds[side] / calls));
        }
        return done;
    }

    /** The threads share the calls, so that all of them end within one call. */
    private double block(Caller caller, int count) throws InterruptedException, ExecutionException {
        AtomicInteger left = new AtomicInteger(count);
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (CallLoad.Call call : caller.calls()) {
            tasks.add(() -> {
                while (left.getAndDecrement() > 0) {
                    call.call();
                }
                return true;
            });
        }
        long start = System.nanoTime();
        List<Future<Boolean>> ended = threads.invokeAll(tasks);
        double seconds = (System.nanoTime() - start) / 1e9;
        for (Future<Boolean> each : ended) {
            each.get();
        }
        return seconds;
    }

    /** In ticks of 10 ms; over the blocks of a round the rounding errors cancel out. */
    private static double cpuSeconds(Caller caller) {
        return ProcessTime.cpuSeconds(ProcessHandle.current().pid()).orElse(0.0)
                + caller.server().cpuSeconds().orElse(0.0);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        callers.forEach(caller -> caller.orb().shutdown(false));
    }
}
