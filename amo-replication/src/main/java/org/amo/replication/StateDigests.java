package org.amo.replication;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ServantPort;

/**
 * Takes a digest of the servant's state now and then, to detect members with diverged states although their replies are
 * still equal. It is taken behind the last execution up to the first entry of each block of positions. All members
 * begin their blocks at the same positions; one that needs long for a digest has larger blocks, which begin at some of the
 * others' positions. So digests take 1 % of the execution thread at most, and there are always some to compare.
 *
 * <p>The owner of the replica owns it.
 */
final class StateDigests {
    static final long LEAST_BLOCK = 1_024;

    /** An entry takes some 50 us under load: a hundredth of that. */
    private static final long NANOS_AN_ENTRY = 500;

    private final Replica replica;
    private final ServantPort servant;
    private final SerialExecutor owner;
    private final ExecutionThread execution;
    private final boolean offered;
    private long block = LEAST_BLOCK;
    private long last;
    private boolean underWay;
    private int marksPerDigest = 1;

    StateDigests(Replica replica, ServantPort servant, SerialExecutor owner, ExecutionThread execution) {
        this.replica = replica;
        this.servant = servant;
        this.owner = owner;
        this.execution = execution;
        this.offered = servant.hasStateDigest();
    }

    /** Under the owner, when an entry was delivered, before the next one is. */
    void onDelivered(long position) {
        boolean begins = position / block != last / block;
        last = position;
        if (!begins || underWay || !offered) {
            return;
        }
        underWay = true;
        execution.runBetween(() -> {
            long began = System.nanoTime();
            OptionalLong digest = servant.stateDigest();
            long took = System.nanoTime() - began;
            owner.run(() -> onTaken(position, digest, took));
        });
    }

    /**
     * Under the owner, when a mark was delivered and its executions were handed over. All members skip the same marks, for as long as
     * their digests take about the same time: 1 % of it at most.
     */
    void onMark(long position) {
        if (!offered) {
            owner.run(() -> replica.onMarkedState(position, OptionalLong.empty(), now()));
            return;
        }
        boolean due = (Long.hashCode(position * 0x9E37_79B9_7F4A_7C15L) & (marksPerDigest - 1)) == 0;
        execution.runBetween(() -> {
            long began = System.nanoTime();
            OptionalLong digest = servant.digestAtMark(due);
            long took = System.nanoTime() - began;
            owner.run(() -> {
                if (due) {
                    marksPerDigest = marksFor(took);
                }
                replica.onMarkedState(position, digest, now());
            });
        });
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** A mark comes every half second, of which a digest may take 5 ms. */
    static int marksFor(long tookNanos) {
        long least = Math.max(1, Math.min(tookNanos / TimeUnit.MILLISECONDS.toNanos(5), 1 << 20));
        return Integer.highestOneBit((int) least);
    }

    /** Under the owner: a snapshot of this position was put in place. */
    void onInstalled(long position) {
        last = position;
        // In style passive the digest that was asked for before is not taken.
        underWay = false;
    }

    private void onTaken(long position, OptionalLong digest, long tookNanos) {
        underWay = false;
        block = blockFor(tookNanos);
        digest.ifPresent(value -> replica.onStateDigest(position, value));
    }

    static long blockFor(long tookNanos) {
        long least = Math.max(LEAST_BLOCK, Math.min(tookNanos, TimeUnit.HOURS.toNanos(1)) / NANOS_AN_ENTRY);
        return least == Long.highestOneBit(least) ? least : 2 * Long.highestOneBit(least);
    }
}
