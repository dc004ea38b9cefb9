package org.amo.benchmarks.fts;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Bank;
import org.amo.examples.bank.idl.BankHelper;
import org.omg.CORBA.ORB;

/** Threads that call {@code deposit} over one ORB as fast as they are answered, while it is their side's turn. */
final class CallLoad implements AutoCloseable {
    private final ORB orb;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final Object turn = new Object();
    private volatile boolean running;
    private volatile boolean closed;
    private volatile String lastFailure = "";

    CallLoad(String name, Properties orbProperties, String reference, int threadCount) {
        orb = ORB.init(new String[0], orbProperties);
        for (int i = 0; i < threadCount; i++) {
            String account = name + i;
            Bank bank = BankHelper.narrow(orb.string_to_object(reference));
            Thread thread = new Thread(() -> loop(bank, account), "load-" + account);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    void resume() {
        synchronized (turn) {
            running = true;
            turn.notifyAll();
        }
    }

    void pause() {
        running = false;
    }

    long calls() {
        return calls.get();
    }

    long failures() {
        return failures.get();
    }

    String lastFailure() {
        return lastFailure;
    }

    @Override
    public void close() {
        closed = true;
        resume();
        orb.shutdown(false);
    }

    private void loop(Bank bank, String account) {
        while (!closed) {
            try {
                awaitTurn();
                bank.deposit(account, 1);
                calls.incrementAndGet();
            } catch (BadAmount | RuntimeException e) {
                failures.incrementAndGet();
                lastFailure = e.toString();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void awaitTurn() throws InterruptedException {
        if (running) {
            return;
        }
        synchronized (turn) {
            while (!running && !closed) {
                turn.wait();
            }
        }
    }
}
