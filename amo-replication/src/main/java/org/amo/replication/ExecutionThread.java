package org.amo.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.Place;
import org.amo.core.replica.ServantPort;

/**
 * Runs the servant in one thread, in the order of the log, or has it run by {@link ParallelExecutions}. It is not the delivery
 * thread, so a long operation does not stop the decisions.
 */
final class ExecutionThread {
    /** Beyond this there is no room for deliveries: a replay must not pile up a whole log in memory. */
    private static final int MOST_WAITING = 20_000;

    /** The same for the bodies of the requests that wait. */
    static final long MOST_WAITING_BYTES = Runtime.getRuntime().maxMemory() / 16;

    /** Replies are handed back at the latest after this, though more of their entry are to run. */
    private static final long HAND_BACK_NANOS = 1_000_000;

    /** Is told of the timers of the servant, in this thread. */
    interface TimerEvents {
        /** @param dueMillis the group's time at which the next one is due, whenever that changes; empty if none is pending */
        void next(OptionalLong dueMillis);

        /** The timer at this place has run to its end, or was skipped. */
        default void ran(Place place) {
            // Only a member of a group with verdicts has to know.
        }
    }

    private final ServantPort servant;
    private final ExecutionGate gate;
    private final Optional<OrderedNestedCalls> nested;
    private final Optional<PassiveRuns> passive;
    private final Optional<ParallelExecutions> parallel;
    private final BiConsumer<List<Execution>, List<byte[]>> executed;
    private final TimerEvents timers;
    private final Consumer<Throwable> onFailure;
    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Backlog backlog = new Backlog(MOST_WAITING, MOST_WAITING_BYTES);
    private final Thread thread;
    private OptionalLong nextTimerMillis = OptionalLong.empty();
    private volatile boolean ended;
    private volatile boolean stopped;

    /**
     * @param executors above 1: so many threads run executions without a common key at the same time
     * @param nested makes the nested calls of the operations, if the group orders their results
     * @param passive runs the executions of a member in style passive
     * @param ran with several executors told of each execution, in the order of the log, before it is handed back
     */
    ExecutionThread(
            String member,
            int executors,
            ServantPort servant,
            ExecutionGate gate,
            Optional<OrderedNestedCalls> nested,
            Optional<PassiveRuns> passive,
            BiConsumer<Execution, byte[]> ran,
            BiConsumer<List<Execution>, List<byte[]>> executed,
            TimerEvents timers,
            Consumer<Throwable> onFailure) {
        this.servant = servant;
        this.gate = gate;
        this.nested = nested;
        this.passive = passive;
        this.executed = executed;
        this.timers = timers;
        this.onFailure = onFailure;
        // A backup executes what is delivered first by outcomes that are delivered behind it.
        backlog.open(passive.isPresent());
        parallel = executors == 1
                ? Optional.empty()
                : Optional.of(
                        new ParallelExecutions(member, executors, servant, gate, backlog, ran, executed, this::failed));
        parallel.ifPresent(ParallelExecutions::start);
        thread = DaemonThreads.start("amo-execute-" + member, this::loop);
    }

    /** @param told called when {@link #hasRoom} holds again */
    void onRoom(Runnable told) {
        backlog.onRoom(told);
        passive.ifPresent(runs -> runs.onRoom(told));
    }

    /** An entry of this length is on its way to the core. */
    void delivers(long length) {
        backlog.add(1, length);
    }

    /** The core has handled it. */
    void delivered(long length) {
        backlog.remove(1, length);
    }

    void execute(List<Execution> batch) {
        backlog.add(batch.size(), bodyBytes(batch));
        tasks.add(() -> runOrStop(batch));
    }

    /** Timers fire that are due by the time of this entry, before its executions. */
    void reached(long position, long orderedTimeMillis) {
        backlog.add(1, 0);
        addBehind(() -> {
            try {
                fireTimers(position, orderedTimeMillis);
            } catch (InterruptedException e) {
                // Only stop() interrupts it.
                stopped = true;
                return;
            }
            tellOfTimers();
            backlog.remove(1, 0);
        });
    }

    /** Runs the task after every earlier execution has been handed back, and before every later one. */
    void runBetween(Runnable task) {
        addBehind(() -> {
            if (passive.filter(PassiveRuns::isDropping).isEmpty()) {
                task.run();
            }
        });
    }

    /** The same for a task that brings the state of a snapshot, in which all earlier executions are. */
    void runInstall(Runnable task) {
        passive.ifPresent(PassiveRuns::beginDrop);
        addBehind(() -> {
            passive.ifPresent(PassiveRuns::endDrop);
            task.run();
        });
    }

    private void addBehind(Runnable task) {
        tasks.add(() -> {
            try {
                if (parallel.isPresent()) {
                    parallel.get().awaitIdle();
                }
                task.run();
            } catch (InterruptedException e) {
                // Only stop() interrupts it.
                stopped = true;
            }
        });
    }

    /** Whether it runs nothing any more. */
    boolean hasEnded() {
        return ended;
    }

    /** Whether not too much waits for a further delivery. Any thread. */
    boolean hasRoom() {
        return backlog.hasRoom() && passive.map(PassiveRuns::hasRoom).orElse(true);
    }

    /** Blocks while too much waits, except in a thread that executes. */
    void awaitRoom() {
        Thread caller = Thread.currentThread();
        if (caller == thread || parallel.filter(threads -> threads.has(caller)).isPresent()) {
            return;
        }
        try {
            backlog.awaitRoom();
            if (passive.isPresent()) {
                passive.get().awaitRoom();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The group does not skip the request before which this thread waits. It waits for a state, or to be let go, and neither comes
     * with deliveries: they have the usual limits again.
     */
    void bound() {
        // In style passive they may bring the outcome.
        if (passive.isEmpty() && gate.isHolding()) {
            backlog.bound();
        }
    }

    void stop() {
        stopped = true;
        backlog.close();
        passive.ifPresent(PassiveRuns::stop);
        parallel.ifPresent(ParallelExecutions::stop);
        thread.interrupt();
    }

    /** In a thread of {@link ParallelExecutions}. */
    private void failed(Throwable thrown) {
        onFailure.accept(thrown);
        stop();
    }

    private void loop() {
        try {
            while (!stopped) {
                tasks.take().run();
            }
        } catch (InterruptedException e) {
            // Only stop() interrupts it.
            stopped = true;
        } catch (RuntimeException | Error e) {
            onFailure.accept(e);
        } finally {
            ended = true;
        }
    }

    private void runOrStop(List<Execution> batch) {
        try {
            if (passive.isPresent()) {
                passive.get().run(batch, this::runServant);
            } else if (parallel.isPresent()) {
                parallel.get().run(batch);
            } else {
                run(batch);
            }
        } catch (InterruptedException e) {
            // Only stop() interrupts it.
            stopped = true;
        }
    }

    private void fireTimers(long position, long orderedTimeMillis) throws InterruptedException {
        for (int turn = 0; !stopped && isTimerDue(orderedTimeMillis); turn++) {
            Place place = Place.ofTimer(position, turn);
            // One at a time: a service with timers is refused with several executors.
            Turn may = gate.ask(place);
            if (may == Turn.WAIT) {
                may = awaitTurn(place);
            }
            if (may == Turn.SKIP) {
                servant.dropTimer();
            } else {
                fire(place, orderedTimeMillis);
                gate.ended(place);
            }
            timers.ran(place);
        }
    }

    private boolean isTimerDue(long orderedTimeMillis) {
        OptionalLong next = servant.nextTimerMillis();
        return next.isPresent() && next.getAsLong() <= orderedTimeMillis;
    }

    /** Waits until a held request or timer may run, or may never. */
    private Turn awaitTurn(Place place) throws InterruptedException {
        // The verdict is delivered behind the executions that wait.
        backlog.open(true);
        Turn turn = gate.await(place);
        backlog.open(false);
        return turn;
    }

    private void fire(Place place, long orderedTimeMillis) {
        try {
            servant.fireTimer(place, orderedTimeMillis);
        } catch (StackOverflowError | OutOfMemoryError e) {
            gate.failed(place, e);
            throw e;
        }
    }

    private void tellOfTimers() {
        OptionalLong next = servant.nextTimerMillis();
        if (!next.equals(nextTimerMillis)) {
            nextTimerMillis = next;
            timers.next(next);
        }
    }

    private void run(List<Execution> batch) throws InterruptedException {
        List<Execution> done = new ArrayList<>(batch.size());
        List<byte[]> replies = new ArrayList<>(batch.size());
        long since = System.nanoTime();
        for (Execution execution : batch) {
            if (stopped) {
                return;
            }
            Place place = execution.place();
            Turn turn = gate.ask(place);
            if (turn == Turn.WAIT) {
                if (!done.isEmpty()) {
                    handBack(done, replies);
                    done = new ArrayList<>();
                    replies = new ArrayList<>();
                }
                turn = awaitTurn(place);
            }
            if (turn == Turn.SKIP) {
                replies.add(servant.skipped(execution.request()));
            } else {
                byte[] reply = runServant(execution);
                if (nested.filter(OrderedNestedCalls::isAborted).isPresent()) {
                    // Without the result of a nested call the rest of the operation means nothing.
                    return;
                }
                replies.add(reply);
                gate.ended(place);
            }
            done.add(execution);
            long now = System.nanoTime();
            if (now - since > HAND_BACK_NANOS) {
                handBack(done, replies);
                done = new ArrayList<>();
                replies = new ArrayList<>();
                since = now;
            }
        }
        if (!done.isEmpty()) {
            handBack(done, replies);
        }
    }

    private byte[] runServant(Execution execution) {
        nested.ifPresent(calls -> calls.begins(execution, backlog));
        try {
            return servant.execute(execution);
        } catch (StackOverflowError | OutOfMemoryError e) {
            gate.failed(execution.place(), e);
            throw e;
        } finally {
            nested.ifPresent(OrderedNestedCalls::ended);
        }
    }

    private void handBack(List<Execution> done, List<byte[]> replies) {
        executed.accept(done, replies);
        tellOfTimers();
        backlog.remove(done.size(), bodyBytes(done));
    }

    static long bodyBytes(List<Execution> executions) {
        return executions.stream()
                .mapToLong(execution -> execution.request().body().length)
                .sum();
    }
}
