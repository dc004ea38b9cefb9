package org.amo.benchmarks.fts;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.fts.idl.Hello;
import org.amo.benchmarks.fts.idl.HelloHelper;
import org.amo.examples.bank.idl.Bank;
import org.amo.examples.bank.idl.BankHelper;
import org.amo.replication.service.AmoClient;
import org.omg.CORBA.ORB;
import org.omg.CORBA.UserException;

/** Threads that call over one ORB, or over one client without CORBA, as fast as they are answered, while it is their side's turn. */
final class CallLoad implements AutoCloseable {
    private static final long STACK_BYTES = 256 << 10;
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Histogram latency = new ConcurrentHistogram(MOST_NANOS, 3);
    private final Runnable closer;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final Object turn = new Object();
    private volatile boolean running;
    private volatile boolean closed;
    private volatile String lastFailure = "";

    /** One call of a thread of its own. */
    @FunctionalInterface
    interface Call {
        void call() throws UserException;
    }

    private CallLoad(Properties orbProperties, int threadCount, BiFunction<ORB, Integer, Call> caller) {
        this(ORB.init(new String[0], orbProperties), threadCount, caller);
    }

    private CallLoad(ORB orb, int threadCount, BiFunction<ORB, Integer, Call> caller) {
        this(threadCount, index -> caller.apply(orb, index), () -> orb.shutdown(false));
    }

    private CallLoad(int threadCount, IntFunction<Call> caller, Runnable closer) {
        this.closer = closer;
        for (int i = 0; i < threadCount; i++) {
            Call call = caller.apply(i);
            // Many of them sleep in a call, so their stacks are kept small.
            Thread thread = DaemonThreads.unstarted("amo-load-" + i, () -> loop(call), STACK_BYTES);
            threads.add(thread);
            thread.start();
        }
    }

    /** Each thread deposits to an account of its own. */
    static CallLoad deposits(String name, Properties orbProperties, String reference, int threadCount) {
        return new CallLoad(orbProperties, threadCount, (orb, index) -> {
            Bank bank = BankHelper.narrow(orb.string_to_object(reference));
            return () -> bank.deposit(name + index, 1);
        });
    }

    /** The paper's call: {@code set_greeting} with a string of 15 characters. */
    static CallLoad greetings(Properties orbProperties, String reference, int threadCount) {
        return greetings(orbProperties, List.of(reference), threadCount);
    }

    /** That call, of several objects in turn: each thread calls one. */
    static CallLoad greetings(Properties orbProperties, List<String> references, int threadCount) {
        return new CallLoad(
                orbProperties, threadCount, (orb, index) -> greeting(orb, references.get(index % references.size())));
    }

    /** Commands of so many bytes, without CORBA. The client is closed with the load. */
    static CallLoad commands(AmoClient client, int bytes, int threadCount) {
        return new CallLoad(threadCount, index -> () -> client.call(new byte[bytes]), client::close);
    }

    /** That call over a stub of its own. */
    static Call greeting(ORB orb, String reference) {
        Hello hello = HelloHelper.narrow(orb.string_to_object(reference));
        return () -> hello.set_greeting("fifteen letters");
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

    /** Median microseconds of the calls since {@link #forgetLatency}. */
    double p50Micros() {
        return latency.getValueAtPercentile(50) / 1e3;
    }

    /** The longest call since {@link #forgetLatency}, as long as all threads go on calling: no client waited longer. */
    double longestMillis() {
        return latency.getMaxValue() / 1e6;
    }

    void forgetLatency() {
        latency.reset();
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
        closer.run();
    }

    private void loop(Call call) {
        while (!closed) {
            try {
                awaitTurn();
                long start = System.nanoTime();
                call.call();
                latency.recordValue(Math.min(MOST_NANOS, System.nanoTime() - start));
                calls.incrementAndGet();
            } catch (UserException | RuntimeException e) {
                if (closed) {
                    return;
                }
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
