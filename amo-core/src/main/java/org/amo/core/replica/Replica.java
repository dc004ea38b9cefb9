package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;
import org.amo.core.replica.PeerMessage.WallClock;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.replica.Waiter.LocalCopy;
import org.amo.core.replica.Waiter.RemoteItem;
import org.amo.core.reply.ReplyStore;
import org.amo.core.request.Answer;
import org.amo.core.request.ClientId;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.rules.SafetyRule;
import org.amo.core.rules.SafetyRules;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;
import org.amo.core.wire.MalformedFrameException;
import org.amo.core.wire.WireReader;

/**
 * A member of a replicated service (paper 004 section 2.2; design sections 3 to 5): orders the copies that
 * clients send it, decides at delivery, has the accepted ones executed in order, keeps their replies, and
 * answers the copies that came over its own connections.
 *
 * <p>Two kinds of state. The {@link DecisionTable} is replicated: only {@link #onDelivered} changes it, from the
 * entry alone (I1, I2, I13). Who waits for what, and what is under way, is local and volatile.
 *
 * <p>I2: replicated state has one writer, the delivery of an ordered entry; ticks, acknowledgements that arrive and
 * executions that end change nothing of it but whether a reply is there. I9: a duplicate of a running request waits and
 * is answered; the last replica that received a copy owes the reply.
 *
 * <p>{@code nowMillis} is a monotonic clock, the same in all calls. Effects come last in each input and must not
 * call back. One thread owns it.
 */
public final class Replica {
    private static final int SNAPSHOT_VERSION = 1;
    private static final long RESUBMIT_AFTER_MILLIS = 2_000;
    private static final long RETRY_AFTER_REJECTION_MILLIS = 20;
    private static final long GRACE_MILLIS = 1_000;
    private static final long CLOCK_REPORT_EVERY_MILLIS = 1_000;
    private static final long STEP_WHEN_BEHIND_MILLIS = 500;
    private static final long LEADER_ENTRY_EVERY_MILLIS = 100;

    private final ReplicaOptions options;
    private final ReplicaEffects effects;
    private final ReplyStore replies;
    private final SafetyRules rules;
    private final GroupClock clock;

    private DecisionTable table;
    private long position;
    private final ExecutionProgress progress = new ExecutionProgress();

    private final Outbox outbox = new Outbox();

    /**
     * Who waits for what. An id alone may stand for another body, or for the next use of a foreign id. In order of
     * arrival, so that equal inputs give equal effects.
     */
    private final Map<PendingKey, PendingRequest> pending = new LinkedHashMap<>();

    /**
     * By the request that executes: who waits for its reply under another timestamp, and so stands elsewhere in
     * {@link #pending}. Without entries once nothing executes.
     */
    private final Map<PendingKey, List<PendingRequest>> joined = new HashMap<>();

    private final ArrayDeque<PlainCall> unstampedCalls = new ArrayDeque<>();
    private final NumberRanges plainFinished = new NumberRanges();
    private final ReplicaCounters counters = new ReplicaCounters();
    private List<String> members;
    private String leader = "";
    private long plainNumber;
    private boolean plainFinishedUnsent;
    private long wallMillis;
    private long wallAtMillis;
    private long nextClockReportMillis = Long.MIN_VALUE;
    private long nextLeaderEntryMillis = Long.MIN_VALUE;
    private long nextSubmitMillis = Long.MIN_VALUE;
    private boolean gathering;

    private record PendingKey(RequestId id, long fingerprint, long timestampMillis) {
        static PendingKey of(Request request) {
            return new PendingKey(request.id(), request.fingerprint(), request.timestampMillis());
        }
    }

    private record PlainCall(byte[] body, long fingerprint, boolean oneway, AnswerListener copy, long atMillis) {}

    public Replica(ReplicaOptions options, ReplicaEffects effects) {
        this(options, effects, ReplyStore.HEAP);
    }

    /** @param replies where replies are kept that clients may ask for again; used by the owner of this alone */
    public Replica(ReplicaOptions options, ReplicaEffects effects, ReplyStore replies) {
        this.replies = replies;
        this.options = options;
        this.effects = effects;
        this.rules = options.rules();
        this.members = options.members();
        this.clock = new GroupClock(members.size());
        this.table = new DecisionTable(rules, options.incarnation(), replies);
    }

    /** One copy of a client's request has arrived. */
    public void onCopy(Request request, FinishedNumbers finished, AnswerListener copy, long nowMillis) {
        onCopies(List.of(new Arrival(request, finished, copy)), nowMillis);
    }

    /** Copies that came together; what of them is to be ordered goes together. */
    public void onCopies(List<Arrival> copies, long nowMillis) {
        for (Arrival copy : copies) {
            arrived(copy, nowMillis);
        }
        pump(nowMillis);
    }

    private void arrived(Arrival arrival, long nowMillis) {
        Request request = stamped(arrival.request());
        AnswerListener copy = arrival.listener();
        RequestId id = request.id();
        FinishedNumbers carried = takeFinished(id.client(), arrival.finished());
        outbox.acknowledged(carried, nowMillis);
        Optional<Decision> known = table.peek(request);
        if (known.isPresent() && known.get().refusal().isPresent()) {
            outbox.add(id.client(), carried);
            effects.answer(copy, refused(known.get().refusal().get()));
            return;
        }
        Optional<byte[]> reply = known.isPresent() ? table.reply(id) : Optional.empty();
        if (reply.isPresent()) {
            counters.replayed();
            outbox.add(id.client(), carried);
            effects.answer(copy, replied(reply.get()));
            return;
        }
        PendingRequest waiting = pending.get(PendingKey.of(request));
        if (waiting == null && known.isEmpty() && replies.isFull()) {
            // At the door, before it is ordered: what is full here says nothing about the other members.
            outbox.add(id.client(), carried);
            effects.answer(copy, refused(Refusal.OVERLOADED));
            return;
        }
        if (waiting == null) {
            waiting = new PendingRequest(request, carried, nowMillis + patience(request, nowMillis));
            pending.put(PendingKey.of(request), waiting);
            if (known.isPresent()) {
                join(waiting);
                outbox.add(id.client(), carried);
            } else {
                outbox.add(waiting);
            }
        } else {
            outbox.add(id.client(), carried);
        }
        waiting.giveUpBy(nowMillis + patience(request, nowMillis));
        waiting.waiters().add(new LocalCopy(copy));
    }

    /** A call without an id: ordered under this replica's own, one message being one copy. */
    public void onPlainCall(byte[] body, long fingerprint, boolean oneway, AnswerListener copy, long nowMillis) {
        counters.plainCall();
        unstampedCalls.add(new PlainCall(body, fingerprint, oneway, copy, nowMillis));
        stampPlainCalls(nowMillis);
    }

    /** Acknowledgements without a request. */
    public void onFinished(ClientId client, FinishedNumbers finished, long nowMillis) {
        FinishedNumbers carried = takeFinished(client, finished);
        outbox.acknowledged(carried, nowMillis);
        outbox.add(client, carried);
        pump(nowMillis);
    }

    /** The entry at the next position of the order. */
    public void onDelivered(long at, byte[] bytes, long nowMillis) {
        if (at <= position) {
            throw new IllegalStateException("delivered again or out of order: position=" + at + " after " + position);
        }
        position = at;
        OrderedEntry entry;
        try {
            entry = OrderedEntry.decode(bytes);
        } catch (MalformedFrameException e) {
            // Equal bytes at every member, so every member drops it.
            counters.malformedEntry();
            progress.delivered(at, 0, 0);
            return;
        }
        boolean own = entry.origin().equals(options.id()) && entry.incarnation() == options.incarnation();
        Optional<Submission> submission = own ? outbox.find(entry.submission()) : Optional.empty();
        submission.ifPresent(Submission::ordered);
        Delivery delivery = new Delivery(entry, submission);
        if (advance(entry, nowMillis)) {
            for (int i = 0; i < entry.items().size(); i++) {
                deliver(entry.items().get(i), i, delivery);
            }
        }
        counters.delivered(entry, bytes.length);
        progress.delivered(at, delivery.decisions, delivery.executions.size());
        if (own) {
            submission
                    .filter(Submission::acknowledges)
                    .ifPresent(ours -> counters.acknowledgedAfter(nowMillis - ours.acknowledgedSinceMillis()));
            outbox.remove(entry.submission());
        }
        if (!delivery.executions.isEmpty()) {
            effects.execute(delivery.executions);
        }
        if (delivery.isForeignTo(this) && isLeader() && (!delivery.results.isEmpty() || !delivery.awaitsResults)) {
            effects.send(
                    entry.origin(), new Results(entry.incarnation(), entry.submission(), delivery.results).encode());
        }
        stampPlainCalls(nowMillis);
        pump(nowMillis);
    }

    /** Executions have ended, in order. */
    public void onExecuted(List<Execution> executions, List<byte[]> replies, long nowMillis) {
        Map<Submitted, List<Result>> results = new LinkedHashMap<>();
        for (int i = 0; i < executions.size(); i++) {
            Request request = executions.get(i).request();
            if (progress.watched().isPresent()) {
                progress.watched().get().executed(executions.get(i), replies.get(i));
            }
            progress.executed(executions.get(i), replies.get(i));
            table.complete(request, replies.get(i));
            PendingKey executed = PendingKey.of(request);
            PendingRequest waiting = pending.remove(executed);
            if (waiting != null) {
                answer(waiting, replied(replies.get(i)), results);
            }
            if (!joined.isEmpty()) {
                answerJoined(executed, replies.get(i), results);
            }
        }
        results.forEach(
                (to, list) -> effects.send(to.member, new Results(to.incarnation, to.submission, list).encode()));
        pump(nowMillis);
    }

    private void answerJoined(PendingKey executed, byte[] reply, Map<Submitted, List<Result>> results) {
        List<PendingRequest> others = joined.remove(executed);
        if (others == null) {
            return;
        }
        for (PendingRequest other : others) {
            if (!other.closed()) {
                pending.remove(PendingKey.of(other.request()), other);
                answer(other, replied(reply), results);
            }
        }
    }

    /** This submission will certainly never be delivered. */
    public void onRejected(long number, long nowMillis) {
        outbox.remove(number).ifPresent(submission -> {
            for (int i = 0; i < submission.items().size(); i++) {
                if (submission.firstDecision(i)) {
                    submission.request(i).ifPresent(waiting -> {
                        waiting.submissionEnded();
                        waiting.heldRefusal().ifPresent(refusal -> onRefusal(waiting, refusal, submission));
                    });
                }
            }
            if (!submission.isGivenUp()) {
                outbox.requeue(submission);
            }
        });
        nextSubmitMillis = nowMillis + RETRY_AFTER_REJECTION_MILLIS;
    }

    /** Who leads the ordered log; the empty string for nobody. */
    public void onLeader(String member, long nowMillis) {
        boolean anew = !member.isEmpty() && !member.equals(leader);
        leader = member;
        if (anew) {
            // What was on its way to the leader before may have died with it; if it did not, the second copy finds its
            // number live.
            resubmitOlderThan(nowMillis + 1);
        }
        pump(nowMillis);
    }

    /** Who belongs to the group from now on. No decision asks it: it is for the group's clock. */
    public void onMembers(List<String> ids) {
        members = List.copyOf(ids);
        clock.onMembers(members);
    }

    /** A message of another member. */
    public void onMessage(String member, byte[] bytes, long nowMillis) {
        PeerMessage message;
        try {
            message = PeerMessage.decode(bytes);
        } catch (MalformedFrameException e) {
            counters.malformedMessage();
            return;
        }
        if (message instanceof WallClock reported && members.contains(member)) {
            clock.onWallClock(member, reported.wallMillis(), nowMillis);
        } else if (message instanceof Results results && results.incarnation() == options.incarnation()) {
            outbox.find(results.submission()).ifPresent(submission -> onResults(submission, results.results()));
            pump(nowMillis);
        }
    }

    /** To be called about every 50 ms; all that waits for time to pass happens here. */
    public void onTick(long nowMillis, long wall) {
        wallMillis = wall;
        wallAtMillis = nowMillis;
        clock.onWallClock(options.id(), wall, nowMillis);
        if (nowMillis >= nextClockReportMillis) {
            nextClockReportMillis = nowMillis + CLOCK_REPORT_EVERY_MILLIS;
            byte[] report = new WallClock(wall).encode();
            members.stream()
                    .filter(member -> !member.equals(options.id()))
                    .forEach(member -> effects.send(member, report));
            flushPlainFinished();
        }
        if (!rules.holds(SafetyRule.EXPIRE_BY_ORDERED_TIME) && table.started()) {
            table.expireByLocalTime(wall);
        }
        if (isLeader() && nowMillis >= nextLeaderEntryMillis) {
            nextLeaderEntryMillis = nowMillis + LEADER_ENTRY_EVERY_MILLIS;
            submitLeaderEntry(nowMillis);
        }
        resubmitOlderThan(nowMillis - RESUBMIT_AFTER_MILLIS);
        giveUpOverdue(nowMillis);
        stampPlainCalls(nowMillis);
        onGathered(nowMillis);
    }

    /** No copy has come for a moment since {@link ReplicaEffects#gather}: what waits does not wait on for others. */
    public void onGathered(long nowMillis) {
        if (gathering) {
            gathering = false;
            outbox.gathered();
        }
        pump(nowMillis);
    }

    /** The shell is closing: whoever waits hears what is true now. */
    public void onClose() {
        for (PendingRequest waiting : new ArrayList<>(pending.values())) {
            giveUp(waiting);
        }
        pending.clear();
        joined.clear();
        for (PlainCall call : unstampedCalls) {
            effects.answer(call.copy, refused(Refusal.OVERLOADED));
        }
        unstampedCalls.clear();
    }

    /** Whether every delivered entry has been executed, so that a snapshot can be taken. */
    public boolean isSettled() {
        return progress.isIdle();
    }

    /**
     * Begins a snapshot of the client records, replies, group time, bounds and parameters at the present position (I7).
     * It is complete when everything up to here was executed; only one is in the making at a time.
     */
    public SnapshotCut cut() {
        SnapshotCut cut = new SnapshotCut(position, table.copyForSnapshot(), rules);
        progress.watch(cut);
        return cut;
    }

    /** The snapshot in the making will not be needed. */
    public void dropCut() {
        progress.unwatch();
    }

    /** A snapshot at the present position, up to which everything must have been executed. */
    public byte[] snapshot() {
        if (!isSettled()) {
            throw new IllegalStateException("executions are under way at position " + position);
        }
        return new SnapshotCut(position, table, rules).encodeAt(progress.executed(), progress.digest());
    }

    /**
     * Replaces everything by a snapshot, taken at a position beyond this replica's. Entries of this replica may be
     * among those jumped over, and their decisions are never heard of here: who waits for one hears the kept reply
     * or UNKNOWN, never a refusal.
     */
    public void install(byte[] snapshot, long nowMillis) {
        WireReader reader = new WireReader("snapshot", snapshot);
        int version = reader.u8("version");
        if (version != SNAPSHOT_VERSION) {
            throw reader.malformed("version", version);
        }
        long at = reader.i64("position");
        long executed = reader.i64("executed");
        if (at < 0 || executed < 0) {
            throw reader.malformed("position or executed", Math.min(at, executed));
        }
        long digest = reader.i64("digest");
        // What is kept now belongs to the table that this one replaces; a snapshot that cannot be read stops the
        // replica.
        replies.clear();
        DecisionTable installed = DecisionTable.read(rules, options.incarnation(), replies, reader);
        reader.end();
        if (!isSettled() || at < position) {
            throw new IllegalStateException("snapshot of position " + at + " cannot replace position " + position);
        }
        position = at;
        table = installed;
        progress.unwatch();
        progress.restore(at, executed, digest);
        if (table.started()) {
            clock.onDelivered(table.orderedTimeMillis(), nowMillis);
            if (!table.parameters().equals(options.parameters())) {
                effects.parametersDiffer(table.parameters());
            }
        }
        for (PendingRequest waiting : new ArrayList<>(pending.values())) {
            Request request = waiting.request();
            boolean live = table.peek(request).equals(Optional.of(Decision.LIVE));
            Optional<byte[]> reply = live ? table.reply(request.id()) : Optional.empty();
            if (reply.isPresent() || waiting.everSubmitted() || waiting.accepted()) {
                pending.remove(PendingKey.of(request));
                Answer unknown = Answer.unknown(table.orderedTimeMillis(), table.upperMillis());
                answer(waiting, reply.map(this::replied).orElse(unknown), new LinkedHashMap<>());
            }
        }
        joined.clear();
        outbox.beginAgain();
        pump(nowMillis);
    }

    public ReplicaStatus status() {
        return counters.status(
                options.id(), leader, position, progress, table, outbox.acknowledgementsWaiting(), outbox.queued());
    }

    /** Whether an entry has started the group: from then on it has a time and parameters. */
    public boolean started() {
        return table.started();
    }

    /** The member that orders now, as far as known here; empty when none is known. */
    public Optional<String> leader() {
        return leader.isEmpty() ? Optional.empty() : Optional.of(leader);
    }

    /** Of the last entry that was delivered here; 0 before the first. */
    public long position() {
        return position;
    }

    /** Every request up to it has been executed here. */
    public long executedPosition() {
        return progress.executedPosition();
    }

    /** Of {@link #status}, without the rest: comparable at equal executed positions. */
    public long digest() {
        return progress.digest();
    }

    /** The most resolved ranges that any client has here; for tests of what may not grow. */
    public int maxRanges() {
        return table.maxRanges();
    }

    /** Raises the group's time; false while the group has not started, when nothing is decided. */
    private boolean advance(OrderedEntry entry, long nowMillis) {
        if (entry.start().isPresent()) {
            GroupParameters proposed = rules.holds(SafetyRule.PARAMETERS_REPLICATED)
                    ? entry.start().get()
                    : options.parameters();
            if (table.start(entry.stampMillis(), proposed) && !proposed.equals(options.parameters())) {
                effects.parametersDiffer(proposed);
            }
        } else if (table.started()) {
            table.advance(entry.stampMillis());
        }
        if (!table.started()) {
            return false;
        }
        clock.onDelivered(table.orderedTimeMillis(), nowMillis);
        return true;
    }

    private void deliver(Item item, int index, Delivery delivery) {
        if (item.request().isEmpty() || rules.holds(SafetyRule.REFUSED_CARRIER_COUNTS)) {
            table.finished(item.client(), item.finished());
        }
        if (item.request().isEmpty()) {
            return;
        }
        Request request = item.request().get();
        Decision decision = table.decide(request);
        if (!rules.holds(SafetyRule.REFUSED_CARRIER_COUNTS)
                && decision.refusal().isEmpty()) {
            table.finished(item.client(), item.finished());
        }
        delivery.decisions = Digest.mix(Digest.mix(delivery.decisions, request.id()), decision.code());
        if (decision == Decision.EXECUTE) {
            delivery.executions.add(new Execution(position, table.orderedTimeMillis(), request));
        }
        boolean first =
                delivery.submission.isPresent() && delivery.submission.get().firstDecision(index);
        Optional<PendingRequest> ours =
                delivery.submission.isPresent() ? delivery.submission.get().request(index) : Optional.empty();
        if (first) {
            ours.ifPresent(PendingRequest::submissionEnded);
        }
        if (decision.refusal().isPresent()) {
            if (first) {
                ours.ifPresent(
                        waiting -> onRefusal(waiting, decision.refusal().get(), delivery.submission.orElseThrow()));
            } else if (delivery.isForeignTo(this)) {
                delivery.results.add(
                        new Result(index, refused(decision.refusal().get())));
            }
            return;
        }
        acceptedAt(request, index, decision, delivery);
    }

    /** Whoever waits here for it, over whichever member it was ordered, is answered when the reply is there. */
    private void acceptedAt(Request request, int index, Decision decision, Delivery delivery) {
        Optional<byte[]> reply = decision == Decision.LIVE ? table.reply(request.id()) : Optional.empty();
        if (reply.isPresent()) {
            PendingRequest waiting = pending.remove(PendingKey.of(request));
            if (waiting != null) {
                counters.replayed();
                answer(waiting, replied(reply.get()), new LinkedHashMap<>());
            }
            if (delivery.isForeignTo(this)) {
                delivery.results.add(new Result(index, replied(reply.get())));
            }
            return;
        }
        if (delivery.isForeignTo(this) && isLeader()) {
            delivery.awaitsResults = true;
            pending.computeIfAbsent(
                            PendingKey.of(request),
                            key -> new PendingRequest(request, FinishedNumbers.NONE, Long.MAX_VALUE))
                    .waiters()
                    .add(new RemoteItem(
                            delivery.entry.origin(), delivery.entry.incarnation(), delivery.entry.submission(), index));
        }
        PendingRequest waiting = pending.get(PendingKey.of(request));
        if (waiting != null && decision == Decision.LIVE) {
            join(waiting);
        } else if (waiting != null) {
            waiting.accept();
        }
    }

    /** Its number is live and not answered yet: another copy runs, one with its timestamp or with another. */
    private void join(PendingRequest waiting) {
        waiting.accept();
        Request request = waiting.request();
        table.liveTimestampMillis(request.id())
                .filter(running -> running != request.timestampMillis())
                .map(running -> new PendingKey(request.id(), request.fingerprint(), running))
                .ifPresent(running -> joined.computeIfAbsent(running, key -> new ArrayList<>(1))
                        .add(waiting));
    }

    /** The leader has decided or executed items of an entry of ours; our own delivery may come much later. */
    private void onResults(Submission submission, List<Result> results) {
        submission.ordered();
        for (Result result : results) {
            Optional<PendingRequest> ours = submission.request(result.item());
            if (ours.isEmpty()) {
                continue;
            }
            if (submission.firstDecision(result.item())) {
                ours.get().submissionEnded();
            }
            if (ours.get().closed()) {
                continue;
            }
            if (result.answer().refusal().isPresent()) {
                onRefusal(ours.get(), result.answer().refusal().get(), submission);
            } else {
                pending.remove(PendingKey.of(ours.get().request()), ours.get());
                answer(ours.get(), result.answer(), new LinkedHashMap<>());
            }
        }
    }

    /**
     * A submission of ours was refused. TOO_EARLY and OVERLOADED may turn into an acceptance when another
     * submission of the same copy is delivered, and STALE may be because another ran where this member did not
     * see it (in a snapshot), so they wait for all (D5). EXPIRED and ID_REUSED speak for all of them.
     */
    private void onRefusal(PendingRequest waiting, Refusal refusal, Submission submission) {
        boolean forEver = refusal == Refusal.EXPIRED || refusal == Refusal.ID_REUSED;
        if (waiting.closed() || waiting.accepted()) {
            return;
        }
        if (forEver || waiting.submissionsOut() == 0 || !rules.holds(SafetyRule.REFUSE_AFTER_ALL_SUBMISSIONS)) {
            pending.remove(PendingKey.of(waiting.request()), waiting);
            answer(waiting, refused(refusal), new LinkedHashMap<>());
        } else {
            waiting.holdRefusal(refusal, submission);
        }
    }

    private void answer(PendingRequest waiting, Answer answer, Map<Submitted, List<Result>> results) {
        for (Waiter waiter : waiting.waiters()) {
            if (waiter instanceof LocalCopy copy) {
                effects.answer(copy.listener(), answer);
            } else if (waiter instanceof RemoteItem remote) {
                results.computeIfAbsent(
                                new Submitted(remote.member(), remote.incarnation(), remote.submission()),
                                key -> new ArrayList<>())
                        .add(new Result(remote.item(), answer));
            }
        }
        waiting.close();
        RequestId id = waiting.request().id();
        if (id.client().equals(options.plainClient())) {
            plainFinished.add(id.number(), id.number());
            plainFinishedUnsent = true;
        }
    }

    private record Submitted(String member, long incarnation, long submission) {}

    private void giveUpOverdue(long nowMillis) {
        for (Iterator<PendingRequest> all = pending.values().iterator(); all.hasNext(); ) {
            PendingRequest waiting = all.next();
            if (waiting.isOverdue(nowMillis)) {
                all.remove();
                giveUp(waiting);
            }
        }
        while (!unstampedCalls.isEmpty()
                && nowMillis - unstampedCalls.peek().atMillis
                        > options.parameters().defaultDeadlineMillis()) {
            effects.answer(unstampedCalls.poll().copy, refused(Refusal.OVERLOADED));
        }
    }

    /** Never submitted and never to be: it did not run. Otherwise nobody here can tell. */
    private void giveUp(PendingRequest waiting) {
        boolean certain = !waiting.everSubmitted() && !waiting.accepted();
        Answer answer =
                certain ? refused(Refusal.OVERLOADED) : Answer.unknown(table.orderedTimeMillis(), table.upperMillis());
        answer(waiting, answer, new LinkedHashMap<>());
    }

    private void resubmitOlderThan(long submittedBeforeMillis) {
        for (Submission overdue : outbox.giveUpOlderThan(submittedBeforeMillis)) {
            outbox.requeue(overdue);
        }
    }

    private void pump(long nowMillis) {
        if (leader.isEmpty() || !table.started() || nowMillis < nextSubmitMillis) {
            return;
        }
        Optional<Submission> next = outbox.next(nowMillis, table::news);
        while (next.isPresent()) {
            gathering = false;
            submit(next.get(), stamp(nowMillis), Optional.empty());
            next = outbox.next(nowMillis, table::news);
        }
        if (outbox.isGathering(nowMillis) && !gathering) {
            gathering = true;
            effects.gather();
        }
    }

    /** What only the leader orders by itself: the start, a step of the clock, a tick when something can expire. */
    private void submitLeaderEntry(long nowMillis) {
        if (nowMillis < nextSubmitMillis) {
            return;
        }
        Optional<Long> wall = clock.reachedWall(nowMillis);
        if (!table.started()) {
            Optional<Long> start = clock.startWall(options.parameters().skewMillis() / 2, nowMillis);
            if (start.isPresent() && outbox.isIdle()) {
                submit(outbox.empty(nowMillis), start.get(), Optional.of(options.parameters()));
            }
        } else if (wall.isPresent() && wall.get() - clock.read(nowMillis) > STEP_WHEN_BEHIND_MILLIS) {
            nextLeaderEntryMillis = nowMillis + CLOCK_REPORT_EVERY_MILLIS;
            submit(outbox.empty(nowMillis), wall.get(), Optional.empty());
        } else if (outbox.isIdle() && table.nextWakeMillis() <= clock.read(nowMillis)) {
            submit(outbox.empty(nowMillis), stamp(nowMillis), Optional.empty());
        }
    }

    private void submit(Submission submission, long stampMillis, Optional<GroupParameters> start) {
        OrderedEntry entry = new OrderedEntry(
                options.id(), options.incarnation(), submission.number(), stampMillis, start, submission.items());
        effects.submit(submission.number(), entry.encode());
    }

    private long stamp(long nowMillis) {
        return rules.holds(SafetyRule.GROUP_CLOCK) ? clock.read(nowMillis) : wallMillis + nowMillis - wallAtMillis;
    }

    private void stampPlainCalls(long nowMillis) {
        if (!clock.started()) {
            return;
        }
        while (!unstampedCalls.isEmpty()) {
            PlainCall call = unstampedCalls.poll();
            long timestamp = Math.max(table.upperMillis() + 1, clock.read(nowMillis));
            plainFinishedUnsent = false;
            onCopy(
                    new Request(
                            RequestId.own(options.plainClient(), ++plainNumber),
                            timestamp,
                            timestamp + table.parameters().defaultDeadlineMillis(),
                            call.fingerprint,
                            call.oneway,
                            call.body),
                    plainFinished.toFinished(0, FinishedNumbers.MAX_RANGES),
                    call.copy,
                    nowMillis);
        }
    }

    private void flushPlainFinished() {
        if (plainFinishedUnsent) {
            plainFinishedUnsent = false;
            outbox.add(options.plainClient(), plainFinished.toFinished(0, FinishedNumbers.MAX_RANGES));
        }
    }

    /** Only the simulator's planted bug applies them here, outside the order. */
    private FinishedNumbers takeFinished(ClientId client, FinishedNumbers finished) {
        if (rules.holds(SafetyRule.SACK_IN_ORDER)) {
            return finished;
        }
        if (table.started()) {
            table.finished(client, finished);
        }
        return FinishedNumbers.NONE;
    }

    /**
     * A foreign request carries no timestamp: it is its expiration minus ρ, the group's and not this member's, so that
     * every member takes its copies for the same request (D11, D15).
     */
    private Request stamped(Request request) {
        if (request.id().space() == Space.OWN || !table.started()) {
            return request;
        }
        long timestamp = request.deadlineMillis() - table.parameters().retentionMillis();
        return timestamp == request.timestampMillis()
                ? request
                : new Request(
                        request.id(),
                        timestamp,
                        request.deadlineMillis(),
                        request.fingerprint(),
                        request.oneway(),
                        request.body());
    }

    /** How long a copy waits here: until its deadline in the group's time, and a little. */
    private long patience(Request request, long nowMillis) {
        if (!clock.started()) {
            return options.parameters().defaultDeadlineMillis();
        }
        long left = Math.max(0, request.deadlineMillis() - clock.read(nowMillis));
        return Math.min(left, table.parameters().lifeMillis()) + GRACE_MILLIS;
    }

    private boolean isLeader() {
        return leader.equals(options.id());
    }

    private Answer replied(byte[] reply) {
        return Answer.reply(reply, table.orderedTimeMillis(), table.upperMillis());
    }

    private Answer refused(Refusal refusal) {
        return Answer.refused(refusal, table.orderedTimeMillis(), table.upperMillis());
    }

    /** What comes of delivering one entry. */
    private static final class Delivery {
        private final OrderedEntry entry;
        private final Optional<Submission> submission;
        private final List<Execution> executions = new ArrayList<>();
        private final List<Result> results = new ArrayList<>();
        private boolean awaitsResults;
        private long decisions;

        private Delivery(OrderedEntry entry, Optional<Submission> submission) {
            this.entry = entry;
            this.submission = submission;
        }

        /** Submitted by another member, who may want to hear the result from the leader. */
        private boolean isForeignTo(Replica replica) {
            return !entry.origin().equals(replica.options.id());
        }
    }
}
