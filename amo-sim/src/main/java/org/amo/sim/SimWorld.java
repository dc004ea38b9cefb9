package org.amo.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Virtual time: an event queue and one seeded source of randomness. Events of the same microsecond happen in the
 * order in which they were asked for, so that a seed gives one run.
 */
public final class SimWorld {
    private static final int TRACE_LINES = 300;
    private static final int WHOLE_MILLIS_WIDTH = 5;

    private final SplittableRandom random;
    private final Tracing tracing;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<String, Long> faults = new TreeMap<>();
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private long nowMicros;
    private long asked;

    /** Which events are kept. */
    public enum Tracing {
        NOTHING,
        LAST,
        ALL
    }

    private record Event(long atMicros, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atMicros, other.atMicros);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    public SimWorld(long seed, Tracing tracing) {
        this.random = new SplittableRandom(seed);
        this.tracing = tracing;
    }

    public long nowMicros() {
        return nowMicros;
    }

    public long nowMillis() {
        return nowMicros / 1_000;
    }

    public void at(long micros, Runnable action) {
        events.add(new Event(Math.max(micros, nowMicros), asked++, action));
    }

    public void after(long micros, Runnable action) {
        at(nowMicros + micros, action);
    }

    public void runUntilMillis(long millis) {
        while (!events.isEmpty() && events.peek().atMicros <= millis * 1_000) {
            Event event = events.poll();
            nowMicros = event.atMicros;
            event.action.run();
        }
        nowMicros = millis * 1_000;
    }

    /** Now and then, until it is over. */
    public void every(long meanMillis, BooleanSupplier over, Runnable action) {
        if (meanMillis > 0) {
            after(about(meanMillis * 1_000), () -> {
                if (!over.getAsBoolean()) {
                    action.run();
                    every(meanMillis, over, action);
                }
            });
        }
    }

    public boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** Both ends included. */
    public long between(long least, long most) {
        return least >= most ? least : random.nextLong(least, most + 1);
    }

    public int index(int size) {
        return random.nextInt(size);
    }

    public long bits() {
        return random.nextLong();
    }

    /** Exponentially distributed. */
    public long about(long mean) {
        return (long) (-mean * Math.log(1 - random.nextDouble()));
    }

    /** Whether a fault of that probability is injected now; then it is counted. */
    public boolean happens(String kind, double probability) {
        boolean now = chance(probability);
        if (now) {
            fault(kind);
        }
        return now;
    }

    /** Counts an injected fault. */
    public void fault(String kind) {
        faults.merge(kind, 1L, Long::sum);
    }

    public Map<String, Long> faults() {
        return faults;
    }

    /** Adds a line, which is made only if lines are wanted. */
    public void trace(Supplier<String> line) {
        if (tracing == Tracing.NOTHING) {
            return;
        }
        if (tracing == Tracing.LAST && trace.size() == TRACE_LINES) {
            trace.poll();
        }
        trace.add(millis(nowMicros) + line.get());
    }

    /** As {@code "%9.3f "} writes it, in a small part of the time: a traced run has many lines. */
    private static String millis(long micros) {
        String whole = Long.toString(micros / 1_000);
        String rest = Long.toString(1_000 + micros % 1_000).substring(1);
        return " ".repeat(Math.max(0, WHOLE_MILLIS_WIDTH - whole.length())) + whole + "." + rest + " ";
    }

    public List<String> traced() {
        return new ArrayList<>(trace);
    }

    /** Every event, if all are kept; else none. */
    public List<String> completeTrace() {
        return tracing == Tracing.ALL ? traced() : List.of();
    }
}
