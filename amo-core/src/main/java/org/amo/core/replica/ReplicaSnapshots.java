package org.amo.core.replica;

import java.util.Optional;
import org.amo.core.replica.PeerMessage.TimersPending;

/**
 * The snapshots of a {@link Replica}: copies its replicated state as of one position, puts the state of a snapshot in its place, and tells
 * whether a snapshot may be kept or given to another member. The owner of the replica owns it.
 */
public final class ReplicaSnapshots {
    private final ReplicaEffects effects;
    private final SkipRule skipRule;
    private final GroupState group;
    private final HeldRequests held;
    private final DivergenceMarks marks;
    private final OutcomeOrder outcomes;
    private final Waiters waiters;
    private final Verdicts verdicts;
    private final ExecutionProgress progress;
    private final Executions executions;
    private final Submitter submitter;

    ReplicaSnapshots(
            ReplicaEffects effects,
            SkipRule skipRule,
            GroupState group,
            HeldRequests held,
            DivergenceMarks marks,
            OutcomeOrder outcomes,
            Waiters waiters,
            Verdicts verdicts,
            ExecutionProgress progress,
            Executions executions,
            Submitter submitter) {
        this.effects = effects;
        this.skipRule = skipRule;
        this.group = group;
        this.held = held;
        this.marks = marks;
        this.outcomes = outcomes;
        this.waiters = waiters;
        this.verdicts = verdicts;
        this.progress = progress;
        this.executions = executions;
        this.submitter = submitter;
    }

    // ------------------------------------------------- copies

    /** Whether every delivered entry has been executed, so that a snapshot can be taken at once. */
    public boolean isSettled() {
        return progress.isIdle();
    }

    /** Bytes of all replies that are kept, wherever: a snapshot has them on the heap. */
    public long keptReplyBytes() {
        return group.table().replyBytes();
    }

    /**
     * Begins a snapshot of the client records, replies, group time, bounds and parameters at the present position. It is
     * complete when everything up to here was executed; only one is in the making at a time.
     */
    public SnapshotCut cut() {
        return cut(Long.MAX_VALUE);
    }

    /**
     * The same, given up if the replies of the executions under way take more.
     *
     * @param mostReplyBytes of replies that are not there yet
     */
    public SnapshotCut cut(long mostReplyBytes) {
        SnapshotCut cut = new SnapshotCut(
                group.position(),
                group.table().copyForSnapshot(),
                held.copyOfSkipped(),
                copyOfOutcomes(),
                mostReplyBytes,
                group.level().inSnapshot());
        progress.watch(cut);
        return cut;
    }

    /** The snapshot in the making will not be needed. */
    public void dropCut() {
        progress.unwatch();
    }

    /** A snapshot at the present position, up to which everything must have been executed. */
    public byte[] take() {
        if (!isSettled()) {
            throw new IllegalStateException("executions are under way at position " + group.position());
        }
        return SnapshotCodec.encode(new SnapshotCodec.Content(
                group.position(),
                progress.executed(),
                progress.digest(),
                group.table(),
                held.skipped(),
                copyOfOutcomes(),
                group.level().inSnapshot()));
    }

    private Optional<UpdateChain> copyOfOutcomes() {
        return outcomes.isOn() ? Optional.of(outcomes.chain().copy()) : Optional.empty();
    }

    // ------------------------------------------------- confirmed by the group

    /** A snapshot has been taken: the members compare their digests soon, and then it may be kept. */
    public void wantMark() {
        marks.want(group.position());
    }

    /** Whether the digests of the members differ, and none has a majority so far. */
    public boolean isDisputed() {
        return marks.isDisputed();
    }

    /**
     * Whether a snapshot of this position may be kept, so that the log is cut and other members may get it. A diverged member
     * would spread its state. While requests that end members are open, members may be unable to vote, and need snapshots.
     */
    public boolean mayKeep(long position) {
        return !group.isSuspended() && (marks.isConfirmed(position) || held.isHolding() || held.hasOpen());
    }

    // ------------------------------------------------- to and from other members

    /**
     * Another member asks for a state of that position or a later one.
     *
     * @param waits whether a held request stops the executions of this member
     * @return whether to take a snapshot
     */
    public boolean onStateWanted(String asker, long wanted, boolean waits) {
        if (!waits) {
            return progress.executedPosition() >= wanted;
        }
        // Nothing runs here, so the timers stay. The asker may wait for this member alone.
        if (submitter.hasPendingTimers()) {
            onTimersPending(asker);
        }
        return false;
    }

    /**
     * Whether the group skipped requests up to the present position, or may still do so: a snapshot of it covers some that its
     * receiver has not heard of.
     */
    public boolean maySkip() {
        return held.maySkip();
    }

    /** Another member asked for a snapshot, and this one can take none while timers of operations are pending. */
    public void onTimersPending(String asker) {
        effects.send(asker, new TimersPending().encode());
    }

    /**
     * The cause and the remedy, behind the name of this member, if its build does not speak the feature level of a snapshot. Every build
     * of amo can read the level; the rest, and the servants' state, may have a form that this one does not know. Any thread.
     *
     * @throws org.amo.base.wire.MalformedFrameException if it is no snapshot
     */
    public Optional<String> obstacle(byte[] snapshot) {
        return group.level().obstacle(SnapshotCodec.level(snapshot));
    }

    /**
     * Replaces everything by a snapshot, taken at a position beyond this replica's. A snapshot that cannot be read stops the
     * replica, since its present records are gone by then. A snapshot of a feature level that this build does not speak changes
     * nothing, and the replica takes no further entry ({@link ReplicaEffects#levelNotSpoken}).
     */
    public void install(byte[] snapshot, long nowMillis) {
        if (!group.level().admits(SnapshotCodec.level(snapshot))) {
            return;
        }
        SnapshotCodec.Content content = SnapshotCodec.decode(snapshot, group::newTable, skipRule);
        if ((!isSettled() && !outcomes.isOn()) || content.position() < group.position()) {
            throw new IllegalStateException(
                    "snapshot of position " + content.position() + " cannot replace position " + group.position());
        }
        held.restored(content.skipped(), content.position());
        executions.restored(content);
        group.restored(content, nowMillis);
        marks.restored(content.position());
        outcomes.restored(content.outcomes());
        waiters.onRestored();
        verdicts.settle(nowMillis);
        submitter.onRestored(nowMillis);
    }
}
