package org.amo.benchmarks.fts;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.amo.benchmarks.ProcessTime.Spent;

/**
 * One of those that take turns: clients in this process, and the servers that they call.
 *
 * @param loads one an ORB
 * @param servers counted with their processor time
 */
record Side(String name, List<CallLoad> loads, List<ServerProcess> servers) implements AutoCloseable {

    /**
     * The result of a turn.
     *
     * @param spent by all its processes, the clients' included
     */
    record Turn(double callsPerSecond, double cpuMicrosPerCall, double p50Micros, Spent spent) {}

    long calls() {
        return loads.stream().mapToLong(CallLoad::calls).sum();
    }

    long failures() {
        return loads.stream().mapToLong(CallLoad::failures).sum();
    }

    String lastFailure() {
        return loads.stream()
                .map(CallLoad::lastFailure)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
    }

    void resume() {
        loads.forEach(CallLoad::resume);
    }

    /** Calls under way end in the pause, and are counted nowhere. */
    void pause() throws InterruptedException {
        loads.forEach(CallLoad::pause);
        TimeUnit.MILLISECONDS.sleep(100);
    }

    Turn turn(long millis) throws InterruptedException {
        loads.forEach(CallLoad::forgetLatency);
        Spent before = spent();
        long callsBefore = calls();
        long start = System.nanoTime();
        resume();
        TimeUnit.MILLISECONDS.sleep(millis);
        long done = calls() - callsBefore;
        double seconds = (System.nanoTime() - start) / 1e9;
        Spent spent = spent().since(before);
        double p50 = loads.get(0).p50Micros();
        pause();
        return new Turn(done / seconds, 1e6 * spent.seconds() / Math.max(1, done), p50, spent);
    }

    private Spent spent() {
        return Spent.of(LongStream.concat(
                LongStream.of(ProcessHandle.current().pid()), servers.stream().mapToLong(ServerProcess::pid)));
    }

    @Override
    public void close() {
        loads.forEach(CallLoad::close);
    }
}
