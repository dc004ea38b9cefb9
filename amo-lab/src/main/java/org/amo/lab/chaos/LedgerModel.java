package org.amo.lab.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.amo.testkit.check.SequentialModel;
import org.amo.testkit.history.HistoryCall;

/**
 * Models the services under test, both of which keep balances by name: the bank and the counters. An account is opened by
 * the first call that changes it.
 */
final class LedgerModel implements SequentialModel<SortedMap<String, Long>> {
    private final String deposit;
    private final String transfer;
    private final String balances;
    private final boolean refusedTransferOpens;
    private final boolean reads;

    private LedgerModel(String deposit, String transfer, String balances, boolean refusedTransferOpens, boolean reads) {
        this.deposit = deposit;
        this.transfer = transfer;
        this.balances = balances;
        this.refusedTransferOpens = refusedTransferOpens;
        this.reads = reads;
    }

    /**
     * The bank: {@code deposit [account, amount]} answers the new balance, {@code transfer [from, to, amount]} true or false,
     * {@code balances []} every account. A refused transfer opens the accounts that it names.
     */
    static LedgerModel bank() {
        return new LedgerModel("deposit", "transfer", "balances", true, false);
    }

    /**
     * The counters: {@code add [name, amount]} answers the new value, {@code move [from, to, amount]} true or false,
     * {@code all []} every counter, by a read beside the order.
     */
    static LedgerModel counters() {
        return new LedgerModel("add", "move", "all", false, true);
    }

    @Override
    public SortedMap<String, Long> initial() {
        return Collections.emptySortedMap();
    }

    @Override
    public Step<SortedMap<String, Long>> run(SortedMap<String, Long> state, String operation, List<Object> arguments) {
        if (operation.equals(deposit)) {
            return add(state, (String) arguments.get(0), (Long) arguments.get(1));
        }
        if (operation.equals(transfer)) {
            return move(state, (String) arguments.get(0), (String) arguments.get(1), (Long) arguments.get(2));
        }
        return new Step<>(state, operation.equals(balances) ? Optional.of(list(state)) : Optional.empty());
    }

    @Override
    public boolean isRead(String operation) {
        return reads && operation.equals(balances);
    }

    @Override
    public Object state(SortedMap<String, Long> state) {
        return state;
    }

    /**
     * Accounts that one transfer joins stay together; a list of all balances is cut into pieces. Accounts of a list that no call names
     * are a piece without any call that could open them.
     */
    @Override
    public List<List<HistoryCall>> parts(List<HistoryCall> calls) {
        Map<String, String> roots = new HashMap<>();
        for (HistoryCall call : calls) {
            List<String> accounts = accounts(call);
            accounts.forEach(account -> roots.putIfAbsent(account, account));
            for (int i = 1; i < accounts.size(); i++) {
                roots.put(root(roots, accounts.get(i)), root(roots, accounts.get(0)));
            }
        }
        Map<String, List<HistoryCall>> parts = new TreeMap<>();
        for (HistoryCall call : calls) {
            if (call.op().equals(balances)) {
                continue;
            }
            for (String account : accounts(call).stream().limit(1).toList()) {
                parts.computeIfAbsent(root(roots, account), key -> new ArrayList<>())
                        .add(call);
            }
        }
        List<HistoryCall> strange = new ArrayList<>();
        for (HistoryCall call : calls) {
            if (call.op().equals(balances)
                    && call.value().isPresent()
                    && call.value().get() instanceof List<?> all) {
                parts.forEach((root, part) ->
                        part.add(call.answering(lines(all, account -> root.equals(root(roots, account))))));
                List<Object> unnamed = lines(all, account -> !roots.containsKey(account));
                if (!unnamed.isEmpty()) {
                    strange.add(call.answering(unnamed));
                }
            }
        }
        List<List<HistoryCall>> pieces = new ArrayList<>(parts.values());
        if (!strange.isEmpty()) {
            pieces.add(strange);
        }
        return List.copyOf(pieces);
    }

    private static List<Object> lines(List<?> all, Predicate<String> accounts) {
        return all.stream()
                .filter(line -> accounts.test(String.valueOf(((List<?>) line).get(0))))
                .map(Object.class::cast)
                .toList();
    }

    private static Step<SortedMap<String, Long>> add(SortedMap<String, Long> state, String account, long amount) {
        SortedMap<String, Long> next = new TreeMap<>(state);
        long balance = next.merge(account, amount, Long::sum);
        return new Step<>(next, Optional.of(balance));
    }

    private Step<SortedMap<String, Long>> move(SortedMap<String, Long> state, String from, String to, long amount) {
        SortedMap<String, Long> next = new TreeMap<>(state);
        if (refusedTransferOpens) {
            next.putIfAbsent(from, 0L);
            next.putIfAbsent(to, 0L);
        }
        boolean covered = next.getOrDefault(from, 0L) >= amount;
        if (covered) {
            next.merge(from, -amount, Long::sum);
            next.merge(to, amount, Long::sum);
        }
        return new Step<>(next, Optional.of(covered));
    }

    private static List<Object> list(SortedMap<String, Long> state) {
        List<Object> lines = new ArrayList<>();
        state.forEach((account, balance) -> lines.add(List.of(account, balance)));
        return lines;
    }

    private List<String> accounts(HistoryCall call) {
        List<Object> arguments = call.arguments().orElse(List.of());
        if (call.op().equals(deposit)) {
            return List.of((String) arguments.get(0));
        }
        return call.op().equals(transfer) ? List.of((String) arguments.get(0), (String) arguments.get(1)) : List.of();
    }

    /** An account that appears only in a list of balances is its own root. */
    private static String root(Map<String, String> roots, String account) {
        String root = account;
        for (String next = roots.getOrDefault(root, root); !next.equals(root); next = roots.getOrDefault(root, root)) {
            root = next;
        }
        return root;
    }
}
