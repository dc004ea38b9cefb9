package org.amo.testkit.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.amo.base.Stable;
import org.amo.testkit.check.CheckReport.Result;
import org.amo.testkit.history.History;
import org.amo.testkit.history.HistoryCall;

/**
 * Checks a history against amo's promises: every request at most once, in one order, and the truth to every client. The
 * origin of the history does not matter. Without events of replicas only the clients' side can be checked.
 */
@Stable
public final class Checker {
    private Checker() {}

    /** Every rule that needs no knowledge of the service. */
    public static CheckReport check(History history) {
        return report(history, Optional.empty());
    }

    /** Every rule; the model gives the answers that the service must give. */
    public static CheckReport check(History history, SequentialModel<?> model) {
        return report(history, Optional.of(model));
    }

    private static CheckReport report(History history, Optional<SequentialModel<?>> model) {
        AgreedOrder order = AgreedOrder.of(history);
        boolean replicas = !order.isEmpty();
        List<Result> results = new ArrayList<>();
        results.add(new Result("calls", "every call begins once and ends at most once", true, history.flaws()));
        results.add(new Result("progress", "at least one call was answered", true, Rules.progress(history)));
        results.add(new Result("once", "no replica executed an id twice in one life", replicas, Rules.once(history)));
        results.add(new Result(
                "order",
                "all replicas executed the same ids at the same positions, in the same order",
                replicas,
                Rules.order(history, order)));
        results.add(new Result(
                "acknowledged",
                "every answered call was executed at all replicas that lived to the end",
                replicas,
                replicas
                        ? Rules.acknowledged(history, order, op -> model.filter(each -> each.isRead(op))
                                .isPresent())
                        : List.of()));
        results.add(new Result(
                "refused",
                "no call that its client was told did not run was executed",
                replicas,
                Rules.refused(history, order)));
        results.add(new Result(
                "values",
                "clients got the values that replicas computed, and all computed the same",
                replicas,
                Rules.values(history)));
        results.add(new Result(
                "time",
                "a call that ended before another began was executed before it",
                replicas,
                Rules.time(history, order)));
        if (model.isPresent()) {
            Optional<List<String>> replay = Rules.replay(history, order, model.get());
            results.add(new Result(
                    "replay",
                    "the service, run once in the replicas' order, gives the same answers and the same end",
                    replay.isPresent(),
                    replay.orElse(List.of())));
            results.add(new Result(
                    "linearizable",
                    "some order of the calls, each between its begin and its end, explains all answers",
                    true,
                    Rules.linearizable(history, model.get())));
        }
        results.add(new Result(
                "states",
                "all replicas that lived to the end hold the same",
                history.states().size() > 1,
                Rules.states(history)));
        return new CheckReport(summary(history, order), results);
    }

    private static String summary(History history, AgreedOrder order) {
        Map<HistoryCall.Outcome, Long> outcomes = history.calls().values().stream()
                .collect(Collectors.groupingBy(
                        HistoryCall::outcome, () -> new EnumMap<>(HistoryCall.Outcome.class), Collectors.counting()));
        return "calls " + history.calls().size() + " " + outcomes + ", executed ids "
                + order.where().size() + ", lives of replicas "
                + history.lives().size();
    }
}
