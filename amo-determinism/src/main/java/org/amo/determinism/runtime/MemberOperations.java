package org.amo.determinism.runtime;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one member, as the substitutes see them: time and random numbers that follow from the ordered request, and
 * from nothing else. The thread that runs the operations owns it. Inside an operation is that thread alone, not one that it
 * starts.
 *
 * <p>Invariant: {@code clockNanos} is a function of the requests that were executed. So it must be in every snapshot
 * ({@link #clockAhead}).
 */
public final class MemberOperations {
    /** A loop that waits for the clock ends, and two readings differ. */
    static final long NANOS_PER_READING = 1_000;

    private static final ThreadLocal<@Nullable MemberOperations> RUNNING = new ThreadLocal<>();

    /** Keeps the random numbers of a state apart from those of the operation before it. */
    private static final long STATE = -1;

    /** Stands for the client of a timer. */
    private static final long TIMER = -2;

    private static final byte[] NO_SEED = {};

    private final byte[] key;

    private long clockNanos;
    private long orderedNanos;
    private long position;
    private long clientHigh;
    private long clientLow;
    private long number;
    private int numbered;
    private boolean reading;
    private int index;

    /** Of the entry of the running operation; empty if its random numbers follow from the group's key. */
    private byte[] seed = NO_SEED;

    private @Nullable Draws draws;

    /** Behind the static initializers that run in the operation, the innermost first. */
    private final ArrayDeque<Interrupted> interrupted = new ArrayDeque<>();

    private final OperationTasks tasks = new OperationTasks(this);

    /** The operation, or an initializer, in front of a static initializer in it. */
    private record Interrupted(long clockNanos, @Nullable Draws draws) {}

    /** @param key of the group; secret if random numbers without a seed shall be unpredictable */
    public MemberOperations(byte[] key) {
        this.key = key.clone();
        InstrumentedClasses.memberStarts();
    }

    /** The operation that the calling thread runs. */
    static @Nullable MemberOperations running() {
        return RUNNING.get();
    }

    /** Whether the calling thread runs an operation. */
    static boolean isRunning() {
        return RUNNING.get() != null;
    }

    /**
     * The calling thread begins an operation.
     *
     * @param at position of the entry in the ordered log
     * @param high first half of the client's id
     * @param low second half of the client's id
     * @param request the client's number for the request
     * @param orderedTimeMillis the group's time at the position
     */
    public void begin(long at, long high, long low, long request, long orderedTimeMillis) {
        position = at;
        clientHigh = high;
        clientLow = low;
        number = request;
        orderedNanos = Math.max(orderedNanos, TimeUnit.MILLISECONDS.toNanos(orderedTimeMillis));
        clockNanos = Math.max(clockNanos, orderedNanos);
        enter();
    }

    /** The operation has returned: the tasks that it started run as a part of it. */
    public void runTasks() {
        tasks.runAll();
    }

    /**
     * The entry at this position has raised the group's time, and the first timer is due ({@link #nextTimerMillis}): it runs, as an
     * operation of its own. The calling thread is that of the operations, between two of them. A timer draws from the seed of the
     * operation that set it: that stood at an earlier position, so no operation has the numbers of this place.
     *
     * @param turn of the timer among those that are due at this position, from 0
     */
    public void fireTimer(long at, int turn, long orderedTimeMillis) {
        begin(at, TIMER, TIMER, turn, orderedTimeMillis);
        seed = tasks.seedOfFirst();
        index = turn;
        try {
            tasks.fireFirst(orderedNanos);
            tasks.runAll();
        } finally {
            end();
        }
    }

    /** The group skips the first timer, which is due: it is cancelled, and if it is periodic it never fires again. */
    public void dropTimer() {
        tasks.dropFirst();
    }

    /** The group's time at which the next timer is due; the largest number if there is none. */
    public long nextTimerMillis() {
        return tasks.nextDueMillis();
    }

    /** A digest of the pending timers, which is equal at members that have executed the same; 0 if there is none. */
    public long timersDigest() {
        return tasks.digest();
    }

    /** The state is replaced by one that has no timers. */
    public void dropTasks() {
        tasks.clear();
    }

    /** Those of the operations; empty while the state is taken or restored, which not every member does. */
    @Nullable
    OperationTasks tasks() {
        return clientHigh == STATE && clientLow == STATE ? null : tasks;
    }

    long orderedNanos() {
        return orderedNanos;
    }

    /** Not copied; empty if there is none. */
    byte[] seed() {
        return seed;
    }

    /**
     * The operation that has begun draws from the seed of its entry.
     *
     * @param ofEntry fits no other entry
     * @param ofOperation index among the operations of that entry
     */
    public void drawFrom(byte[] ofEntry, int ofOperation) {
        seed = ofEntry.clone();
        index = ofOperation;
    }

    /**
     * A static initializer runs in the operation. Its random numbers follow from the class, and with a seed from that, too; so they are
     * none of the operation's.
     */
    void beginInitializer(String type) {
        interrupted.push(new Interrupted(clockNanos, draws));
        draws = seed.length == 0 ? Draws.ofClass(key, type) : Draws.ofClass(seed, position, index, type);
    }

    /** It has ended: the clock and the numbers of the operation go on as if it had not been. */
    void endInitializer() {
        Interrupted before = interrupted.poll();
        if (before != null) {
            clockNanos = before.clockNanos();
            draws = before.draws();
        }
    }

    /** Whether a static initializer runs in the operation. */
    boolean isInitializing() {
        return !interrupted.isEmpty();
    }

    /** The operation has ended. */
    public void end() {
        RUNNING.remove();
        interrupted.clear();
        draws = null;
        seed = NO_SEED;
    }

    /**
     * The calling thread takes, compares or restores the state between two operations, which not every member does there.
     *
     * @return to be given to {@link #endState}
     */
    public long beginState() {
        long before = clockNanos;
        clientHigh = STATE;
        clientLow = STATE;
        number = STATE;
        enter();
        return before;
    }

    /**
     * The same for work that takes the state or compares it. It leaves no number in an object: members that do not take the state there
     * would give it another one later.
     *
     * @return to be given to {@link #endState}
     */
    public long beginReading() {
        long before = beginState();
        reading = true;
        return before;
    }

    /** Whether the state is taken or compared. */
    boolean isReading() {
        return reading;
    }

    /** The work on the state has ended; the next operation finds the clock as if it had not been. */
    public void endState(long before) {
        clockNanos = before;
        end();
    }

    private void enter() {
        interrupted.clear();
        tasks.begin();
        numbered = 0;
        reading = false;
        draws = null;
        seed = NO_SEED;
        RUNNING.set(this);
    }

    /** Nanoseconds by which the clock is ahead of the group's time, and must be in a snapshot. */
    public long clockAhead() {
        return clockNanos - orderedNanos;
    }

    /** The clock of a snapshot, in nanoseconds since 1970. */
    public void restoreClock(long nanos) {
        clockNanos = Math.max(clockNanos, nanos);
    }

    /** The clock, in nanoseconds since 1970. */
    public long clock() {
        return clockNanos;
    }

    /** Reads the clock, which thereby goes on. */
    long readNanos() {
        clockNanos += NANOS_PER_READING;
        return clockNanos;
    }

    /** The operation has waited. */
    void waited(long nanos) {
        if (nanos > 0) {
            clockNanos = Math.max(clockNanos, clockNanos + nanos);
        }
    }

    /** Random numbers of the operation, predictable for those who see some of them. */
    RandomGenerator random() {
        return draws().fast();
    }

    /** Random bytes of the operation, unpredictable without the group's key or the seed of the entry. */
    void nextBytes(byte[] bytes) {
        draws().nextBytes(bytes);
    }

    private Draws draws() {
        Draws present = draws;
        if (present == null) {
            present = seed.length == 0
                    ? Draws.ofGroup(key, position, clientHigh, clientLow, number)
                    : Draws.ofEntry(seed, position, index);
            draws = present;
        }
        return present;
    }

    /** A number for an object whose identity hash the operation asks for. */
    int nextIdentity() {
        numbered++;
        long seed = Mixing.mix(position) + Mixing.mix(clientHigh ^ Mixing.mix(clientLow)) + Mixing.mix(number);
        return Mixing.identity(seed, numbered);
    }
}
