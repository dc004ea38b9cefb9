package org.amo.core.replica;

import java.util.List;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;

/**
 * Takes each entry of the order through the parts of a replica: first the parts change, then the effects go. It is the writer of the
 * replicated state, which otherwise a snapshot alone replaces.
 */
final class DeliveredEntries {
    private final ReplicaOptions options;
    private final ReplicaEffects effects;
    private final ReplicaCounters counters;
    private final GroupState group;
    private final Batcher batcher;
    private final HeldRequests held;
    private final DivergenceMarks marks;
    private final OperationFacts facts;
    private final OutcomeOrder outcomes;
    private final Waiters waiters;
    private final Verdicts verdicts;
    private final Executions executions;
    private final Submitter submitter;

    DeliveredEntries(
            ReplicaOptions options,
            ReplicaEffects effects,
            ReplicaCounters counters,
            GroupState group,
            Batcher batcher,
            HeldRequests held,
            DivergenceMarks marks,
            OperationFacts facts,
            OutcomeOrder outcomes,
            Waiters waiters,
            Verdicts verdicts,
            Executions executions,
            Submitter submitter) {
        this.options = options;
        this.effects = effects;
        this.counters = counters;
        this.group = group;
        this.batcher = batcher;
        this.held = held;
        this.marks = marks;
        this.facts = facts;
        this.outcomes = outcomes;
        this.waiters = waiters;
        this.verdicts = verdicts;
        this.executions = executions;
        this.submitter = submitter;
    }

    /** @return false if the entry is malformed, and so is dropped, or is behind the last one that this member may apply */
    boolean onDelivered(long at, byte[] bytes, long nowMillis) {
        Optional<OrderedEntry> decoded = decode(bytes);
        if (!group.level().mayGoOn() || decoded.filter(this::isNotSpoken).isPresent()) {
            return false;
        }
        group.delivered(at);
        if (decoded.isEmpty()) {
            counters.malformedEntry();
            executions.delivered(at, 0, List.of());
            return false;
        }
        OrderedEntry entry = decoded.get();
        group.level().delivered(entry);
        boolean fromHere = entry.origin().equals(options.id());
        boolean own = fromHere && entry.incarnation() == options.incarnation();
        Optional<Submission> submission = own ? batcher.remove(entry.submission()) : Optional.empty();
        submission.ifPresent(Submission::ordered);
        if (own) {
            effects.delivered(entry.submission());
        }
        held.entry(entry.origin(), at);
        if (own && submitter.takesPart()) {
            // Before a client gets a reply: it must not be promised later that the request has not begun.
            effects.takesPart(at);
        }
        boolean nowCaughtUp = own && group.catchUp();
        marks.onVote(entry.origin(), entry.vote());
        verdicts.settle(nowMillis);
        Optional<OutcomeOrder.Accepted> accepted =
                outcomes.onDelivered(entry, own, held.skipped()::isSkipped, nowMillis);
        boolean leads = !fromHere && submitter.isLeader() && !group.isSuspended();
        EntryDelivery delivery = new EntryDelivery(entry, submission, leads, group, waiters);
        if (entry.mark()) {
            marks.onMark(at, bytes);
        }
        Optional<Place> skipped = Optional.empty();
        boolean wasStarted = group.isStarted();
        if (group.advance(entry, nowMillis)) {
            delivery.items();
            skipped = delivery.report(held);
            facts.onEntry(entry.origin(), entry.incarnation(), entry.stampMillis(), entry.facts(), nowMillis);
            outcomes.decided(delivery.executions());
            if (!wasStarted) {
                outcomes.onStarted(entry);
            }
        }
        counters.delivered(entry, bytes.length);
        executions.delivered(at, delivery.digest(), delivery.executions());
        submission
                .filter(Submission::acknowledges)
                .ifPresent(ours -> counters.acknowledgedAfter(nowMillis - ours.acknowledgedSinceMillis()));
        marks.onDelivered(at, entry.mark(), !delivery.executions().isEmpty(), nowMillis);
        if (group.isStarted()) {
            effects.reached(at, group.table().orderedTimeMillis());
        }
        accepted.ifPresent(outcome -> outcome.tell(effects));
        if (!delivery.executions().isEmpty()) {
            effects.execute(delivery.executions());
        }
        if (entry.mark()) {
            marks.askForState(at);
        }
        skipped.ifPresent(held::onVerdict);
        if (nowCaughtUp) {
            waiters.onCaughtUp();
        }
        delivery.results().ifPresent(results -> effects.send(entry.origin(), results.encode()));
        verdicts.settle(nowMillis);
        return true;
    }

    /** Equal bytes and an equal level at every member: if one drops an entry, all do. */
    private Optional<OrderedEntry> decode(byte[] bytes) {
        try {
            return Optional.of(OrderedEntry.decode(bytes, group.level().now()));
        } catch (MalformedFrameException e) {
            return Optional.empty();
        }
    }

    private boolean isNotSpoken(OrderedEntry entry) {
        return !group.level().admits(entry, group.isStarted());
    }
}
