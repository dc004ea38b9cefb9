package org.amo.benchmarks.fts;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.ProcessTime;

/**
 * One of those that take turns: clients in this process, and the servers that they call.
 *
 * @param loads one an ORB
 * @param servers whose processor time counts
 */
record Side(String name, List<CallLoad> loads, List<ServerProcess> servers) implements AutoCloseable {

    /**
     * What a turn brought.
     *
     * @param compilerShare of the processor time of all its processes, that of their compilers; from 0 to 1
     */
    record Turn(double callsPerSecond, double cpuMicrosPerCall, double p50Micros, double compilerShare) {}

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

    /** What is under way ends in the pause, and is counted nowhere. */
    void pause() throws InterruptedException {
        loads.forEach(CallLoad::pause);
        TimeUnit.MILLISECONDS.sleep(100);
    }

    Turn turn(long millis) throws InterruptedException {
        loads.forEach(CallLoad::forgetLatency);
        double cpuBefore = cpuSeconds();
        double compilersBefore = compilerSeconds();
        long before = calls();
        long start = System.nanoTime();
        resume();
        TimeUnit.MILLISECONDS.sleep(millis);
        long done = calls() - before;
        double seconds = (System.nanoTime() - start) / 1e9;
        double cpu = cpuSeconds() - cpuBefore;
        double compilers = Math.max(0, compilerSeconds() - compilersBefore);
        double p50 = loads.get(0).p50Micros();
        pause();
        return new Turn(done / seconds, 1e6 * cpu / Math.max(1, done), p50, cpu == 0 ? 0 : compilers / cpu);
    }

    private double cpuSeconds() {
        double seconds = ProcessTime.cpuSeconds(ProcessHandle.current().pid()).orElse(0.0);
        for (ServerProcess server : servers) {
            seconds += server.cpuSeconds().orElse(0.0);
        }
        return seconds;
    }

    private double compilerSeconds() {
        double seconds = ProcessTime.compilerSeconds(ProcessHandle.current().pid());
        for (ServerProcess server : servers) {
            seconds += ProcessTime.compilerSeconds(server.pid());
        }
        return seconds;
    }

    @Override
    public void close() {
        loads.forEach(CallLoad::close);
    }
}
