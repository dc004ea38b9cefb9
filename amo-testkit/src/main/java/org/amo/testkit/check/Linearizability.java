package org.amo.testkit.check;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.testkit.history.HistoryCall;
import org.amo.testkit.history.HistoryCall.Outcome;

/**
 * Decides whether calls, as their clients saw them, could have run one after the other, each between its begin and
 * its end: Wing and Gong's search with Lowe's memory of configurations. It asks no replica anything.
 *
 * <p>Calls that failed did not run. Calls with an unknown outcome may have run at any time after their begin, or not at
 * all; they are tried last, so that a history without violations is decided about as fast as it is read.
 */
final class Linearizability {
    /** A search of this many steps without a decision ends as undecided, which is reported and is no pass. */
    static final long MOST_STEPS = 20_000_000;

    /** The result of the search. */
    enum Result {
        YES,
        NO,
        UNDECIDED
    }

    private Linearizability() {}

    /**
     * Of one part.
     *
     * @param stuck the call that no order explains, of the longest order found; empty unless the result is NO
     */
    record Answer(Result result, Optional<HistoryCall> stuck) {}

    static <S> Answer decide(SequentialModel<S> model, List<HistoryCall> part) {
        return new Search<>(model, part).run();
    }

    private static final class Search<S> {
        private final SequentialModel<S> model;
        private final List<HistoryCall> calls;
        private final int answered;
        private final Set<Configuration<S>> seen = new HashSet<>();

        /** The calls that have run in the present order, and the way there. */
        private final BitSet done = new BitSet();

        private final List<Frame<S>> path = new ArrayList<>();
        private int doneAnswered;
        private int best = -1;
        private Optional<HistoryCall> stuck = Optional.empty();

        private record Configuration<S>(BitSet done, S state) {}

        /** One step of the order; {@code next} is the candidate to try after it. */
        private static final class Frame<S> {
            private final S state;
            private final List<Integer> candidates;
            private int next;
            private int taken = -1;

            private Frame(S state, List<Integer> candidates) {
                this.state = state;
                this.candidates = candidates;
            }
        }

        private Search(SequentialModel<S> model, List<HistoryCall> part) {
            this.model = model;
            this.calls = part.stream()
                    .filter(call ->
                            call.outcome() != Outcome.FAIL && call.arguments().isPresent())
                    .sorted(Comparator.comparingLong(Search::start))
                    .toList();
            this.answered = (int)
                    calls.stream().filter(call -> call.outcome() == Outcome.OK).count();
        }

        private Answer run() {
            path.add(new Frame<>(model.initial(), candidates()));
            for (long steps = 0; steps < MOST_STEPS; steps++) {
                if (doneAnswered == answered) {
                    return new Answer(Result.YES, Optional.empty());
                }
                Frame<S> top = path.get(path.size() - 1);
                if (top.next < top.candidates.size()) {
                    attempt(top, top.candidates.get(top.next++));
                } else {
                    path.remove(path.size() - 1);
                    if (path.isEmpty()) {
                        return new Answer(Result.NO, stuck);
                    }
                    undo(path.get(path.size() - 1));
                }
            }
            return new Answer(Result.UNDECIDED, stuck);
        }

        private void attempt(Frame<S> from, int index) {
            HistoryCall call = calls.get(index);
            SequentialModel.Step<S> step =
                    model.run(from.state, call.op(), call.arguments().orElseThrow());
            boolean fits = call.outcome() != Outcome.OK
                    || step.value().isEmpty()
                    || call.value().isEmpty()
                    || step.value().equals(call.value());
            if (!fits) {
                note(call);
                return;
            }
            done.set(index);
            if (seen.add(new Configuration<>((BitSet) done.clone(), step.state()))) {
                from.taken = index;
                doneAnswered += call.outcome() == Outcome.OK ? 1 : 0;
                path.add(new Frame<>(step.state(), candidates()));
            } else {
                done.clear(index);
            }
        }

        private void undo(Frame<S> top) {
            done.clear(top.taken);
            doneAnswered -= calls.get(top.taken).outcome() == Outcome.OK ? 1 : 0;
            top.taken = -1;
        }

        private void note(HistoryCall call) {
            if (doneAnswered > best) {
                best = doneAnswered;
                stuck = Optional.of(call);
            }
        }

        /** Calls not yet run that began before the first end among them: the answered first, by their end. */
        private List<Integer> candidates() {
            long firstEnd = Long.MAX_VALUE;
            List<Integer> found = new ArrayList<>();
            List<Integer> unknown = new ArrayList<>();
            for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
                if (start(calls.get(i)) > firstEnd) {
                    break;
                }
                (calls.get(i).outcome() == Outcome.OK ? found : unknown).add(i);
                firstEnd = Math.min(firstEnd, end(calls.get(i)));
            }
            found.sort(Comparator.comparingLong(i -> end(calls.get(i))));
            found.addAll(unknown);
            return found;
        }

        private static long start(HistoryCall call) {
            return call.startNanos().orElse(Long.MIN_VALUE);
        }

        private static long end(HistoryCall call) {
            return call.outcome() == Outcome.OK ? call.endNanos().orElse(Long.MAX_VALUE) : Long.MAX_VALUE;
        }
    }
}
