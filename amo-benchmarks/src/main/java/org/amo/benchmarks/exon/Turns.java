package org.amo.benchmarks.exon;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.link.LinkEmulator;

/** Stacks that take turns on one link: A B C, C B A, and so on. One thread owns it. */
final class Turns {
    private final Point point;
    private final int bytes;
    private final Map<String, List<Turn>> turns = new LinkedHashMap<>();
    private final Map<String, List<String>> failures = new LinkedHashMap<>();

    /**
     * One turn.
     *
     * @param perSecond messages or calls
     * @param p50Millis of calls, or 0
     * @param p99Millis of calls, or 0
     */
    private record Turn(double perSecond, double p50Millis, double p99Millis) {}

    Turns(Point point, int bytes) {
        this.point = point;
        this.bytes = bytes;
    }

    /** @param rampMillis before the measurement, in which each finds the link's rate */
    void run(LinkEmulator link, List<Stack> stacks, int rounds, long rampMillis, long millis) throws Exception {
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < stacks.size(); i++) {
                Stack stack = stacks.get(round % 2 == 0 ? i : stacks.size() - 1 - i);
                Turn turn = turn(link, stack, rampMillis, millis);
                turns.computeIfAbsent(stack.name(), name -> new ArrayList<>()).add(turn);
            }
        }
    }

    private Turn turn(LinkEmulator link, Stack stack, long rampMillis, long millis) throws Exception {
        try (Flow flow = stack.flow(link, bytes, point.actors())) {
            TimeUnit.MILLISECONDS.sleep(rampMillis);
            flow.intervalMicros();
            long before = flow.completed();
            long start = System.nanoTime();
            TimeUnit.MILLISECONDS.sleep(millis);
            double perSecond = (flow.completed() - before) * 1e9 / (System.nanoTime() - start);
            Histogram micros = flow.intervalMicros();
            if (!flow.failure().isEmpty()) {
                failures.computeIfAbsent(stack.name(), name -> new ArrayList<>())
                        .add(stack.name() + ", " + point + ": " + flow.failure());
            }
            return new Turn(perSecond, micros.getValueAtPercentile(50) / 1e3, micros.getValueAtPercentile(99) / 1e3);
        }
    }

    boolean has(String stack) {
        return turns.containsKey(stack);
    }

    Point point() {
        return point;
    }

    /** Violations seen in the turns of a stack. */
    List<String> failures(String stack) {
        return failures.getOrDefault(stack, List.of());
    }

    Spread perSecond(String stack) {
        return Spread.of(of(stack).stream().map(Turn::perSecond).toList());
    }

    Spread p50Millis(String stack) {
        return Spread.of(of(stack).stream().map(Turn::p50Millis).toList());
    }

    Spread p99Millis(String stack) {
        return Spread.of(of(stack).stream().map(Turn::p99Millis).toList());
    }

    /** Round by round. */
    Spread ratio(String over, String under) {
        List<Double> quotients = new ArrayList<>();
        for (int i = 0; i < Math.min(of(over).size(), of(under).size()); i++) {
            quotients.add(of(over).get(i).perSecond / of(under).get(i).perSecond);
        }
        return Spread.of(quotients);
    }

    private List<Turn> of(String stack) {
        return turns.getOrDefault(stack, List.of());
    }
}
