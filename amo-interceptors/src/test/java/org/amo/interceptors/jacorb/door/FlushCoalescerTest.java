package org.amo.interceptors.jacorb.door;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

/** What {@link GiopOutput} gathers written bytes with. */
class FlushCoalescerTest {
    private static final int EACH = 3;

    /** The executor runs a task in the thread that brings it: one drains while the others add. */
    @Test
    void everythingIsHandedOnOnceByOneAtATimeAndInTheOrderOfItsThread() {
        Meetings.prove(
                () -> {
                    Sink sink = new Sink();
                    return adding(new FlushCoalescer<Integer>(Runnable::run, sink)::add, sink);
                },
                () -> {
                    Sink sink = new Sink();
                    return adding(new LooksFirst(Runnable::run, sink)::add, sink);
                });
    }

    private static Meeting adding(Consumer<Integer> add, Sink sink) {
        return Meeting.of(sink::violation, adding(add, 0), adding(add, 1), adding(add, 2));
    }

    private static Meeting.Act adding(Consumer<Integer> add, int thread) {
        return () -> {
            for (int i = 0; i < EACH; i++) {
                add.accept(thread * EACH + i);
            }
        };
    }

    private static final class Sink implements Consumer<List<Integer>> {
        private final List<Integer> taken = new ArrayList<>();
        private final AtomicInteger inside = new AtomicInteger();
        private String wrong = "";

        @Override
        public void accept(List<Integer> batch) {
            if (inside.incrementAndGet() > 1) {
                wrong = "two batches at a time";
            }
            taken.addAll(batch);
            inside.decrementAndGet();
        }

        String violation() {
            for (int thread = 0; thread < 3; thread++) {
                int first = thread * EACH;
                List<Integer> its = taken.stream()
                        .filter(item -> item / EACH * EACH == first)
                        .toList();
                if (!its.equals(List.of(first, first + 1, first + 2))) {
                    return "of a thread: " + its;
                }
            }
            return wrong;
        }
    }

    /** Gives up draining when it has seen nothing more, and says so afterwards. */
    private static final class LooksFirst {
        private final Executor executor;
        private final Consumer<List<Integer>> sink;
        private final List<Integer> waiting = new ArrayList<>();
        private volatile boolean draining;

        LooksFirst(Executor executor, Consumer<List<Integer>> sink) {
            this.executor = executor;
            this.sink = sink;
        }

        void add(int item) {
            synchronized (this) {
                waiting.add(item);
            }
            if (!draining) {
                draining = true;
                executor.execute(this::drain);
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // so that others come in between soon
        private void drain() {
            for (List<Integer> batch = next(); !batch.isEmpty(); batch = next()) {
                sink.accept(batch);
            }
            Thread.yield();
            draining = false;
        }

        private synchronized List<Integer> next() {
            List<Integer> batch = List.copyOf(waiting);
            waiting.clear();
            return batch;
        }
    }
}
