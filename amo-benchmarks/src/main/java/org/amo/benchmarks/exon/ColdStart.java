package org.amo.benchmarks.exon;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.figures.Spread;

/** How long a new flow takes until a link is nine tenths full. One thread owns it. */
final class ColdStart {
    private static final double FULL = 0.9;
    private static final long LOOK_MILLIS = 10;

    /** The rate is looked at over a fifth of a second. */
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final double perSecond;
    private final long mostMillis;
    private final Map<String, List<Double>> seconds = new LinkedHashMap<>();

    private record Look(long nanos, long completed) {}

    /**
     * @param perSecond messages that the full link carries
     * @param mostMillis after which a flow counts as one that took so long
     */
    ColdStart(double perSecond, long mostMillis) {
        this.perSecond = perSecond;
        this.mostMillis = mostMillis;
    }

    /**
     * Starts a flow on an empty link, and ends it once it has filled the link.
     *
     * @return a failure, or ""
     */
    String run(String stack, Callable<Flow> start) throws Exception {
        long begin = System.nanoTime();
        try (Flow flow = start.call()) {
            ArrayDeque<Look> looks = new ArrayDeque<>(List.of(new Look(begin, 0)));
            long end = begin + TimeUnit.MILLISECONDS.toNanos(mostMillis);
            double started = mostMillis / 1e3;
            Look first = looks.getFirst();
            while (System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                Look now = new Look(System.nanoTime(), flow.completed());
                looks.addLast(now);
                while (now.nanos - looks.getFirst().nanos >= WINDOW_NANOS) {
                    first = looks.removeFirst();
                }
                double rate = (now.completed - first.completed) * 1e9 / (now.nanos - first.nanos);
                if (now.nanos - first.nanos >= WINDOW_NANOS && rate >= FULL * perSecond) {
                    started = (first.nanos - begin) / 1e9;
                    break;
                }
            }
            add(stack, started);
            return flow.failure();
        }
    }

    private void add(String stack, double each) {
        seconds.computeIfAbsent(stack, name -> new ArrayList<>()).add(each);
    }

    /** From before the connection or the endpoints are made to the begin of the first fifth of a second that is nine tenths full. */
    Spread seconds(String stack) {
        return Spread.of(seconds.getOrDefault(stack, List.of()));
    }
}
