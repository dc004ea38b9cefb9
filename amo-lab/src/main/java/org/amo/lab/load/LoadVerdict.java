package org.amo.lab.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Holds the joint verdict of the servant's ledger and the clients' records.
 *
 * @param executedTwice executions for which no client has a call
 * @param lost answered calls of which the bank knows nothing
 * @param remarks one line for each account that is not as it should be
 */
public record LoadVerdict(long executedTwice, long lost, List<String> remarks) {

    /**
     * The same with a service that shows its balances and counts nothing: more than the client's own, and more than its unknown
     * calls explain, is one execution too many at least; less is one lost at least.
     */
    static LoadVerdict ofBalances(List<AccountRecord> records, BankAudit.Books books) {
        Map<String, Long> balances = new HashMap<>();
        books.lines().forEach(line -> balances.put(line.account(), line.balance()));
        long twice = 0;
        long lost = 0;
        List<String> remarks = new ArrayList<>();
        for (AccountRecord own : records) {
            long balance = Optional.ofNullable(balances.remove(own.account())).orElse(0L);
            long accountTwice = Math.max(own.repeated(), tooMany(own, balance));
            long accountLost = Math.max(own.missing(), tooFew(own, balance));
            if (accountTwice > 0 || accountLost > 0) {
                remarks.add("account " + own.account() + ": the service has " + balance
                        + ", the client " + own.balance() + "; its answers showed " + own.repeated()
                        + " too many and " + own.missing() + " too few");
            }
            twice += accountTwice;
            lost += accountLost;
        }
        for (String nobodys : balances.keySet()) {
            twice++;
            remarks.add("account " + nobodys + " belongs to no client");
        }
        return new LoadVerdict(twice, lost, remarks);
    }

    private static long tooMany(AccountRecord own, long balance) {
        return balance > own.most() ? 1 : 0;
    }

    private static long tooFew(AccountRecord own, long balance) {
        return balance < own.least() ? 1 : 0;
    }

    static LoadVerdict of(List<AccountRecord> records, BankAudit.Books books) {
        Map<String, BankAudit.Line> lines = new HashMap<>();
        books.lines().forEach(line -> lines.put(line.account(), line));
        long twice = 0;
        long lost = 0;
        List<String> remarks = new ArrayList<>();
        for (AccountRecord own : records) {
            BankAudit.Line line = lines.remove(own.account());
            long executed = line == null ? 0 : line.changes();
            long balance = line == null ? 0 : line.balance();
            long chain = line == null ? 0 : line.chain();
            // Final counts, or errors seen in single answers: in the counts a repetition and a loss could cancel.
            long accountTwice = Math.max(own.repeated(), executed - own.changed() - own.unknown());
            long accountLost = Math.max(own.missing(), own.changed() - executed);
            if (own.unknown() > 0) {
                // The chain says nothing then, but few balances are possible.
                accountTwice = Math.max(accountTwice, tooMany(own, balance));
                accountLost = Math.max(accountLost, tooFew(own, balance));
            }
            boolean same = own.unknown() > 0 || (balance == own.balance() && chain == own.chain());
            if (accountTwice <= 0 && accountLost <= 0 && !same) {
                // As many operations as were answered, but not the same ones: one ran in the place of another.
                accountTwice = 1;
                accountLost = 1;
            }
            if (accountTwice > 0 || accountLost > 0) {
                remarks.add("account " + own.account() + ": the bank executed " + executed + ", the client has "
                        + own.changed() + " answered and " + own.unknown() + " unknown; its answers showed "
                        + own.repeated()
                        + " too many and " + own.missing() + " too few");
            }
            twice += Math.max(0, accountTwice);
            lost += Math.max(0, accountLost);
        }
        for (BankAudit.Line line : lines.values()) {
            twice += line.changes();
            remarks.add("account " + line.account() + " belongs to no client, and the bank executed " + line.changes()
                    + " operations on it");
        }
        return new LoadVerdict(twice, lost, remarks);
    }
}
