package org.amo.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ExecutionLanes;
import org.amo.core.replica.ExecutionLanes.Result;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.Place;
import org.amo.core.replica.ServantPort;

/**
 * Runs executions in several threads (docs/decisions/0092-parallel-execution-by-key.md): the execution thread admits them in the order of the
 * log, and {@link ExecutionLanes} tells which may run at the same time. Replies are handed back in the order of the log, by the
 * thread whose execution ended last; only one thread at a time hands back.
 */
final class ParallelExecutions {
    private final ServantPort servant;
    private final ExecutionGate gate;
    private final Backlog backlog;
    private final BiConsumer<Execution, byte[]> ran;
    private final BiConsumer<List<Execution>, List<byte[]>> executed;
    private final Consumer<Throwable> onFailure;
    private final List<Thread> threads = new ArrayList<>();

    // Guarded by this.
    private final ExecutionLanes lanes = new ExecutionLanes();
    private boolean handing;
    private boolean stopped;

    /**
     * @param ran told of each execution and its reply, in the order of the log, before it is handed back
     * @param executed gets executions and their replies back, in the order of the log
     */
    ParallelExecutions(
            String member,
            int count,
            ServantPort servant,
            ExecutionGate gate,
            Backlog backlog,
            BiConsumer<Execution, byte[]> ran,
            BiConsumer<List<Execution>, List<byte[]>> executed,
            Consumer<Throwable> onFailure) {
        this.servant = servant;
        this.gate = gate;
        this.backlog = backlog;
        this.ran = ran;
        this.executed = executed;
        this.onFailure = onFailure;
        for (int i = 0; i < count; i++) {
            int slot = i;
            threads.add(DaemonThreads.unstarted("amo-execute-" + member + "-" + (i + 1), () -> loop(slot)));
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    boolean has(Thread thread) {
        return threads.contains(thread);
    }

    synchronized void stop() {
        stopped = true;
        notifyAll();
        threads.forEach(Thread::interrupt);
    }

    // ------------------------------------------------- the execution thread

    /** Admits the executions; waits in front of one that is held, while those before it go on. */
    void run(List<Execution> batch) throws InterruptedException {
        for (Execution execution : batch) {
            Place place = execution.place();
            Turn turn = gate.askAtOnce(place);
            if (turn == Turn.WAIT) {
                // The verdict is delivered behind the executions that wait.
                backlog.open(true);
                turn = gate.awaitAtOnce(place);
                backlog.open(false);
            }
            if (turn == Turn.SKIP) {
                byte[] reply = servant.skipped(execution.request());
                synchronized (this) {
                    lanes.skip(execution, reply);
                }
                handBack();
            } else {
                Set<Object> keys = gate.runsAlone(place) ? Set.of() : servant.keys(execution.request());
                synchronized (this) {
                    lanes.admit(execution, keys);
                    notifyAll();
                }
            }
        }
    }

    /** Returns when all executions have ended and have been handed back. */
    synchronized void awaitIdle() throws InterruptedException {
        while (handing || !lanes.isIdle()) {
            if (stopped) {
                throw new InterruptedException("stopped");
            }
            wait();
        }
    }

    // ------------------------------------------------- the threads

    private void loop(int slot) {
        try {
            while (true) {
                run(slot, next());
            }
        } catch (InterruptedException e) {
            // Only stop() interrupts it.
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            onFailure.accept(e);
        }
    }

    private synchronized Execution next() throws InterruptedException {
        while (!stopped) {
            Optional<Execution> next = lanes.start();
            if (next.isPresent()) {
                return next.get();
            }
            wait();
        }
        throw new InterruptedException("stopped");
    }

    private void run(int slot, Execution execution) {
        Place place = execution.place();
        gate.begins(slot, place);
        byte[] reply;
        try {
            reply = servant.execute(execution);
        } catch (StackOverflowError e) {
            gate.failed(slot, place);
            throw e;
        }
        gate.ends(slot, place);
        synchronized (this) {
            lanes.ended(execution, reply);
            notifyAll();
        }
        handBack();
    }

    private void handBack() {
        List<Result> results = beginHandBack();
        while (!results.isEmpty()) {
            handBack(results);
            synchronized (this) {
                handing = false;
                notifyAll();
            }
            // Others may have ended meanwhile, and left their results to this thread.
            results = beginHandBack();
        }
    }

    /** @return empty if there is nothing, or another thread is at it */
    private synchronized List<Result> beginHandBack() {
        if (handing || stopped) {
            return List.of();
        }
        List<Result> results = lanes.takeResults();
        handing = !results.isEmpty();
        return results;
    }

    private void handBack(List<Result> results) {
        // Before a reply leaves: the next process must know that a client may have it.
        gate.ended(results.get(results.size() - 1).execution().place());
        results.stream().filter(Result::ran).forEach(result -> ran.accept(result.execution(), result.reply()));
        List<Execution> executions = results.stream().map(Result::execution).toList();
        executed.accept(executions, results.stream().map(Result::reply).toList());
        backlog.remove(executions.size(), ExecutionThread.bodyBytes(executions));
    }
}
