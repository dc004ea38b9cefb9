package org.amo.core.replica;

import java.util.Optional;

/**
 * The replica's part of a snapshot in the making: the records, bounds and parameters as they were when the entry at one
 * position had been delivered, and the replies of everything up to there as they come in. Deliveries go on meanwhile; the
 * servant's state of the same position belongs with it, taken after the last execution up to there and before the first
 * beyond.
 *
 * <p>Until {@link #isComplete} the owner of the {@link Replica} owns it; from then on it never changes, and any one thread
 * may {@link #encode} it.
 */
public final class SnapshotCut {
    private final long position;
    private final DecisionTable table;
    private final SkippedRequests skipped;
    private final Optional<UpdateChain> outcomes;
    private final long mostReplyBytes;
    private final int level;
    private long executed;
    private long digest;
    private boolean complete;

    /**
     * @param copied counts only replies that come in from now on
     * @param mostReplyBytes of them
     * @param level the group's feature level
     */
    SnapshotCut(
            long position,
            DecisionTable copied,
            SkippedRequests skipped,
            Optional<UpdateChain> outcomes,
            long mostReplyBytes,
            int level) {
        this.level = level;
        this.position = position;
        this.table = copied;
        this.skipped = skipped;
        this.outcomes = outcomes;
        this.mostReplyBytes = mostReplyBytes;
    }

    /** Of the last entry in it. */
    public long position() {
        return position;
    }

    /** Whether everything up to its position has been executed here, and the replies are in it. */
    public boolean isComplete() {
        return complete;
    }

    /**
     * Whether its replies take more than they may. It takes no further ones then, is never complete, and has to be dropped.
     */
    public boolean isTooLarge() {
        return table.replyBytes() > mostReplyBytes;
    }

    void executed(Execution execution, byte[] reply) {
        if (execution.position() <= position && !isTooLarge()) {
            table.complete(execution.request(), reply);
        }
    }

    void reached(long executedUpToHere, long digestUpToHere) {
        executed = executedUpToHere;
        digest = digestUpToHere;
        complete = !isTooLarge();
    }

    /** The bytes that {@link ReplicaSnapshots#install} takes: equal at every member for the same position. */
    public byte[] encode() {
        if (!complete) {
            throw new IllegalStateException("executions or replies are missing up to position " + position);
        }
        return SnapshotCodec.encode(
                new SnapshotCodec.Content(position, executed, digest, table, skipped, outcomes, level));
    }
}
