package org.amo.testkit.check;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.amo.testkit.history.HistoryCall;

/** Accounts that know {@code deposit [account, amount]} alone, which answers the new balance. */
final class AccountsModel implements SequentialModel<SortedMap<String, Long>> {

    @Override
    public SortedMap<String, Long> initial() {
        return Collections.emptySortedMap();
    }

    @Override
    public Step<SortedMap<String, Long>> run(SortedMap<String, Long> state, String operation, List<Object> arguments) {
        if (!operation.equals("deposit")) {
            return new Step<>(state, Optional.empty());
        }
        SortedMap<String, Long> next = new TreeMap<>(state);
        long balance = next.merge((String) arguments.get(0), (Long) arguments.get(1), Long::sum);
        return new Step<>(next, Optional.of(balance));
    }

    @Override
    public Object state(SortedMap<String, Long> state) {
        return state;
    }

    /** One for each account. */
    @Override
    public List<List<HistoryCall>> parts(List<HistoryCall> calls) {
        return List.copyOf(calls.stream()
                .filter(call -> call.arguments().isPresent())
                .collect(Collectors.groupingBy(
                        call -> call.arguments().orElseThrow().get(0)))
                .values());
    }
}
