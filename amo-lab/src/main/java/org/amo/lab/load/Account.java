package org.amo.lab.load;

import java.util.concurrent.atomic.AtomicLong;
import org.amo.examples.bank.Chain;

/**
 * An account as the thread that alone uses it sees it. One thread owns it; others may read {@link #repeated} and {@link #missing}.
 *
 * <p>Invariant: without unknown outcomes, {@code balance} is the bank's. Each unknown operation may or may not have
 * run, or may run later, so it widens for good the range of correct answers: once around {@code certain}, since each of them runs
 * once at most, and once around {@code balance}, since an operation that was seen stays.
 */
final class Account {
    private final String name;

    /** Any thread may read them. */
    private final AtomicLong repeated = new AtomicLong();

    private final AtomicLong missing = new AtomicLong();

    private long issued;
    private long ok;
    private long changed;
    private long failed;
    private long unknown;
    private long balance;

    /** The balance if no operation with an unknown outcome has run. */
    private long certain;

    private long chain;
    private long perhapsMore;
    private long perhapsLess;

    Account(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    long balance() {
        return balance;
    }

    /** Answers so far that can only be explained by an operation that ran more often than it was issued. */
    long repeated() {
        return repeated.get();
    }

    /** Answers so far that can only be explained by an operation that was answered and did not stay. */
    long missing() {
        return missing.get();
    }

    void onIssued() {
        issued++;
    }

    /** A deposit was answered with the new balance. */
    void onDeposited(long amount, long answer) {
        ok++;
        onChanged('d', amount);
        onSeen(answer);
    }

    /** A transfer between two accounts of this thread was answered. */
    void onTransferred(Account to, long amount, boolean done) {
        ok++;
        to.ok++;
        boolean covered = balance >= amount;
        if (done) {
            onChanged('o', -amount);
            to.onChanged('i', amount);
        }
        if (done != covered && perhapsMore + perhapsLess == 0) {
            // With the balance known, its answer was known too.
            (done ? this : to).repeated.incrementAndGet();
        }
    }

    /** The bank showed this balance. */
    void onSeen(long answer) {
        if (answer > most()) {
            repeated.incrementAndGet();
        } else if (answer < least()) {
            missing.incrementAndGet();
        }
        balance = answer;
        // An error counts once: it is part of the balance from now on.
        certain = Math.max(answer - perhapsMore, Math.min(certain, answer + perhapsLess));
    }

    /** The largest balance that the bank may show. */
    private long most() {
        return Math.min(certain, balance) + perhapsMore;
    }

    /** The smallest balance that the bank may show. */
    private long least() {
        return Math.max(certain, balance) - perhapsLess;
    }

    void onFailed() {
        failed++;
    }

    /** An operation that would have changed the balance by this much has an unknown outcome. */
    void onUnknown(long amount) {
        unknown++;
        // Both ways: seen with it, the balance may later turn out to be without it only if that was a loss, but a
        // balance seen without it may rise at any time.
        perhapsMore += Math.max(0, amount);
        perhapsLess += Math.max(0, -amount);
    }

    AccountRecord record() {
        return new AccountRecord(
                name,
                issued,
                ok,
                changed,
                failed,
                unknown,
                repeated.get(),
                missing.get(),
                balance,
                least(),
                most(),
                chain);
    }

    private void onChanged(char kind, long amount) {
        changed++;
        balance += amount;
        certain += amount;
        chain = Chain.next(Chain.next(Chain.next(chain, kind), amount), balance);
    }
}
