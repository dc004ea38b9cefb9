package org.amo.replication;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.base.DaemonThreads;
import org.amo.base.NestedCall;
import org.amo.base.NestedCallException;
import org.amo.base.NestedCalls;
import org.amo.core.order.FatalErrors;
import org.amo.core.replica.Execution;
import org.amo.core.replica.Place;
import org.amo.core.replica.ReplicaSettings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the nested calls of one member's operations: blocks the execution thread until the group has ordered the result, and
 * sends those calls that the core tells this member to send.
 *
 * <p>Meanwhile deliveries go on, since the awaited result is one, and the notes of executions do not count the end of the process as
 * a death of the request. Calls are sent in threads of their own, which an operation has not started, so that no mark of it is
 * inherited. The execution thread calls {@link #begins}, {@link #ended} and {@link #call}; the owner of the replica the rest.
 */
final class OrderedNestedCalls implements NestedCalls, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OrderedNestedCalls.class);

    /** In a replay a result is at hand, so its entries go on waiting for room. */
    private static final long AT_HAND_MILLIS = 100;

    private final String group;
    private final ExecutionGate gate;
    private final Core core;
    private final Consumer<VirtualMachineError> fatal;

    /** Also starts the threads of {@link #senders}. */
    private final ExecutorService dispatcher;

    private final ExecutorService senders;

    // The execution thread's.
    private @Nullable Execution running;
    private @Nullable Backlog backlog;
    private int next;

    private volatile @Nullable Thread runner;
    private volatile boolean aborted;

    // Guarded by this.
    private @Nullable Wait waiting;
    private boolean closed;

    /** Hears of the calls; never waits. */
    interface Core {
        /**
         * The running operation makes a call.
         *
         * @param deadlineMillis of its request, in the group's time
         */
        void called(Place place, int number, long deadlineMillis);

        void identified(Place place, int number, Optional<byte[]> identity);

        void sent(Place place, int number, Optional<byte[]> result);
    }

    private static final class Wait {
        private final Place place;
        private final int number;
        private final NestedCall call;
        private final CompletableFuture<Optional<byte[]>> result = new CompletableFuture<>();
        /** Completed when this process has allotted an identity. */
        private final CompletableFuture<Void> allotted = new CompletableFuture<>();

        Wait(Place place, int number, NestedCall call) {
            this.place = place;
            this.number = number;
            this.call = call;
        }

        boolean is(Place otherPlace, int otherNumber) {
            return place.equals(otherPlace) && number == otherNumber;
        }
    }

    OrderedNestedCalls(ReplicaSettings settings, ExecutionGate gate, Core core, Consumer<VirtualMachineError> fatal) {
        this.group = settings.group();
        this.gate = gate;
        this.core = core;
        this.fatal = fatal;
        String name = "amo-nested-" + settings.id();
        dispatcher = Executors.newSingleThreadExecutor(DaemonThreads.factory(name));
        senders = Executors.newCachedThreadPool(DaemonThreads.factory(name));
        // Started here, outside of any operation.
        dispatch(() -> {});
    }

    // ------------------------------------------------- the execution thread

    /** @param open deliveries may exceed it while the operation waits */
    void begins(Execution execution, Backlog open) {
        running = execution;
        backlog = open;
        next = 0;
        runner = Thread.currentThread();
    }

    void ended() {
        runner = null;
        running = null;
    }

    /** Whether an operation waited in vain, because the member ends: its reply and its effects mean nothing. */
    boolean isAborted() {
        return aborted;
    }

    @Override
    public Optional<byte[]> call(NestedCall call) {
        Execution execution = running;
        Backlog open = backlog;
        if (Thread.currentThread() != runner || execution == null || open == null) {
            throw new NestedCallException("an operation of group " + group + " called " + call.target()
                    + " outside of the thread that runs it, or while its state was taken; make the call in the operation"
                    + " itself");
        }
        Wait wait = new Wait(execution.place(), next++, call);
        synchronized (this) {
            if (closed || aborted) {
                throw abort();
            }
            waiting = wait;
        }
        gate.waits();
        try {
            dispatch(() ->
                    core.called(wait.place, wait.number, execution.request().deadlineMillis()));
            Optional<byte[]> result = await(wait, open);
            gate.goesOn(wait.place);
            return result;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw abort();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a nested call of group " + group + " has no result", e.getCause());
        } finally {
            open.open(false);
            synchronized (this) {
                waiting = null;
            }
        }
    }

    @Override
    public CallPath path() {
        Execution execution = Thread.currentThread() == runner ? running : null;
        return execution == null ? CallPath.NONE : execution.request().path();
    }

    private Optional<byte[]> await(Wait wait, Backlog open) throws InterruptedException, ExecutionException {
        boolean atHand = true;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return atHand ? wait.result.get(AT_HAND_MILLIS, TimeUnit.MILLISECONDS) : wait.result.get();
                } catch (TimeoutException e) {
                    // It stands behind entries that wait for room.
                    atHand = false;
                    open.open(true);
                } catch (InterruptedException e) {
                    if (isClosed()) {
                        throw e;
                    }
                    // The operation has interrupted its own thread.
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** The member ends, which interrupts the execution thread. */
    private NestedCallException abort() {
        aborted = true;
        return new NestedCallException("member of group " + group + " ends during a nested call");
    }

    // ------------------------------------------------- the owner

    synchronized boolean isWaiting() {
        return waiting != null;
    }

    void identify(Place place, int number, long leftMillis) {
        find(place, number)
                .ifPresent(wait -> send(() -> {
                    Optional<byte[]> identity;
                    try {
                        identity = wait.call.identity(leftMillis);
                    } catch (RuntimeException e) {
                        if (senders.isShutdown()) {
                            return;
                        }
                        // The outcome at the deadline is unknown, unless another member takes the call over.
                        LOG.warn("group {} cannot call {}", group, wait.call.target(), e);
                        return;
                    }
                    wait.allotted.complete(null);
                    core.identified(place, number, identity);
                }));
    }

    void send(Place place, int number, Optional<byte[]> identity, long leftMillis) {
        find(place, number)
                .ifPresent(wait -> send(() -> {
                    Optional<byte[]> result = Optional.empty();
                    try {
                        result = wait.call.send(identity, leftMillis);
                    } catch (RuntimeException e) {
                        LOG.warn(
                                "the outcome of a call of group {} to {} is unknown: {}",
                                group,
                                wait.call.target(),
                                e.toString(),
                                e);
                    }
                    Optional<byte[]> told = result;
                    core.sent(place, number, told);
                }));
    }

    void result(Place place, int number, Optional<byte[]> result) {
        find(place, number).ifPresent(wait -> {
            wait.result.complete(result);
            CompletableFuture<Void> unused = wait.allotted.thenRun(() -> send(wait.call::finished));
        });
    }

    private synchronized Optional<Wait> find(Place place, int number) {
        return Optional.ofNullable(waiting).filter(wait -> wait.is(place, number));
    }

    /** Runs the task in a thread that is not inside the operation, and may wait. */
    private void send(Runnable task) {
        dispatch(() -> senders.execute(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.warn("a nested call of group {} failed", group, e);
            } catch (Error e) {
                FatalErrors.in(e).ifPresent(fatal);
                throw e;
            }
        }));
    }

    private void dispatch(Runnable task) {
        try {
            dispatcher.execute(() -> {
                try {
                    task.run();
                } catch (RejectedExecutionException e) {
                    LOG.trace("closed", e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.trace("closed", e);
        }
    }

    /** Before the execution thread is interrupted. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        dispatcher.shutdownNow();
        senders.shutdownNow();
    }
}
