package org.amo.examples.bank;

import java.io.Serializable;
import org.amo.examples.bank.idl.LedgerLine;

/** Sums up one account and its operations, in a size that does not grow with the number of operations. */
final class Book implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String account;
    private long deposits;
    private long deposited;
    private long transfersOut;
    private long transfersIn;
    private long notes;
    private long balance;
    private long chain;

    Book(String account) {
        this.account = account;
    }

    long balance() {
        return balance;
    }

    void deposit(long amount) {
        deposits++;
        deposited += amount;
        change('d', amount);
    }

    void transferOut(long amount) {
        transfersOut++;
        change('o', -amount);
    }

    void transferIn(long amount) {
        transfersIn++;
        change('i', amount);
    }

    void note() {
        notes++;
        change('n', 0);
    }

    LedgerLine line() {
        return new LedgerLine(account, deposits, deposited, transfersOut, transfersIn, notes, balance, chain);
    }

    private void change(char kind, long amount) {
        balance += amount;
        chain = Chain.next(Chain.next(Chain.next(chain, kind), amount), balance);
    }
}
