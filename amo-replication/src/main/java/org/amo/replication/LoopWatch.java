package org.amo.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.amo.base.DaemonThreads;

/**
 * Detects a loop of this member that stands still while work waits for it: such a member answers no request, and votes
 * all the same. It counts its own looks and not the time, since a process that was stopped stops this, too. An
 * operation of the servant may take as long as it likes: the execution thread is no such loop.
 */
final class LoopWatch implements AutoCloseable {
    /** Flow control may hold up a task for nine seconds (docs/decisions/0018); this is beyond it. */
    static final int LOOKS = 15;

    private static final long LOOK_NANOS = 1_000_000_000L;

    /**
     * One loop.
     *
     * @param waits whether anything waits for it
     * @param turns how often it has turned
     */
    record Loop(String name, BooleanSupplier waits, LongSupplier turns) {}

    private final List<Watched> watched = new ArrayList<>();
    private final Consumer<String> onStill;
    private final Thread thread;
    private volatile boolean closed;

    /** @param onStill told the name of a loop that stands still, once, on a thread of its own */
    LoopWatch(String member, List<Loop> loops, Consumer<String> onStill) {
        loops.forEach(loop -> watched.add(new Watched(loop)));
        this.onStill = onStill;
        thread = DaemonThreads.unstarted("amo-watch-" + member, this::run);
    }

    void start() {
        thread.start();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            if (look()) {
                return;
            }
        }
    }

    /** One look at all of them. @return whether one stands still, which was told */
    boolean look() {
        for (Watched each : watched) {
            if (!closed && each.looksSinceTurn() >= LOOKS) {
                closed = true;
                onStill.accept(each.loop.name());
                return true;
            }
        }
        return false;
    }

    private static final class Watched {
        private final Loop loop;
        private long turns;
        private int looks;

        Watched(Loop loop) {
            this.loop = loop;
            this.turns = loop.turns().getAsLong();
        }

        int looksSinceTurn() {
            long now = loop.turns().getAsLong();
            looks = now == turns && loop.waits().getAsBoolean() ? looks + 1 : 0;
            turns = now;
            return looks;
        }
    }
}
