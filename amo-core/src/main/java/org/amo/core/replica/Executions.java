package org.amo.core.replica;

import java.util.List;

/**
 * Follows the executions of this member from the delivery of their entries to their end: counts them, keeps their replies, and has them
 * answer the attempts that wait. They end in the order in which they were decided.
 */
final class Executions {
    private final ExecutionProgress progress;
    private final QueuedExecutions queued;
    private final GroupState group;
    private final HeldRequests held;
    private final OperationFacts facts;
    private final Waiters waiters;
    private final Verdicts verdicts;

    Executions(
            ExecutionProgress progress,
            QueuedExecutions queued,
            GroupState group,
            HeldRequests held,
            OperationFacts facts,
            Waiters waiters,
            Verdicts verdicts) {
        this.progress = progress;
        this.queued = queued;
        this.group = group;
        this.held = held;
        this.facts = facts;
        this.waiters = waiters;
        this.verdicts = verdicts;
    }

    /**
     * An entry is delivered.
     *
     * @param decisions digest of the decisions on its items
     * @param executions that it leads to
     */
    void delivered(long at, long decisions, List<Execution> executions) {
        progress.delivered(at, decisions, executions.size());
        queued.add(executions);
    }

    /** These have ended, in order. */
    void ended(List<Execution> executions, List<byte[]> replies, long nowMillis) {
        for (int i = 0; i < executions.size(); i++) {
            Execution execution = executions.get(i);
            byte[] reply = replies.get(i);
            progress.executed(execution, reply);
            queued.remove(execution);
            verdicts.settle(nowMillis);
            group.table().complete(execution.request(), reply);
            held.executed(execution.place());
            facts.executed(execution.place());
            if (group.isCaughtUp()) {
                waiters.onExecuted(execution.request(), reply);
            }
        }
        waiters.sendResults();
    }

    /** The state is that of a snapshot. */
    void restored(SnapshotCodec.Content snapshot) {
        progress.restore(snapshot.position(), snapshot.executed(), snapshot.digest());
        queued.clear();
    }
}
