package org.amo.core.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.Waiter.LocalCopy;
import org.amo.core.replica.Waiter.RemoteItem;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * The requests that wait for an answer: attempts over this replica's own connections and, at the leader, items of other
 * members' entries. A duplicate of a running request waits and is answered with it. The last replica that received an
 * attempt owes the reply.
 *
 * <p>Volatile; one thread owns it.
 */
class Waiters {
    private final ReplicaEffects effects;
    private final GroupState group;
    private final PlainCalls plainCalls;
    private final ReplicaCounters counters;

    /**
     * The waiting requests. An id alone may stand for another body, or for the next use of a foreign id. In order of
     * arrival, so that equal inputs give equal effects.
     */
    private final Map<Key, PendingRequest> pending = new LinkedHashMap<>();

    /**
     * By the request that executes: the requests that wait for its reply under another timestamp, and so stand elsewhere in
     * {@link #pending}. Without entries once nothing executes.
     */
    private final Map<Key, List<PendingRequest>> joined = new HashMap<>();

    /** Answers to other members' items since {@link #sendResults}. */
    private final Map<Origin, ToldResults> results = new LinkedHashMap<>();

    /** Clients choose its parts, and so many keys of one hash: their order keeps the search for one of them short. */
    record Key(RequestId id, long fingerprint, long timestampMillis) implements Comparable<Key> {
        private static final Comparator<Key> ORDER = Comparator.comparing(Key::id)
                .thenComparingLong(Key::fingerprint)
                .thenComparingLong(Key::timestampMillis);

        static Key of(Request request) {
            return new Key(request.id(), request.fingerprint(), request.timestampMillis());
        }

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private record Origin(String member, long incarnation, long submission) {}

    Waiters(ReplicaEffects effects, GroupState group, PlainCalls plainCalls, ReplicaCounters counters) {
        this.effects = effects;
        this.group = group;
        this.plainCalls = plainCalls;
        this.counters = counters;
    }

    Optional<PendingRequest> find(Request request) {
        return Optional.ofNullable(pending.get(Key.of(request)));
    }

    /** A request begins to wait. */
    PendingRequest add(Request request, Principal principal, FinishedNumbers finished, long giveUpAtMillis) {
        PendingRequest waiting = new PendingRequest(request, principal, finished, giveUpAtMillis);
        pending.put(Key.of(request), waiting);
        return waiting;
    }

    /** Its number is live and not answered yet: another attempt runs, one with its timestamp or with another. */
    void join(PendingRequest waiting) {
        waiting.accept();
        Request request = waiting.request();
        group.table()
                .liveTimestampMillis(request.id())
                .filter(running -> running != request.timestampMillis())
                .map(running -> new Key(request.id(), request.fingerprint(), running))
                .ifPresent(running -> joined.computeIfAbsent(running, key -> new ArrayList<>(1))
                        .add(waiting));
    }

    // ------------------------------------------------- delivered, or heard of

    /** The leader owes another member the answer to an item of its entry. */
    void awaits(Request request, RemoteItem item) {
        find(request)
                .orElseGet(() -> add(request, Principal.UNKNOWN, FinishedNumbers.NONE, Long.MAX_VALUE))
                .waiters()
                .add(item);
    }

    /** A submission of it was accepted, by any member: all that wait for it here are answered when the reply is there. */
    void onAccepted(Request request, boolean runs) {
        find(request).ifPresent(runs ? this::join : PendingRequest::accept);
    }

    /** Its reply was there when it was delivered. */
    void onReplay(Request request, byte[] reply) {
        find(request).ifPresent(waiting -> {
            counters.replayed();
            answer(waiting, group.replied(reply));
        });
    }

    /** The leader has decided or executed items of an entry of ours; our own delivery may come much later. */
    void onResults(Submission submission, List<Result> decided) {
        submission.ordered();
        for (Result result : decided) {
            submission.decided(result.item());
            Optional<PendingRequest> ours = submission.request(result.item()).filter(waiting -> !waiting.closed());
            if (result.answer().refusal().isPresent()) {
                ours.ifPresent(waiting -> onRefusal(waiting, result.answer(), submission));
            } else {
                ours.ifPresent(waiting -> answer(waiting, result.answer()));
            }
        }
    }

    /** The submission will never be delivered. */
    void onRejected(Submission submission) {
        for (int i = 0; i < submission.items().size(); i++) {
            submission.decided(i).ifPresent(waiting -> waiting.heldRefusal()
                    .ifPresent(refusal -> onRefusal(waiting, refusal, submission)));
        }
    }

    /**
     * A submission of ours was refused. TOO_EARLY and OVERLOADED may turn into an acceptance when another submission of the
     * same request is delivered. STALE may be because another ran where this member did not see it (in a snapshot). So these
     * wait for all submissions. EXPIRED and ID_REUSED speak for all of them.
     */
    void onRefusal(PendingRequest waiting, Answer refused, Submission submission) {
        Refusal refusal = refused.refusal().orElseThrow();
        boolean forEver = refusal == Refusal.EXPIRED || refusal == Refusal.ID_REUSED;
        if (waiting.closed() || waiting.accepted()) {
            return;
        }
        if (forEver || mayRefuse(waiting)) {
            answer(waiting, group.asOfNow(refused));
        } else {
            waiting.holdRefusal(refused, submission);
        }
    }

    /** Whether a refusal may be told now: another submission of the same request could still be accepted. */
    boolean mayRefuse(PendingRequest waiting) {
        return waiting.submissionsOut() == 0;
    }

    // ------------------------------------------------- executed

    void onExecuted(Request request, byte[] reply) {
        find(request).ifPresent(waiting -> answerAll(waiting, group.replied(reply)));
        if (!joined.isEmpty()) {
            Optional.ofNullable(joined.remove(Key.of(request))).orElse(List.of()).stream()
                    .filter(other -> !other.closed())
                    .forEach(other -> answerAll(other, group.replied(reply)));
        }
    }

    /** Sends the results of executions that other members wait for. */
    void sendResults() {
        results.forEach((to, told) ->
                effects.send(to.member, told.of(to.incarnation, to.submission).encode()));
        results.clear();
    }

    /** The member may answer from its own executions from now on. */
    void onCaughtUp() {
        for (PendingRequest waiting : List.copyOf(pending.values())) {
            if (waiting.accepted()) {
                group.keptReply(waiting.request()).ifPresent(reply -> answer(waiting, group.replied(reply)));
            }
        }
    }

    /**
     * A snapshot took the place of entries. Entries of this replica may be among those jumped over, and their decisions are
     * never heard of here: a waiter for one gets the kept reply or UNKNOWN, never a refusal.
     */
    void onRestored() {
        for (PendingRequest waiting : List.copyOf(pending.values())) {
            Optional<byte[]> reply = group.keptReply(waiting.request());
            if (reply.isPresent() || waiting.mayRun()) {
                answer(waiting, reply.map(group::replied).orElseGet(group::unknown));
            }
        }
        joined.clear();
    }

    // ------------------------------------------------- given up

    /** @param leaderless whether attempts of clients that come back are refused for want of a leader */
    void giveUpOverdue(boolean leaderless, long nowMillis) {
        for (PendingRequest waiting : List.copyOf(pending.values())) {
            boolean refused = leaderless
                    && !waiting.mayRun()
                    && !plainCalls.isOnlyAttempt(waiting.request().id());
            if (refused || waiting.isOverdue(nowMillis)) {
                giveUp(waiting);
            }
        }
    }

    void close() {
        List.copyOf(pending.values()).forEach(this::giveUp);
        joined.clear();
    }

    /**
     * Without a submission in the order, and without one to come, this attempt did not run. Otherwise no member can tell.
     */
    private void giveUp(PendingRequest waiting) {
        answer(waiting, waiting.mayRun() ? group.unknown() : group.overloaded(Budget.ORDER));
    }

    /** Answers the members that wait, too. */
    private void answerAll(PendingRequest waiting, Answer answer) {
        for (Waiter waiter : waiting.waiters()) {
            if (waiter instanceof RemoteItem remote) {
                Origin origin = new Origin(remote.member(), remote.incarnation(), remote.submission());
                results.computeIfAbsent(origin, key -> new ToldResults()).add(new Result(remote.item(), answer));
            }
        }
        answer(waiting, answer);
    }

    /** Answers the attempts over own connections. */
    private void answer(PendingRequest waiting, Answer answer) {
        pending.remove(Key.of(waiting.request()), waiting);
        for (Waiter waiter : waiting.waiters()) {
            if (waiter instanceof LocalCopy copy) {
                effects.answer(copy.listener(), answer);
            }
        }
        waiting.close();
        plainCalls.answered(waiting.request().id());
    }
}
