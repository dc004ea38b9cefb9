package org.amo.base;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Tells the agent of deterministic execution, the module amo-determinism, about the operations of one member. It does nothing
 * in a virtual machine without the agent. One thread at a time.
 *
 * <p>The agent's classes are the boot class loader's and no dependency, so they are called by their names.
 */
public final class OperationAgent {
    /** Name of the field in which the agent keeps the identity hash of an object. It is no state of the application's own. */
    public static final String IDENTITY_FIELD = "amo$identity";

    private static final String PACKAGE = "org.amo.determinism.runtime.";
    private static final Optional<Calls> CALLS = find();

    private final Optional<Object> member;

    /** Makes a member; its random numbers follow from the words, of which one may be a secret. */
    public OperationAgent(String... words) {
        byte[] key = String.join("\n", words).getBytes(StandardCharsets.UTF_8);
        member = CALLS.map(calls -> call(() -> (Object) calls.make.invoke(key)));
    }

    /** Whether this virtual machine has the agent. */
    public static boolean isInstalled() {
        return CALLS.isPresent();
    }

    /** Number of the application's classes that the agent has left as they are. */
    public static long classesLeft() {
        return CALLS.map(calls -> call(() -> (long) calls.classesLeft.invoke())).orElse(0L);
    }

    /** Whether tasks that an operation starts run in its thread, in the order of the log. */
    public static boolean ordersTasks() {
        return CALLS.map(calls -> call(() -> (boolean) calls.areOrdered.invoke()))
                .orElse(false);
    }

    /** Number of timers that operations have set and that have not fired. */
    public static long pendingTimers() {
        return CALLS.map(calls -> call(() -> (long) calls.pendingTimers.invoke()))
                .orElse(0L);
    }

    /**
     * Runs an operation in the calling thread, and the tasks that it starts behind it.
     *
     * @param position of its entry in the ordered log
     * @param index of the operation among those of its entry
     * @param client that asked for it
     * @param number of the client for the request
     * @param orderedTimeMillis the group's time at that position
     * @param seed of the entry's random numbers; if it is empty, they follow from the words of this member
     */
    public <T> T run(
            long position,
            int index,
            ClientId client,
            long number,
            long orderedTimeMillis,
            Optional<byte[]> seed,
            Supplier<T> operation) {
        if (member.isEmpty()) {
            return operation.get();
        }
        Calls calls = CALLS.orElseThrow();
        Object target = member.get();
        call(() -> {
            calls.begin.invoke(target, position, client.high(), client.low(), number, orderedTimeMillis);
            if (seed.isPresent()) {
                calls.drawFrom.invoke(target, seed.get(), index);
            }
            return true;
        });
        try {
            T result = operation.get();
            call(() -> {
                calls.runTasks.invoke(target);
                return true;
            });
            return result;
        } finally {
            call(() -> {
                calls.end.invoke(target);
                return true;
            });
        }
    }

    /**
     * Runs work that replaces the state between two operations. It leaves no trace in the clock of the operations behind it.
     */
    public <T> T runOnState(Supplier<T> work) {
        return member.isEmpty() ? work.get() : runOnState(CALLS.orElseThrow().beginState, work);
    }

    /** The same for work that takes the state or compares it: it gives no object an identity hash that would stay. */
    public <T> T readState(Supplier<T> work) {
        return member.isEmpty() ? work.get() : runOnState(CALLS.orElseThrow().beginReading, work);
    }

    private <T> T runOnState(MethodHandle begin, Supplier<T> work) {
        Calls calls = CALLS.orElseThrow();
        Object target = member.orElseThrow();
        long before = call(() -> (long) begin.invoke(target));
        try {
            return work.get();
        } finally {
            call(() -> {
                calls.endState.invoke(target, before);
                return true;
            });
        }
    }

    /**
     * Runs the first timer, which is due at this position, as an operation of its own.
     *
     * @param turn of the timer among those that are due there, from 0
     */
    public void fireTimer(long position, int turn, long orderedTimeMillis) {
        member.ifPresent(target -> call(() -> {
            CALLS.orElseThrow().fireTimer.invoke(target, position, turn, orderedTimeMillis);
            return true;
        }));
    }

    /** Cancels the first timer, which is due; if it is periodic it never fires again. */
    public void dropTimer() {
        member.ifPresent(target -> call(() -> {
            CALLS.orElseThrow().dropTimer.invoke(target);
            return true;
        }));
    }

    /** The group's time at which the next timer is due; empty if there is none. */
    public OptionalLong nextTimerMillis() {
        if (member.isEmpty()) {
            return OptionalLong.empty();
        }
        long next = call(() -> (long) CALLS.orElseThrow().nextTimerMillis.invoke(member.get()));
        return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
    }

    /** A digest of the pending timers, which is equal at members that have executed the same; 0 if there is none. */
    public long timersDigest() {
        return member.map(target ->
                        call(() -> (long) CALLS.orElseThrow().timersDigest.invoke(target)))
                .orElse(0L);
    }

    /** The state is replaced by one that has no timers. */
    public void dropTasks() {
        member.ifPresent(target -> call(() -> {
            CALLS.orElseThrow().dropTasks.invoke(target);
            return true;
        }));
    }

    /** Nanoseconds since 1970, if the clock of the operations is ahead of the group's time: it belongs to the state then. */
    public Optional<Long> clockAhead() {
        return member.flatMap(target -> {
            Calls calls = CALLS.orElseThrow();
            return call(() -> (long) calls.clockAhead.invoke(target)) > 0
                    ? Optional.of(call(() -> (long) calls.clock.invoke(target)))
                    : Optional.empty();
        });
    }

    /** The clock of a state that was put in place. */
    public void restoreClock(long nanos) {
        member.ifPresent(target -> call(() -> {
            CALLS.orElseThrow().restoreClock.invoke(target, nanos);
            return true;
        }));
    }

    private static Optional<Calls> find() {
        try {
            return Optional.of(new Calls(
                    Class.forName(PACKAGE + "MemberOperations", true, null),
                    Class.forName(PACKAGE + "InstrumentedClasses", true, null),
                    Class.forName(PACKAGE + "ThreadStarts", true, null)));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the agent of deterministic execution is of another version of amo", e);
        }
    }

    private static <T> T call(Call<T> call) {
        try {
            return call.make();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the agent of deterministic execution failed", e);
        }
    }

    @FunctionalInterface
    private interface Call<T> {
        T make() throws Throwable;
    }

    private static final class Calls {
        private final MethodHandle make;
        private final MethodHandle begin;
        private final MethodHandle drawFrom;
        private final MethodHandle end;
        private final MethodHandle beginState;
        private final MethodHandle beginReading;
        private final MethodHandle endState;
        private final MethodHandle clockAhead;
        private final MethodHandle clock;
        private final MethodHandle restoreClock;
        private final MethodHandle classesLeft;
        private final MethodHandle runTasks;
        private final MethodHandle fireTimer;
        private final MethodHandle dropTimer;
        private final MethodHandle nextTimerMillis;
        private final MethodHandle timersDigest;
        private final MethodHandle dropTasks;
        private final MethodHandle areOrdered;
        private final MethodHandle pendingTimers;

        Calls(Class<?> member, Class<?> classes, Class<?> threads) throws ReflectiveOperationException {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            make = lookup.findConstructor(member, MethodType.methodType(void.class, byte[].class));
            begin = lookup.findVirtual(
                    member,
                    "begin",
                    MethodType.methodType(void.class, long.class, long.class, long.class, long.class, long.class));
            drawFrom =
                    lookup.findVirtual(member, "drawFrom", MethodType.methodType(void.class, byte[].class, int.class));
            end = lookup.findVirtual(member, "end", MethodType.methodType(void.class));
            beginState = lookup.findVirtual(member, "beginState", MethodType.methodType(long.class));
            beginReading = lookup.findVirtual(member, "beginReading", MethodType.methodType(long.class));
            endState = lookup.findVirtual(member, "endState", MethodType.methodType(void.class, long.class));
            clockAhead = lookup.findVirtual(member, "clockAhead", MethodType.methodType(long.class));
            clock = lookup.findVirtual(member, "clock", MethodType.methodType(long.class));
            restoreClock = lookup.findVirtual(member, "restoreClock", MethodType.methodType(void.class, long.class));
            classesLeft = lookup.findStatic(classes, "left", MethodType.methodType(long.class));
            runTasks = lookup.findVirtual(member, "runTasks", MethodType.methodType(void.class));
            fireTimer = lookup.findVirtual(
                    member, "fireTimer", MethodType.methodType(void.class, long.class, int.class, long.class));
            dropTimer = lookup.findVirtual(member, "dropTimer", MethodType.methodType(void.class));
            nextTimerMillis = lookup.findVirtual(member, "nextTimerMillis", MethodType.methodType(long.class));
            timersDigest = lookup.findVirtual(member, "timersDigest", MethodType.methodType(long.class));
            dropTasks = lookup.findVirtual(member, "dropTasks", MethodType.methodType(void.class));
            areOrdered = lookup.findStatic(threads, "areOrdered", MethodType.methodType(boolean.class));
            pendingTimers = lookup.findStatic(threads, "pendingTimers", MethodType.methodType(long.class));
        }
    }
}
