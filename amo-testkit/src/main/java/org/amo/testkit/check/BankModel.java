package org.amo.testkit.check;

import java.util.List;
import java.util.SortedMap;
import org.amo.testkit.history.HistoryCall;

/**
 * The bank of the histories that {@code amo demo} and {@code amo chaos} write: {@code deposit [account, amount]} answers
 * the new balance, {@code transfer [from, to, amount]} true or false, {@code balances []} every account. An account
 * is opened by the first call that names it.
 */
public final class BankModel implements SequentialModel<SortedMap<String, Long>> {
    private final Balances balances = new Balances("deposit", "transfer", "balances", true);

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
