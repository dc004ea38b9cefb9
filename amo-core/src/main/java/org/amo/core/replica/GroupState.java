package org.amo.core.replica;

import java.util.Optional;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Request;

/**
 * The state of the group at this member: the decision table as of one position of the order, the group's time, and its feature level. Only a
 * delivered entry and a snapshot move it on. Answers carry its time and its bound.
 *
 * <p>One thread owns it.
 */
final class GroupState {
    private final ReplicaOptions options;
    private final ReplicaEffects effects;
    private final RecordMemory memory;
    private final ReplicaParts parts;
    private final GroupClock clock;
    private final GroupLevel level;

    private DecisionTable table;
    private long position;
    private boolean caughtUp = true;
    private boolean suspended;

    GroupState(ReplicaOptions options, ReplicaEffects effects, RecordMemory memory, ReplicaParts parts) {
        this.options = options;
        this.effects = effects;
        this.memory = memory;
        this.parts = parts;
        this.clock = parts.clock(options.members().size());
        this.table = parts.table(memory);
        this.level = parts.level(options.levels(), effects);
    }

    /** The feature level. */
    GroupLevel level() {
        return level;
    }

    DecisionTable table() {
        return table;
    }

    GroupClock clock() {
        return clock;
    }

    /** Of the last entry that was delivered here; 0 before the first. */
    long position() {
        return position;
    }

    /** Whether the group has a time and parameters. */
    boolean isStarted() {
        return table.started();
    }

    // ------------------------------------------------- the order

    /** The entry at this position is delivered. */
    void delivered(long at) {
        if (at <= position) {
            throw new IllegalStateException("delivered again or out of order: position=" + at + " after " + position);
        }
        position = at;
    }

    /** Raises the group's time; false while the group has not started, when nothing is decided. */
    boolean advance(OrderedEntry entry, long nowMillis) {
        if (entry.start().isPresent()) {
            if (table.start(entry.stampMillis(), entry.start().get())) {
                compareParameters();
            }
        } else if (table.started()) {
            table.advance(entry.stampMillis());
        }
        if (table.started()) {
            clock.onDelivered(table.orderedTimeMillis(), nowMillis);
        }
        return table.started();
    }

    /** The seed from which the operations of a delivered entry draw. */
    Optional<byte[]> seed(OrderedEntry entry) {
        return parts.seed(entry);
    }

    /** An empty table in the place of the present one, whose content is dropped. */
    DecisionTable newTable() {
        memory.clear();
        return parts.table(memory);
    }

    /** The state is that of a snapshot. */
    void restored(SnapshotCodec.Content snapshot, long nowMillis) {
        position = snapshot.position();
        table = snapshot.table();
        level.restored(snapshot.level());
        if (table.started()) {
            clock.onDelivered(table.orderedTimeMillis(), nowMillis);
            compareParameters();
        }
    }

    private void compareParameters() {
        if (!table.parameters().equals(options.parameters())) {
            effects.parametersDiffer(table.parameters());
        }
    }

    /** No earlier process of this member took part: it may run a request that the group skipped further on. */
    void lagsBehind() {
        caughtUp = false;
    }

    /** An entry of this process is delivered. @return whether the member lagged behind until now */
    boolean catchUp() {
        boolean lagged = !caughtUp;
        caughtUp = true;
        return lagged;
    }

    /** Whether this member has diverged from the others. */
    void suspend(boolean diverged) {
        suspended = diverged;
    }

    /** Whether this member has diverged: it answers no client from its executions, and takes no snapshot. */
    boolean isSuspended() {
        return suspended;
    }

    /**
     * Whether all entries have been delivered that were ordered before this member took part, and it has not diverged. Until then
     * no client gets a result of its executions, and it takes no snapshot.
     */
    boolean isCaughtUp() {
        return caughtUp && !suspended;
    }

    // ------------------------------------------------- answers

    /** The decision that is certain before the order, if a client may be told of it. */
    Optional<Decision> peek(Request request) {
        return table.peek(request).filter(known -> isCaughtUp() || known != Decision.LIVE);
    }

    /** The reply that is kept for this request. */
    Optional<byte[]> keptReply(Request request) {
        return table.peek(request).equals(Optional.of(Decision.LIVE)) ? table.reply(request.id()) : Optional.empty();
    }

    Answer replied(byte[] reply) {
        return Answer.reply(reply, table.orderedTimeMillis(), table.upperMillis());
    }

    Answer refused(Decision decision) {
        return decision.budget()
                .map(this::overloaded)
                .orElseGet(() -> Answer.refused(
                        decision.refusal().orElseThrow(), table.orderedTimeMillis(), table.upperMillis()));
    }

    Answer overloaded(Budget exhausted) {
        return Answer.overloaded(exhausted, table.orderedTimeMillis(), table.upperMillis());
    }

    Answer unknown() {
        return Answer.unknown(table.orderedTimeMillis(), table.upperMillis());
    }

    /** An earlier answer with the present time and bound. */
    Answer asOfNow(Answer earlier) {
        return earlier.at(table.orderedTimeMillis(), table.upperMillis());
    }
}
