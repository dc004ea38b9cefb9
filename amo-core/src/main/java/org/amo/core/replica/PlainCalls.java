package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;

/**
 * Turns calls without an id into requests of this replica's own {@link PlainCallers}, once the group has a time to stamp
 * them with. One message is one attempt. Volatile; one thread owns it.
 */
final class PlainCalls {
    private static final long CALLER_MILLIS = 60_000;
    private static final long FLUSH_EVERY_MILLIS = 1_000;

    private final ReplicaEffects effects;
    private final GroupState group;
    private final ReplicaCounters counters;
    private final long patienceMillis;

    private final PlainCallers callers;
    private final ArrayDeque<Call> unstamped = new ArrayDeque<>();
    private long nextFlushMillis = Long.MIN_VALUE;

    private record Call(
            byte[] body,
            long fingerprint,
            boolean oneway,
            Principal principal,
            AnswerListener listener,
            long atMillis) {}

    PlainCalls(ReplicaOptions options, ReplicaEffects effects, GroupState group, ReplicaCounters counters) {
        this.effects = effects;
        this.group = group;
        this.counters = counters;
        this.patienceMillis = options.parameters().defaultDeadlineMillis();
        this.callers = new PlainCallers(options.plainClient());
    }

    void add(
            byte[] body,
            long fingerprint,
            boolean oneway,
            Principal principal,
            AnswerListener listener,
            long nowMillis) {
        counters.plainCall();
        unstamped.add(new Call(body, fingerprint, oneway, principal, listener, nowMillis));
    }

    /** The next call as an attempt that arrives; empty while the group has no time. */
    Optional<Arrival> next(long nowMillis) {
        if (unstamped.isEmpty() || !group.isStarted()) {
            return Optional.empty();
        }
        Call call = unstamped.poll();
        DecisionTable table = group.table();
        long timestamp = Math.max(table.upperMillis() + 1, group.clock().read(nowMillis));
        RequestId id = callers.nextId(call.principal, nowMillis);
        Request request = new Request(
                id,
                timestamp,
                timestamp + table.parameters().defaultDeadlineMillis(),
                call.fingerprint,
                call.oneway,
                call.body);
        return Optional.of(new Arrival(request, callers.finishedToSend(id.client()), call.principal, call.listener));
    }

    /** A request was answered; nothing happens if it is none of these. */
    void answered(RequestId id) {
        callers.answered(id);
    }

    /**
     * Whether the client makes one attempt, and so waits for a leader: plain and foreign clients do. Own clients try other
     * members and come back until their deadline. They lose nothing by an early refusal, and know then that the attempt did
     * not run.
     */
    boolean isOnlyAttempt(RequestId id) {
        return id.space() != Space.OWN || callers.isOne(id.client());
    }

    /** Acknowledges answered calls, and forgets callers, from time to time. */
    void onTick(long nowMillis, BiConsumer<ClientId, FinishedNumbers> acknowledge) {
        if (nowMillis >= nextFlushMillis) {
            nextFlushMillis = nowMillis + FLUSH_EVERY_MILLIS;
            callers.flush(nowMillis - CALLER_MILLIS, acknowledge);
        }
    }

    void giveUpOverdue(long nowMillis) {
        while (!unstamped.isEmpty() && nowMillis - unstamped.peek().atMillis > patienceMillis) {
            effects.answer(unstamped.poll().listener, group.overloaded(Budget.ORDER));
        }
    }

    void close() {
        unstamped.forEach(call -> effects.answer(call.listener, group.overloaded(Budget.ORDER)));
        unstamped.clear();
    }
}
