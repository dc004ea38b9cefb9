package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.Optional;
import org.amo.core.request.RequestId;

/**
 * Which delivered entries have been executed, and the digest up to there. Executions end in the order in which
 * they were decided.
 *
 * <p>The digest is a chain over positions, decisions and replies. Over an order that may be violated it is a sum over the executed
 * requests and their replies, which is the same in every order (docs/decisions/0094-divergence-over-a-violated-order.md).
 */
final class ExecutionProgress {
    private final boolean anyOrder;
    private final ArrayDeque<Entry> open = new ArrayDeque<>();
    private long executedPosition;
    private long executed;
    private long digest;
    private long requests;
    private Optional<SnapshotCut> watched = Optional.empty();
    private Optional<Observer> observer = Optional.empty();

    /** Is told of each step. */
    interface Observer {
        /**
         * @param digest of its entry's decisions and the replies in that entry, up to this one; of its own reply alone over an
         *     order that may be violated
         */
        void executed(Execution execution, long digest);

        /** @param digest of everything up to that position */
        void reached(long position, long digest);
    }

    /** @param anyOrder whether the order may be violated */
    ExecutionProgress(boolean anyOrder) {
        this.anyOrder = anyOrder;
    }

    void observe(Observer told) {
        observer = Optional.of(told);
    }

    /**
     * Tells the cut of the count and the digest at its position, now or when everything up to there was executed.
     *
     * @param cut at the position of the last delivered entry
     */
    void watch(SnapshotCut cut) {
        watched = Optional.of(cut);
        if (open.isEmpty()) {
            reached();
        }
    }

    /** The cut is not needed any more. */
    void unwatch() {
        watched = Optional.empty();
    }

    /** The state is that of a snapshot; a cut in the making is dropped. */
    void restore(long position, long count, long chain) {
        if (anyOrder) {
            throw new IllegalStateException(
                    "a log whose order may be violated gives no snapshots: position=" + position);
        }
        unwatch();
        open.clear();
        executedPosition = position;
        executed = count;
        digest = chain;
    }

    void delivered(long position, long decisions, int executions) {
        // Of one request, members may decide in different entries.
        open.add(new Entry(position, anyOrder ? 0 : decisions, executions));
        closeEntries();
    }

    void executed(Execution execution, byte[] reply) {
        Entry head = open.peek();
        if (head == null || head.position != execution.position() || head.left == 0) {
            throw new IllegalStateException("executed out of order: position=" + execution.position());
        }
        RequestId id = execution.request().id();
        long step = Digest.mix(Digest.mix(anyOrder ? 0 : head.chain, id), reply);
        if (anyOrder) {
            head.chain += step;
            requests += Digest.mix(0, id);
        } else {
            head.chain = step;
        }
        head.left--;
        executed++;
        watched.ifPresent(cut -> cut.executed(execution, reply));
        observer.ifPresent(told -> told.executed(execution, step));
        closeEntries();
    }

    /** Whether it has run to its end here, or was replied to without, or lies before a snapshot that was put in place. */
    boolean isExecuted(Place place) {
        Entry head = open.peek();
        if (head == null) {
            return place.position() <= executedPosition;
        }
        return place.position() < head.position
                || (place.position() == head.position && place.index() < head.executions - head.left);
    }

    boolean isIdle() {
        return open.isEmpty();
    }

    long executedPosition() {
        return executedPosition;
    }

    long executed() {
        return executed;
    }

    long digest() {
        return digest;
    }

    /** The executed requests; empty over a total order, where the position tells them. */
    Optional<RequestSet> requests() {
        return anyOrder ? Optional.of(new RequestSet(executed, requests)) : Optional.empty();
    }

    private void closeEntries() {
        while (!open.isEmpty() && open.peek().left == 0) {
            Entry entry = open.poll();
            digest = anyOrder ? digest + entry.chain : Digest.mix(Digest.mix(digest, entry.position), entry.chain);
            executedPosition = entry.position;
            observer.ifPresent(told -> told.reached(entry.position, digest));
            if (watched.isPresent() && watched.get().position() == entry.position) {
                reached();
            }
        }
    }

    private void reached() {
        watched.orElseThrow().reached(executed, digest);
        watched = Optional.empty();
    }

    private static final class Entry {
        private final long position;
        private final int executions;
        private long chain;
        private int left;

        private Entry(long position, long chain, int left) {
            this.position = position;
            this.chain = chain;
            this.executions = left;
            this.left = left;
        }
    }
}
