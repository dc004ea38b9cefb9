package org.amo.examples.bank;

import java.util.Map;
import java.util.TreeMap;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Balance;
import org.amo.examples.bank.idl.BankPOA;
import org.amo.examples.bank.idl.Ledger;
import org.amo.examples.bank.idl.LedgerLine;

/**
 * Implements the bank. Its answers follow from the operations and their order alone: no clock, no chance, and
 * maps with a fixed order.
 */
public class BankServant extends BankPOA {
    private final String name;

    private final Map<String, Book> books = new TreeMap<>();
    private long operations;
    private long chain;

    /** Without accounts. */
    public BankServant(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public synchronized long deposit(String account, long amount) throws BadAmount {
        if (amount <= 0) {
            throw new BadAmount("a deposit must be positive", amount);
        }
        Book book = open(account);
        if (book.balance() > Long.MAX_VALUE - amount) {
            throw new BadAmount("the account is full", amount);
        }
        book.deposit(amount);
        count(book);
        return book.balance();
    }

    @Override
    public synchronized boolean transfer(String from, String to, long amount) throws BadAmount {
        if (amount <= 0) {
            throw new BadAmount("a transfer must be positive", amount);
        }
        Book source = open(from);
        Book target = open(to);
        if (source.balance() < amount || target.balance() > Long.MAX_VALUE - amount) {
            return false;
        }
        source.transferOut(amount);
        count(source);
        target.transferIn(amount);
        count(target);
        return true;
    }

    @Override
    public synchronized Balance[] balances() {
        return books.entrySet().stream()
                .map(entry -> new Balance(entry.getKey(), entry.getValue().balance()))
                .toArray(Balance[]::new);
    }

    @Override
    public synchronized void note(String account) {
        Book book = open(account);
        book.note();
        count(book);
    }

    @Override
    public synchronized Ledger books() {
        return new Ledger(
                operations, chain, books.values().stream().map(Book::line).toArray(LedgerLine[]::new));
    }

    @Override
    public synchronized LedgerLine book(String account) {
        Book book = books.get(account);
        return book == null ? new Book(account).line() : book.line();
    }

    private Book open(String account) {
        return books.computeIfAbsent(account, Book::new);
    }

    private void count(Book book) {
        operations++;
        chain = Chain.next(chain, book.line().chain);
    }
}
