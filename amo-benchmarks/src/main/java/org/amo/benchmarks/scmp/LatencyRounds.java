package org.amo.benchmarks.scmp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.figures.Spread;

/** Measures calls that take turns, call by call, in rounds: a disturbance of the machine affects all of them alike. */
final class LatencyRounds {
    private static final int LEAST_CALLS = 20;

    private final Map<String, NullCall> calls;
    private final Map<String, List<Double>> medians = new LinkedHashMap<>();

    LatencyRounds(Map<String, NullCall> calls) {
        this.calls = calls;
        calls.keySet().forEach(name -> medians.put(name, new ArrayList<>()));
    }

    /**
     * So many rounds of so many calls each, after a round that does not count; fewer calls a round where the machine is too slow for
     * all of them in the time.
     */
    void run(int rounds, int callsPerRound, int warmUp, long limitSeconds) throws Exception {
        long share = TimeUnit.SECONDS.toNanos(limitSeconds) / (rounds + 1);
        round(warmUp, share);
        for (int i = 0; i < rounds; i++) {
            round(callsPerRound, share).forEach((name, nanos) -> of(name).add(Spread.median(nanos) / 1_000));
        }
    }

    private Map<String, long[]> round(int most, long limitNanos) throws Exception {
        List<Map.Entry<String, NullCall>> order = new ArrayList<>(calls.entrySet());
        Map<String, long[]> nanos = new LinkedHashMap<>();
        calls.keySet().forEach(name -> nanos.put(name, new long[most]));
        long begun = System.nanoTime();
        int count = 0;
        while (count < most && (count < LEAST_CALLS || System.nanoTime() - begun < limitNanos)) {
            // A B B A: no call is always behind the same neighbour.
            for (int j = 0; j < order.size(); j++) {
                Map.Entry<String, NullCall> each = order.get(count % 2 == 0 ? j : order.size() - 1 - j);
                long start = System.nanoTime();
                each.getValue().call();
                Objects.requireNonNull(nanos.get(each.getKey()))[count] = System.nanoTime() - start;
                each.getValue().afterwards();
            }
            count++;
        }
        int measured = count;
        nanos.replaceAll((name, all) -> Arrays.copyOf(all, measured));
        return nanos;
    }

    /** The calls, in their order. */
    Set<String> names() {
        return calls.keySet();
    }

    /** The median of each round, in microseconds. */
    Spread micros(String name) {
        return Spread.of(of(name));
    }

    /** The ratio of two medians in each round. */
    Spread ratio(String one, String other) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < of(one).size(); i++) {
            ratios.add(of(one).get(i) / of(other).get(i));
        }
        return Spread.of(ratios);
    }

    private List<Double> of(String name) {
        List<Double> rounds = medians.get(name);
        if (rounds == null) {
            throw new IllegalArgumentException("nothing called " + name + "; there are " + medians.keySet());
        }
        return rounds;
    }
}
