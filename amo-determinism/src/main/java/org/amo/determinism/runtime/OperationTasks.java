package org.amo.determinism.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that the operations of one member have started and that have not ended: those that run behind the running operation, in
 * the order of their start, and timers in the order of their time. The thread of the operations owns it.
 *
 * <p>Invariant: between two operations there are timers alone, and their order is a function of the requests that were
 * executed.
 */
final class OperationTasks {
    static final long NO_TIMER = Long.MAX_VALUE;

    private static final AtomicLong PENDING_TIMERS = new AtomicLong();

    private final MemberOperations operations;
    private final ArrayDeque<OrderedTask> ready = new ArrayDeque<>();
    private final TreeSet<OrderedTimer<?>> timers = new TreeSet<>();

    /** Of the next timer that is queued. A timer without delay is not queued and keeps 0, so no other may have that number. */
    private long turns = 1;

    /** Futures and tasks of which the operation has asked since a task ran last whether they have ended. */
    private final Set<Object> asked = Collections.newSetFromMap(new IdentityHashMap<>());

    private boolean superCall;

    OperationTasks(MemberOperations operations) {
        this.operations = operations;
    }

    /** The tasks of the operation that the calling thread runs, if they are to be ordered. */
    static @Nullable OperationTasks current() {
        MemberOperations running = MemberOperations.running();
        return running == null || !ThreadStarts.areOrdered() ? null : running.tasks();
    }

    /** Timers of all members in this virtual machine. Any thread. */
    static long pendingTimers() {
        return PENDING_TIMERS.get();
    }

    /** The sum, or the largest number. */
    static long later(long nanos, long delayNanos) {
        long sum = nanos + delayNanos;
        return sum < nanos ? Long.MAX_VALUE : sum;
    }

    // ---- tasks ----

    /** An operation begins. */
    void begin() {
        asked.clear();
    }

    /** An overriding method of the application calls the JDK's, which therefore is not looked for. */
    void enterSuperCall() {
        superCall = true;
    }

    boolean leaveSuperCall() {
        boolean entered = superCall;
        superCall = false;
        return entered;
    }

    OrderedTask add(Object source, Runnable body, Consumer<Throwable> uncaught) {
        OrderedTask task = new OrderedTask(source, body, uncaught);
        ready.add(task);
        return task;
    }

    /** Runs every task; those that they start follow. */
    void runAll() {
        runUntil(() -> false);
    }

    /** Runs the task that was started first. @return whether there was one */
    boolean runNext() {
        asked.clear();
        OrderedTask next = ready.poll();
        if (next == null) {
            return false;
        }
        next.run();
        return true;
    }

    /**
     * The operation asks whether something has ended. If it asks for the second time, and no task has run in between, it waits in a
     * loop for that: so the next task runs. It does not at the first time, since a task that asks would run the next one inside of itself.
     *
     * @return whether a task has run
     */
    boolean runIfAskedAgain(Object what) {
        return !asked.add(what) && runNext();
    }

    /** The operation waits for this task. */
    void run(OrderedTask task) {
        if (task.isRunning()) {
            throw WaitSubstitutes.never("a task that itself waits for the caller");
        }
        if (ready.remove(task)) {
            task.run();
        }
    }

    /** The operation waits for something: tasks run, in their order, until it is there. */
    void runUntil(BooleanSupplier there) {
        while (!there.getAsBoolean()) {
            if (!runNext()) {
                return;
            }
        }
    }

    /** The operation waits for an unknown task: all run. @return whether there was one */
    boolean runSome() {
        boolean some = !ready.isEmpty();
        runAll();
        return some;
    }

    /** The same for the task with this body, which runs first. */
    void runFor(Object body, BooleanSupplier there, String name) {
        for (OrderedTask task : List.copyOf(ready)) {
            if (task.has(body)) {
                run(task);
                break;
            }
        }
        runUntil(there);
        if (!there.getAsBoolean()) {
            throw WaitSubstitutes.never(name);
        }
    }

    /** The tasks of an executor run now, and those that they give to it. */
    void runAllOf(Object executor) {
        Optional<OrderedTask> next = firstOf(executor);
        while (next.isPresent()) {
            run(next.get());
            next = firstOf(executor);
        }
    }

    private Optional<OrderedTask> firstOf(Object executor) {
        return ready.stream().filter(task -> task.isOf(executor)).findFirst();
    }

    /** The tasks of an executor will not run. @return them */
    List<Runnable> dropAllOf(Object executor) {
        List<Runnable> dropped = new ArrayList<>();
        for (OrderedTask task : List.copyOf(ready)) {
            if (task.isOf(executor)) {
                ready.remove(task);
                Runnable body = task.drop();
                if (body != null) {
                    dropped.add(body);
                }
            }
        }
        return dropped;
    }

    // ---- timers ----

    /** The group's time at the operation. */
    long orderedNanos() {
        return operations.orderedNanos();
    }

    /** @param delayNanos by the group's time, from that of the operation on; if there is none, the task does not wait */
    <V extends @Nullable Object> OrderedTimer<V> schedule(
            Object source, Callable<V> body, long delayNanos, long periodNanos) {
        long now = operations.orderedNanos();
        OrderedTimer<V> timer = new OrderedTimer<>(
                this, source, body, later(now, Math.max(0, delayNanos)), periodNanos, operations.seed());
        if (delayNanos > 0) {
            add(timer);
        } else {
            add(
                    source,
                    () -> {
                        if (timer.fire(now) && !timer.isDone()) {
                            add(timer);
                        }
                    },
                    TaskSubstitutes::report);
        }
        return timer;
    }

    private void add(OrderedTimer<?> timer) {
        timer.queued(turns);
        turns++;
        timers.add(timer);
        PENDING_TIMERS.incrementAndGet();
    }

    void remove(OrderedTimer<?> timer) {
        if (timers.remove(timer)) {
            PENDING_TIMERS.decrementAndGet();
        }
    }

    /** The operation waits for a timer: its clock goes on. */
    void fireEarly(OrderedTimer<?> timer) {
        if (!timers.contains(timer)) {
            runUntil(timer::isDone);
            if (!timer.isDone()) {
                throw WaitSubstitutes.never("a task that itself waits for the caller");
            }
            return;
        }
        remove(timer);
        operations.waited(timer.dueNanos() - operations.clock());
        timer.fire(timer.dueNanos());
    }

    /** Of the operation that set the first timer. */
    byte[] seedOfFirst() {
        return timers.first().seed();
    }

    /** Runs the first timer, which is due. */
    void fireFirst(long nowNanos) {
        OrderedTimer<?> timer = timers.first();
        remove(timer);
        if (timer.fire(nowNanos) && !timer.isDone()) {
            add(timer);
        }
    }

    /** Cancels the first timer. */
    void dropFirst() {
        OrderedTimer<?> timer = timers.first();
        remove(timer);
        timer.cancel(false);
    }

    void cancel(Predicate<OrderedTimer<?>> which) {
        for (OrderedTimer<?> timer : List.copyOf(timers)) {
            if (which.test(timer)) {
                timer.cancel(false);
                remove(timer);
            }
        }
    }

    /** The group's time at which the first timer is due, or {@link #NO_TIMER}. */
    long nextDueMillis() {
        if (timers.isEmpty()) {
            return NO_TIMER;
        }
        long nanos = timers.first().dueNanos();
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        return TimeUnit.MILLISECONDS.toNanos(millis) < nanos ? millis + 1 : millis;
    }

    /** Of the times and periods of all timers, in their order; 0 if there is none. */
    long digest() {
        long digest = 0;
        for (OrderedTimer<?> timer : timers) {
            digest = Mixing.mix(Mixing.mix(digest + timer.dueNanos()) + timer.periodNanos());
        }
        return digest;
    }

    /** The state is another one. */
    void clear() {
        ready.forEach(OrderedTask::drop);
        ready.clear();
        asked.clear();
        cancel(timer -> true);
    }
}
