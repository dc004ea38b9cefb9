package org.amo.testkit.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.amo.testkit.history.History;
import org.amo.testkit.history.HistoryCall;
import org.amo.testkit.history.HistoryCall.Outcome;
import org.amo.testkit.history.ServiceLife;

/** The rules one by one. Each returns its violations, a line each. */
final class Rules {
    private static final int SHOWN = 5;

    private Rules() {}

    static List<String> once(History history) {
        List<String> broken = new ArrayList<>();
        for (ServiceLife life : history.lives()) {
            Map<String, Long> seen = new HashMap<>();
            long last = 0;
            for (ServiceLife.Execution execution : life.executions()) {
                Long before = seen.put(execution.id(), execution.position());
                if (before != null) {
                    broken.add(life + " executed " + execution.id() + " at " + before + " and again at "
                            + execution.position());
                }
                if (execution.position() < last) {
                    broken.add(life + " executed position " + execution.position() + " after " + last);
                }
                last = Math.max(last, execution.position());
            }
        }
        return broken;
    }

    static List<String> order(History history, AgreedOrder order) {
        List<String> broken = new ArrayList<>();
        order.positions().forEach((position, ids) -> {
            for (String id : ids) {
                if (order.where().getOrDefault(id, position) != (long) position) {
                    broken.add(id + " was executed at " + order.where().get(id) + " and at " + position);
                }
            }
        });
        for (ServiceLife life : history.lives()) {
            TreeMap<Long, List<String>> own = AgreedOrder.positions(life);
            if (own.isEmpty()) {
                continue;
            }
            order.positions().subMap(own.firstKey(), true, own.lastKey(), true).forEach((position, ids) -> {
                List<String> mine = own.getOrDefault(position, List.of());
                boolean cut = life.crashed() && position.equals(own.lastKey());
                if (!(cut ? ids.subList(0, Math.min(mine.size(), ids.size())) : ids).equals(mine)) {
                    broken.add(
                            "position " + position + ": " + life + " executed " + some(mine) + ", others " + some(ids));
                }
            });
        }
        return broken;
    }

    /** @param reads operations that may be answered without an execution in the order */
    static List<String> acknowledged(History history, AgreedOrder order, Predicate<String> reads) {
        List<String> broken = new ArrayList<>();
        for (HistoryCall call : history.calls().values()) {
            if (call.outcome() == Outcome.OK && !order.where().containsKey(call.id()) && !reads.test(call.op())) {
                broken.add(call + " was answered and executed nowhere");
            }
        }
        Map<String, ServiceLife> last = new HashMap<>();
        history.lives().forEach(life -> last.put(life.replica(), life));
        for (ServiceLife life : last.values()) {
            if (life.crashed()) {
                continue;
            }
            Set<String> done = new HashSet<>();
            life.executions().forEach(execution -> done.add(execution.id()));
            order.where().forEach((id, position) -> {
                HistoryCall call = history.calls().get(id);
                if (call != null && call.outcome() == Outcome.OK && position > life.joinedAt() && !done.contains(id)) {
                    broken.add(call + " was answered, and " + life + " did not execute it");
                }
            });
        }
        return broken;
    }

    static List<String> refused(History history, AgreedOrder order) {
        return history.calls().values().stream()
                .filter(call -> call.outcome() == Outcome.FAIL && order.where().containsKey(call.id()))
                .map(call ->
                        call + " failed, and was executed at " + order.where().get(call.id()))
                .toList();
    }

    static List<String> values(History history) {
        List<String> broken = new ArrayList<>();
        Map<String, Object> first = new HashMap<>();
        for (ServiceLife life : history.lives()) {
            for (ServiceLife.Execution execution : life.executions()) {
                if (execution.value().isEmpty()) {
                    continue;
                }
                Object own = execution.value().get();
                Optional<Object> answered = Optional.ofNullable(history.calls().get(execution.id()))
                        .filter(call -> call.outcome() == Outcome.OK)
                        .flatMap(HistoryCall::value);
                Object expected = answered.orElseGet(() -> first.computeIfAbsent(execution.id(), key -> own));
                if (!expected.equals(own)) {
                    broken.add(execution.id() + ": " + life + " computed " + own + " instead of " + expected);
                }
            }
        }
        return broken;
    }

    static List<String> time(History history, AgreedOrder order) {
        List<String> broken = new ArrayList<>();
        long latest = Long.MIN_VALUE;
        String whose = "";
        for (String id : order.ids()) {
            HistoryCall call = history.calls().get(id);
            if (call == null || call.startNanos().isEmpty()) {
                continue;
            }
            if (call.outcome() == Outcome.OK && call.endNanos().orElse(Long.MAX_VALUE) < latest) {
                broken.add(id + " ended before " + whose + " began, and was executed after it");
            }
            if (call.startNanos().getAsLong() > latest) {
                latest = call.startNanos().getAsLong();
                whose = id;
            }
        }
        return broken;
    }

    /** @return the violations, or empty if no call could be replayed */
    static <S> Optional<List<String>> replay(History history, AgreedOrder order, SequentialModel<S> model) {
        List<String> broken = new ArrayList<>();
        S state = model.initial();
        int replayed = 0;
        for (String id : order.ids()) {
            HistoryCall call = history.calls().get(id);
            if (call == null || call.arguments().isEmpty()) {
                continue;
            }
            SequentialModel.Step<S> step =
                    model.run(state, call.op(), call.arguments().get());
            state = step.state();
            replayed++;
            if (call.outcome() == Outcome.OK
                    && call.value().isPresent()
                    && step.value().isPresent()
                    && !step.value().equals(call.value())) {
                broken.add(call + " was answered " + call.value().get() + " instead of "
                        + step.value().get());
            }
        }
        if (replayed == 0) {
            return Optional.empty();
        }
        Object end = model.state(state);
        history.states().forEach((replica, own) -> {
            if (!own.equals(end)) {
                broken.add(replica + " ends as " + own + " instead of " + end);
            }
        });
        return Optional.of(broken);
    }

    static <S> List<String> linearizable(History history, SequentialModel<S> model) {
        List<String> broken = new ArrayList<>();
        for (List<HistoryCall> part : model.parts(List.copyOf(history.calls().values()))) {
            Linearizability.Answer answer = Linearizability.decide(model, part);
            if (answer.result() == Linearizability.Result.NO) {
                broken.add("no order of calls explains the answer "
                        + answer.stuck()
                                .flatMap(HistoryCall::value)
                                .map(String::valueOf)
                                .orElse("that was given") + " of "
                        + answer.stuck().map(HistoryCall::toString).orElse("a call"));
            } else if (answer.result() == Linearizability.Result.UNDECIDED) {
                broken.add("not decided in " + Linearizability.MOST_STEPS + " steps, near "
                        + answer.stuck().map(HistoryCall::toString).orElse("the beginning"));
            }
        }
        return broken;
    }

    static List<String> states(History history) {
        List<String> broken = new ArrayList<>();
        Optional<Map.Entry<String, Object>> first =
                history.states().entrySet().stream().findFirst();
        history.states().forEach((replica, state) -> {
            if (!state.equals(first.orElseThrow().getValue())) {
                broken.add(first.orElseThrow().getKey() + " and " + replica + " end differently");
            }
        });
        return broken;
    }

    static List<String> progress(History history) {
        boolean any = history.calls().values().stream().anyMatch(call -> call.outcome() == Outcome.OK);
        return any ? List.of() : List.of("none of " + history.calls().size() + " calls was answered");
    }

    private static String some(List<String> ids) {
        return ids.size() <= SHOWN ? ids.toString() : ids.subList(0, SHOWN) + " and more";
    }
}
