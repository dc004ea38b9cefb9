package org.amo.testkit.check;

import java.util.List;
import java.util.SortedMap;
import org.amo.testkit.history.HistoryCall;

/**
 * The counters of the histories that {@code amo chaos --service counter} writes: {@code add [name, amount]} answers the new
 * value, {@code move [from, to, amount]} true or false, {@code all []} every counter. A counter is made by the first call
 * that changes it.
 */
public final class CounterModel implements SequentialModel<SortedMap<String, Long>> {
    private final Balances balances = new Balances("add", "move", "all", false);

    @Override
    public SortedMap<String, Long> initial() {
        return balances.initial();
    }

    @Override
    public Step<SortedMap<String, Long>> run(SortedMap<String, Long> state, String operation, List<Object> arguments) {
        return balances.run(state, operation, arguments);
    }

    @Override
    public Object state(SortedMap<String, Long> state) {
        return balances.state(state);
    }

    @Override
    public List<List<HistoryCall>> parts(List<HistoryCall> calls) {
        return balances.parts(calls);
    }
}
