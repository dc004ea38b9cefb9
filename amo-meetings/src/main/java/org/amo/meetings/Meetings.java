package org.amo.meetings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import org.amo.base.DaemonThreads;

/**
 * Lets threads meet at a structure, in many short lives of it, after the manner of jcstress: the threads enter a life
 * together and act, and its state is judged when all have left it.
 *
 * <p>A test that finds nothing says something only where it would have found something. So each comes with a planted bug,
 * mostly the structure without its lock, which the same acts must find; and the structure itself then has to bear many
 * times the lives in which that one broke, so that the effort follows the machine.
 *
 * <p>Any thread may call it; it starts its own and ends them.
 */
public final class Meetings {
    private static final int FEWEST_LIVES = 50_000;
    private static final int TIMES = 10;

    /** A planted bug that does not show in so long is not found. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /**
     * The structure itself is not tried for longer, once it bore twice as many lives as the planted bug did. The profile slow runs
     * one test class at a time, and tries it for longer.
     */
    private static final long EFFORT_NANOS =
            TimeUnit.MILLISECONDS.toNanos(Boolean.getBoolean("amo.allSeeds") ? 2_000 : 500);

    /** An act that has not ended by then hangs. */
    private static final long HANGS_AFTER_SECONDS = 30;

    private static final int LIVES_AT_ONCE = 64;

    /** A thread looks whether others run while it does for so many turns, then it lets them have its processor. */
    private static final int SPINS = 300;

    /** After so many looks the acts begin in any case: on one processor threads never run at the same time. */
    private static final int MOST_LOOKS = 200;

    /** Integers between the counters of two threads, so that each has a cache line of its own. */
    private static final int APART = 32;

    private final Supplier<? extends Meeting> lives;
    private final long most;
    private final long endNanos;
    private final long fewest;
    private final int threads;
    private final int together;
    private final AtomicIntegerArray entered = new AtomicIntegerArray(LIVES_AT_ONCE);
    private final AtomicIntegerArray opened = new AtomicIntegerArray(LIVES_AT_ONCE);

    /** Each thread raises its own while it waits: so the others see that it runs. */
    private final AtomicIntegerArray turns;

    private final CyclicBarrier between;

    // Changed by one thread while all stand at the barrier.
    private int count;
    private List<Meeting> present = List.of();
    private List<List<Meeting.Act>> acts = List.of();
    private long lived;
    private volatile boolean over;
    private volatile boolean hangs;
    private volatile String violation = "";

    /** @param count lives until the first judgement; each time twice as many, but {@link #LIVES_AT_ONCE} at most */
    private Meetings(Supplier<? extends Meeting> lives, int count, long fewest, long most, long nanos) {
        this.lives = lives;
        this.count = count;
        this.fewest = fewest;
        this.most = most;
        this.endNanos = System.nanoTime() + nanos;
        this.threads = lives.get().acts().size();
        this.together = Math.min(threads, Runtime.getRuntime().availableProcessors());
        this.turns = new AtomicIntegerArray(threads * APART);
        this.between = new CyclicBarrier(threads, this::judge);
        begin();
    }

    /**
     * The planted bug is found, and in many times as many lives the structure shows none.
     *
     * @param sound makes a new structure for each life
     * @param planted the same over a structure with a bug
     * @throws AssertionError otherwise; it says which of the two failed, in which life, and the observation
     */
    public static void prove(Supplier<? extends Meeting> sound, Supplier<? extends Meeting> planted) {
        prove(sound, planted, PATIENCE_NANOS);
    }

    static void prove(Supplier<? extends Meeting> sound, Supplier<? extends Meeting> planted, long patienceNanos) {
        // Mostly the first lives show the bug, and on a busy machine each life takes long.
        Meetings control = new Meetings(planted, 1, 0, Long.MAX_VALUE, patienceNanos);
        if (control.hold().isEmpty()) {
            throw new AssertionError("the planted bug did not show in " + control.lived
                    + " lives: if these threads find nothing, that says nothing");
        }
        long wanted = Math.max(FEWEST_LIVES, TIMES * control.lived);
        Meetings real = new Meetings(sound, LIVES_AT_ONCE, 2 * control.lived, wanted, EFFORT_NANOS);
        real.hold().ifPresent(seen -> {
            throw new AssertionError("life " + real.lived + ": " + seen);
        });
    }

    private Optional<String> hold() {
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int act = i;
            Thread thread = DaemonThreads.unstarted("amo-meeting-" + i, () -> meet(act));
            running.add(thread);
        }
        running.forEach(Thread::start);
        try {
            for (Thread thread : running) {
                while (thread.isAlive() && !hangs) {
                    thread.join(100);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            running.forEach(Thread::interrupt);
        }
        return violation.isEmpty() ? Optional.empty() : Optional.of(violation);
    }

    private void meet(int thread) {
        try {
            while (!over) {
                for (int life = 0; life < count; life++) {
                    enter(life, thread);
                    act(life, thread);
                }
                between.await(HANGS_AFTER_SECONDS, TimeUnit.SECONDS);
            }
        } catch (TimeoutException | BrokenBarrierException e) {
            say("an act has not ended in " + HANGS_AFTER_SECONDS + " s");
            hangs = true;
        } catch (InterruptedException e) {
            say("thread " + thread + " was interrupted");
        }
    }

    /**
     * Waits until all threads are there and as many run at the same time as there are processors for. On a busy machine, a thread
     * that was there first may stand aside when the last one comes, and acts that follow one another find nothing.
     */
    @SuppressWarnings("ThreadPriorityCheck") // a hint, for where fewer processors are free than threads wait
    private void enter(int life, int thread) throws TimeoutException {
        entered.incrementAndGet(life);
        int[] before = new int[threads];
        long since = 0;
        for (int looks = 0; opened.get(life) == 0; ) {
            look(life, thread, before);
            boolean complete = entered.get(life) == threads;
            if (complete && ++looks == MOST_LOOKS) {
                opened.set(life, 1);
            }
            if (opened.get(life) == 0) {
                Thread.yield();
                long now = System.nanoTime();
                since = since == 0 ? now : since;
                if (now - since > TimeUnit.SECONDS.toNanos(HANGS_AFTER_SECONDS)) {
                    throw new TimeoutException();
                }
            }
        }
    }

    /** Opens the life if all are there and enough others run in this time. */
    private void look(int life, int thread, int[] before) {
        for (int other = 0; other < threads; other++) {
            before[other] = turns.get(other * APART);
        }
        for (int spin = 0; spin < SPINS && opened.get(life) == 0; spin++) {
            turns.lazySet(thread * APART, turns.getPlain(thread * APART) + 1);
            Thread.onSpinWait();
            if (entered.get(life) == threads && running(before) >= together) {
                opened.set(life, 1);
            }
        }
    }

    private int running(int[] before) {
        int running = 0;
        for (int each = 0; each < threads; each++) {
            running += turns.get(each * APART) == before[each] ? 0 : 1;
        }
        return running;
    }

    @SuppressWarnings("IllegalCatch") // anything that an act throws is an observation
    private void act(int life, int thread) {
        try {
            acts.get(life).get(thread).run();
        } catch (Exception | Error e) {
            say("thread " + thread + " saw " + e);
        }
    }

    /** While all threads stand at the barrier. */
    @SuppressWarnings("IllegalCatch") // a structure so broken that it cannot be asked is broken
    private void judge() {
        try {
            for (int life = 0; life < count && violation.isEmpty(); life++) {
                lived++;
                say(present.get(life).violation());
            }
            boolean late = System.nanoTime() > endNanos && lived >= fewest;
            if (!violation.isEmpty() || late || lived >= most) {
                over = true;
            } else {
                count = Math.min(LIVES_AT_ONCE, 2 * count);
                begin();
            }
        } catch (RuntimeException | Error e) {
            say("the judge saw " + e);
            over = true;
        }
    }

    private void begin() {
        List<Meeting> next = new ArrayList<>();
        List<List<Meeting.Act>> theirs = new ArrayList<>();
        for (int life = 0; life < count; life++) {
            Meeting meeting = lives.get();
            next.add(meeting);
            theirs.add(meeting.acts());
            entered.set(life, 0);
            opened.set(life, 0);
        }
        present = next;
        acts = theirs;
    }

    private synchronized void say(String seen) {
        if (violation.isEmpty() && !seen.isEmpty()) {
            violation = seen;
        }
    }
}
