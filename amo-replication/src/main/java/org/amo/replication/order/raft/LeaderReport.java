package org.amo.replication.order.raft;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports the leader in a thread of its own, each change once and the last one always. RAFT names the leader with every
 * message; if that is nothing new, no thread is woken.
 *
 * <p>Any thread may say that the leader may have changed.
 */
final class LeaderReport {
    private final Supplier<String> leader;
    private final Executor thread;
    private final Consumer<String> told;
    private final AtomicBoolean waits = new AtomicBoolean();

    // The leader that the thread found when it looked last, null while it looks: then a change must wake it again.
    private volatile @Nullable String seen;
    // That thread only.
    private @Nullable String reported;

    /**
     * @param leader the present leader, the empty string for none; any thread asks
     * @param thread runs its tasks one after another
     * @param told called there
     */
    LeaderReport(Supplier<String> leader, Executor thread, Consumer<String> told) {
        this.leader = leader;
        this.thread = thread;
        this.told = told;
    }

    void mayHaveChanged() {
        if (!leader.get().equals(seen) && waits.compareAndSet(false, true)) {
            thread.execute(this::look);
        }
    }

    private void look() {
        waits.set(false);
        seen = null;
        String now = leader.get();
        seen = now;
        if (!now.equals(reported)) {
            reported = now;
            told.accept(now);
        }
    }
}
