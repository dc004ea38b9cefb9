package org.amo.core.replica;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.replica.Waiter.LocalCopy;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;

/**
 * Takes the attempts that arrive over this replica's own connections: answers those that are decided already, refuses those
 * that this member has no room for, has the others wait, and queues the new ones for the order.
 */
final class Arrivals {
    private final ReplicaOptions options;
    private final ReplicaEffects effects;
    private final RecordMemory memory;
    private final ReplicaCounters counters;
    private final GroupState group;
    private final HeldRequests held;
    private final QueuedExecutions queued;
    private final DivergenceMarks marks;
    private final PlainCalls plainCalls;
    private final Waiters waiters;
    private final Batcher batcher;

    Arrivals(
            ReplicaOptions options,
            ReplicaEffects effects,
            RecordMemory memory,
            ReplicaCounters counters,
            GroupState group,
            HeldRequests held,
            QueuedExecutions queued,
            DivergenceMarks marks,
            PlainCalls plainCalls,
            Waiters waiters,
            Batcher batcher) {
        this.options = options;
        this.effects = effects;
        this.memory = memory;
        this.counters = counters;
        this.group = group;
        this.held = held;
        this.queued = queued;
        this.marks = marks;
        this.plainCalls = plainCalls;
        this.waiters = waiters;
        this.batcher = batcher;
    }

    /** @param leaderless whether attempts of clients that come back are refused for want of a leader */
    void onArrival(Arrival arrival, boolean leaderless, long nowMillis) {
        Request request = stamped(arrival.request());
        FinishedNumbers finished = arrival.finished();
        batcher.acknowledged(finished, nowMillis);
        Optional<Decision> known = group.peek(request);
        Optional<PendingRequest> earlier = waiters.find(request);
        Optional<Answer> answer = known.flatMap(decision -> known(request, decision));
        if (known.isEmpty() && earlier.isEmpty()) {
            answer = exhausted(request, arrival.principal(), finished, leaderless)
                    .map(budget -> refused(request, budget));
        }
        boolean goes = answer.isEmpty() && known.isEmpty() && earlier.isEmpty();
        if (!goes) {
            batcher.add(request.id().client(), finished);
        }
        if (answer.isPresent()) {
            effects.answer(arrival.listener(), answer.get());
            return;
        }
        long giveUpAt = nowMillis + patience(request, nowMillis);
        PendingRequest waiting = earlier.orElseGet(() -> waiters.add(request, arrival.principal(), finished, giveUpAt));
        if (goes) {
            batcher.add(waiting);
        } else if (earlier.isEmpty()) {
            waiters.join(waiting);
        }
        waiting.giveUpBy(giveUpAt);
        waiting.waiters().add(new LocalCopy(arrival.listener()));
    }

    /** Acknowledgements without a request. */
    void onFinished(ClientId client, FinishedNumbers finished, long nowMillis) {
        batcher.acknowledged(finished, nowMillis);
        batcher.add(client, finished);
    }

    /** The answer to an attempt on which the decision is certain before the order; none while its request runs. */
    private Optional<Answer> known(Request request, Decision decision) {
        if (decision.refusal().isPresent()) {
            return Optional.of(group.refused(decision));
        }
        Optional<byte[]> reply = group.table().reply(request.id());
        if (reply.isPresent()) {
            counters.replayed();
        }
        return reply.map(group::replied);
    }

    private Answer refused(Request request, Budget exhausted) {
        counters.overloadedAtDoor(exhausted);
        plainCalls.answered(request.id());
        return group.overloaded(exhausted);
    }

    /** The exhausted budget for which an attempt is refused at the door, before it is ordered; it certainly does not run. */
    private Optional<Budget> exhausted(
            Request request, Principal principal, FinishedNumbers finished, boolean leaderless) {
        DecisionTable table = group.table();
        // A full store, a request that is held, a long queue or a missing majority here says nothing about other
        // members.
        if (memory.isFull()) {
            return Optional.of(Budget.MEMBER_REPLIES);
        }
        if (marks.isStopped()) {
            return Optional.of(Budget.DIVERGENCE);
        }
        if (group.isSuspended()
                || held.isHolding()
                || queued.isFull()
                || (leaderless && !plainCalls.isOnlyAttempt(request.id()))) {
            return Optional.of(Budget.ORDER);
        }
        // These acknowledgements make room, at this member, too.
        if (table.frees(request.id().client(), finished)) {
            return Optional.empty();
        }
        if (table.replyBytes(request) > memory.replies().mostHeapBytes() - table.replyBytes()) {
            return Optional.of(Budget.MEMBER_REPLIES);
        }
        // An attempt that the order would refuse now need not be ordered: a storm of such attempts must not fill the
        // log.
        Optional<Budget> shortage = table.shortageAtDoor(request, principal);
        // Other new acknowledgements may make room in the budgets of the group, such as that for ranges.
        return table.news(request.id().client(), finished).isEmpty() ? shortage : shortage.filter(Budget::isLocal);
    }

    /**
     * A foreign request carries no timestamp: it is its expiration minus the group's ρ, not this member's, so that every
     * member takes its attempts for the same request.
     */
    private Request stamped(Request request) {
        if (request.id().space() == Space.OWN || !group.isStarted()) {
            return request;
        }
        long timestamp = request.deadlineMillis() - group.table().parameters().retentionMillis();
        return timestamp == request.timestampMillis()
                ? request
                : new Request(
                        request.id(),
                        timestamp,
                        request.deadlineMillis(),
                        request.fingerprint(),
                        request.oneway(),
                        request.body(),
                        request.path());
    }

    /** How long an attempt waits here to be submitted: until its deadline in the group's time. */
    private long patience(Request request, long nowMillis) {
        if (!group.isStarted()) {
            return options.parameters().defaultDeadlineMillis();
        }
        long left = Math.max(0, request.deadlineMillis() - group.clock().read(nowMillis));
        return Math.min(left, group.table().parameters().lifeMillis());
    }
}
