package org.amo.lab.chaos;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;
import java.util.UUID;
import org.amo.examples.bank.BankServant;
import org.amo.examples.bank.BankServer;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Ledger;
import org.omg.CORBA.UserException;

/**
 * A bank that is not deterministic, and a CORBA program that serves it: {@code DrawingBank IORFILE}. Each change of an
 * account is stamped with a clock, a random id and random numbers, and kept in a table in the order of identity hashes. The trace over
 * all stamps is part of its state and of the books' chain, so members that draw for themselves have different digests. With
 * {@link #TIMERS} some deposits set a timer, which goes into the trace at the place where it fires.
 */
final class DrawingBank extends BankServant {
    /** The property that has the bank set timers. */
    public static final String TIMERS = "amo.drawingBank.timers";

    private static final int MOST_STAMPS = 64;

    /** A member takes no snapshot while a timer is pending, so most of the time none is. */
    private static final int DEPOSITS_A_TIMER = 32;

    private static final long DELAY_MILLIS = 50;

    /** Like a key of a program that did not think of hashCode. */
    private static final class Stamp implements java.io.Serializable {
        private static final long serialVersionUID = 1L;
        private final long at = System.nanoTime();
    }

    /** Goes into the trace when it fires. */
    private final class Mark extends TimerTask {
        @Override
        public void run() {
            mark();
        }
    }

    private final transient Optional<Timer> timer;
    private final HashMap<Stamp, String> stamps = new HashMap<>();
    private long deposits;
    private long marks;
    private long trace;

    private DrawingBank(Optional<Timer> timer) {
        super("drawing bank");
        this.timer = timer;
    }

    /** Serves it; the file gets its reference. */
    public static void main(String[] args) throws UserException, IOException {
        boolean timers = Boolean.getBoolean(TIMERS);
        BankServer.serve(args, new DrawingBank(timers ? Optional.of(new Timer("marks", true)) : Optional.empty()));
    }

    @Override
    public synchronized long deposit(String account, long amount) throws BadAmount {
        long balance = super.deposit(account, amount);
        stamp(account);
        deposits++;
        if (timer.isPresent() && deposits % DEPOSITS_A_TIMER == 0) {
            timer.get().schedule(new Mark(), DELAY_MILLIS);
        }
        return balance;
    }

    @Override
    public synchronized boolean transfer(String from, String to, long amount) throws BadAmount {
        boolean done = super.transfer(from, to, amount);
        stamp(from);
        return done;
    }

    @Override
    public synchronized Ledger books() {
        Ledger books = super.books();
        return new Ledger(books.operations, trace, books.lines);
    }

    private synchronized void mark() {
        marks++;
        trace = trace * 31 + marks;
    }

    private void stamp(String account) {
        if (stamps.size() >= MOST_STAMPS) {
            // The first in the order of the table.
            stamps.remove(stamps.keySet().iterator().next());
        }
        stamps.put(new Stamp(), account + Instant.now() + UUID.randomUUID());
        for (Map.Entry<Stamp, String> each : stamps.entrySet()) {
            trace = trace * 31 + each.getKey().at + each.getValue().hashCode();
        }
        trace += new Random().nextLong() ^ new SecureRandom().nextLong() ^ System.currentTimeMillis();
    }
}
