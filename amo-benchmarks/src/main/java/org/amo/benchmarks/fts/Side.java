package org.amo.benchmarks.fts;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.benchmarks.ProcessTime.Switches;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;

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
     * @param switchesPerCall how often a thread of these processes gave up a processor to wait
     */
    record Turn(double callsPerSecond, double cpuMicrosPerCall, double p50Micros, Spent spent, double switchesPerCall) {
        /** The metrics of a row, over the turns of a side. More may be put into the map. */
        static Map<String, Object> metrics(List<Turn> turns) {
            Map<String, Object> metrics = new LinkedHashMap<>();
            metrics.put("callsPerSecond", Spread.of(turns, Turn::callsPerSecond));
            metrics.put("cpuMicrosPerCall", Spread.of(turns, Turn::cpuMicrosPerCall));
            metrics.put("p50Micros", Spread.of(turns, Turn::p50Micros));
            metrics.put("switchesPerCall", Spread.of(turns, Turn::switchesPerCall));
            metrics.put("compilerPercent", Spread.of(turns, turn -> 100 * turn.spent.compilerShare()));
            return metrics;
        }
    }

    long calls() {
        return loads.stream().mapToLong(CallLoad::calls).sum();
    }

    /** A call that failed is a violation. */
    void noteFailures(Figures figures, String where) {
        long failures = loads.stream().mapToLong(CallLoad::failures).sum();
        if (failures > 0) {
            String last = loads.stream()
                    .map(CallLoad::lastFailure)
                    .filter(text -> !text.isEmpty())
                    .findFirst()
                    .orElse("");
            figures.violations().add(where + ": " + failures + " calls failed: " + last);
        }
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
        Spent before = Spent.of(processes());
        Switches switchesBefore = Switches.of(processes());
        long callsBefore = calls();
        long start = System.nanoTime();
        resume();
        TimeUnit.MILLISECONDS.sleep(millis);
        long done = calls() - callsBefore;
        double seconds = (System.nanoTime() - start) / 1e9;
        Spent spent = Spent.of(processes()).since(before);
        // A turn without a call has no latency, rather than none that is longer.
        double p50 = done == 0 ? Double.NaN : loads.get(0).p50Micros();
        Switches switches = Switches.of(processes()).since(switchesBefore);
        // Reading them takes some milliseconds, in which calls go on.
        double switchesPerCall = switches.voluntary() / (double) Math.max(1, calls() - callsBefore);
        pause();
        return new Turn(done / seconds, 1e6 * spent.seconds() / Math.max(1, done), p50, spent, switchesPerCall);
    }

    private LongStream processes() {
        return LongStream.concat(
                LongStream.of(ProcessHandle.current().pid()), servers.stream().mapToLong(ServerProcess::pid));
    }

    @Override
    public void close() {
        loads.forEach(CallLoad::close);
    }
}
