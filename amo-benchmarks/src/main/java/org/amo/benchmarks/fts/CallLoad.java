package org.amo.benchmarks.fts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.Supplier;
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

/**
 * Threads that call over one ORB, or over one client without CORBA, as fast as they are answered, while it is their side's turn;
 * or calls without threads of their own.
 */
final class CallLoad implements AutoCloseable {
    private static final long STACK_BYTES = 256 << 10;
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long NO_CALL = Long.MIN_VALUE;

    private final Histogram latency = new ConcurrentHistogram(MOST_NANOS, 3);
    private final Runnable closer;
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition turn = lock.newCondition();

    /** Places that wait for the turn. */
    private final Queue<Place> resting = new ConcurrentLinkedQueue<>();

    /** Of each caller: when its present call began, in System.nanoTime(). */
    private final Queue<AtomicLong> begun = new ConcurrentLinkedQueue<>();

    private volatile boolean running;
    private volatile boolean closed;
    private volatile String lastFailure = "";

    /** One call of a thread of its own. */
    @FunctionalInterface
    interface Call {
        void call() throws UserException;
    }

    /** The threads that make the calls. */
    enum Callers {
        /** Of the operating system. */
        PLATFORM,
        /** Only where {@link VirtualThreads#exist}. */
        VIRTUAL;

        void start(int index, Runnable task) {
            if (this == VIRTUAL) {
                VirtualThreads.start(task);
            } else {
                // Many of them sleep in a call, so their stacks are kept small.
                DaemonThreads.unstarted("amo-load-" + index, task, STACK_BYTES).start();
            }
        }
    }

    private CallLoad(Runnable closer) {
        this.closer = closer;
    }

    private CallLoad(Properties orbProperties, int threadCount, BiFunction<ORB, Integer, Call> caller) {
        this(ORB.init(new String[0], orbProperties), threadCount, caller);
    }

    private CallLoad(ORB orb, int threadCount, BiFunction<ORB, Integer, Call> caller) {
        this(Callers.PLATFORM, threadCount, index -> caller.apply(orb, index), () -> orb.shutdown(false));
    }

    private CallLoad(Callers callers, int threadCount, IntFunction<Call> caller, Runnable closer) {
        this(closer);
        for (int i = 0; i < threadCount; i++) {
            Call call = caller.apply(i);
            callers.start(i, () -> loop(call));
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
    static CallLoad commands(AmoClient client, int bytes, int threadCount, Callers callers) {
        return new CallLoad(callers, threadCount, index -> () -> client.call(new byte[bytes]), client::close);
    }

    /** The same as linearizable reads. */
    static CallLoad reads(AmoClient client, int bytes, int threadCount) {
        return new CallLoad(Callers.PLATFORM, threadCount, index -> () -> client.query(new byte[bytes]), client::close);
    }

    /** Calls of so many bytes to the floor. The client is closed with the load. */
    static CallLoad floor(FloorClient client, int bytes, int threadCount, Callers callers) {
        return new CallLoad(callers, threadCount, index -> () -> client.call(new byte[bytes]), client::close);
    }

    /** So many calls under way, without a thread for each: the end of one begins the next, in the thread that ends it. */
    static CallLoad outstanding(int count, Supplier<CompletionStage<byte[]>> caller, Runnable closer) {
        CallLoad load = new CallLoad(closer);
        for (int i = 0; i < count; i++) {
            load.resting.add(load.new Place(caller));
        }
        return load;
    }

    /** That call over a stub of its own. */
    static Call greeting(ORB orb, String reference) {
        Hello hello = HelloHelper.narrow(orb.string_to_object(reference));
        return () -> hello.set_greeting("fifteen letters");
    }

    void resume() {
        lock.lock();
        try {
            running = true;
            turn.signalAll();
        } finally {
            lock.unlock();
        }
        List<Place> rested = new ArrayList<>();
        for (Place next = resting.poll(); next != null; next = resting.poll()) {
            rested.add(next);
        }
        rested.forEach(Place::next);
    }

    void pause() {
        running = false;
    }

    /** Median microseconds of the calls since {@link #forgetLatency}. */
    double p50Micros() {
        return latency.getValueAtPercentile(50) / 1e3;
    }

    /** The longest call since {@link #forgetLatency}, calls under way included: no client waited longer. */
    double longestMillis() {
        long longest = latency.getMaxValue();
        long now = System.nanoTime();
        for (AtomicLong each : begun) {
            long start = each.get();
            if (start != NO_CALL) {
                longest = Math.max(longest, now - start);
            }
        }
        return longest / 1e6;
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
        AtomicLong present = new AtomicLong(NO_CALL);
        begun.add(present);
        while (!closed) {
            try {
                awaitTurn();
                make(call, present);
            } catch (UserException | RuntimeException e) {
                if (closed) {
                    return;
                }
                failed(e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void make(Call call, AtomicLong present) throws UserException {
        long start = System.nanoTime();
        present.setRelease(start);
        try {
            call.call();
            answered(start);
        } finally {
            present.setRelease(NO_CALL);
        }
    }

    private void answered(long startNanos) {
        latency.recordValue(Math.min(MOST_NANOS, System.nanoTime() - startNanos));
        calls.incrementAndGet();
    }

    private void failed(Throwable why) {
        failures.incrementAndGet();
        lastFailure = why.toString();
    }

    /** Not in a monitor: a virtual thread that waits in one keeps its carrier, before Java 24. */
    private void awaitTurn() throws InterruptedException {
        if (running) {
            return;
        }
        lock.lock();
        try {
            while (!running && !closed) {
                turn.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** One call under way at a time, and none in a pause. */
    private final class Place {
        private final Supplier<CompletionStage<byte[]>> caller;
        private final AtomicLong present = new AtomicLong(NO_CALL);

        Place(Supplier<CompletionStage<byte[]>> caller) {
            this.caller = caller;
            begun.add(present);
        }

        /** Begins the next call. Any thread; one at a time. */
        void next() {
            while (!closed && !rests()) {
                long start = System.nanoTime();
                present.setRelease(start);
                CompletableFuture<byte[]> call;
                try {
                    call = caller.get().toCompletableFuture();
                } catch (RuntimeException e) {
                    present.setRelease(NO_CALL);
                    if (!closed) {
                        failed(e);
                    }
                    return;
                }
                // After one that has ended already, as a refused one has, this loop goes on: the stack does not grow.
                boolean already = call.isDone();
                CompletableFuture<byte[]> unused = call.whenComplete((reply, why) -> {
                    ended(start, Optional.ofNullable(why));
                    if (!already) {
                        next();
                    }
                });
                if (!already) {
                    return;
                }
            }
        }

        private void ended(long start, Optional<Throwable> why) {
            if (why.isEmpty()) {
                answered(start);
            } else if (!closed) {
                failed(why.get());
            }
            present.setRelease(NO_CALL);
        }

        /** A turn that begins meanwhile finds it among those that rest, or it does not rest. */
        private boolean rests() {
            if (running) {
                return false;
            }
            resting.add(this);
            return !running || !resting.remove(this);
        }
    }
}
