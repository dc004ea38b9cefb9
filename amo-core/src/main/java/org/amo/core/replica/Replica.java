package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.core.order.LogHealth;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;
import org.amo.core.replica.PeerMessage.WallClock;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.replica.Waiter.LocalCopy;
import org.amo.core.replica.Waiter.RemoteItem;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;

/**
 * A member of a replicated service (Friedman and Hadad, section 2.2; docs/explanation/safety.md): orders the attempts that clients send
 * it, decides at delivery, has the accepted ones executed in order, keeps their replies, and answers the attempts that came
 * over its own connections.
 *
 * <p>Two kinds of state. The {@link DecisionTable} is replicated: only {@link #onDelivered} changes it, from the entry
 * alone. The waiting attempts and the submissions under way are local and volatile.
 *
 * <p>Replicated state has one writer, the delivery of an ordered entry. Ticks, acknowledgements that arrive and executions
 * that end change nothing of it but whether a reply is there. A duplicate of a running request waits and is answered; the
 * last replica that received an attempt owes the reply.
 *
 * <p>{@code nowMillis} is a monotonic clock, the same in all calls. Effects come last in each input and must not call back.
 * One thread owns it.
 */
public class Replica {
    private static final int SNAPSHOT_VERSION = 2;
    private static final long RESUBMIT_AFTER_MILLIS = 2_000;
    private static final long RETRY_AFTER_REJECTION_MILLIS = 20;
    private static final long PLAIN_CALLER_MILLIS = 60_000;

    /** Without a leader for that long, attempts of own clients are refused: an election takes less. */
    private static final long LEADERLESS_MILLIS = 1_000;

    private static final long LEADER_KNOWN = Long.MAX_VALUE;
    private static final long CLOCK_REPORT_EVERY_MILLIS = 1_000;
    private static final long STEP_WHEN_BEHIND_MILLIS = 500;
    private static final long LEADER_ENTRY_EVERY_MILLIS = 100;

    private final ReplicaOptions options;
    private final ReplicaEffects effects;
    private final RecordMemory memory;
    private final Function<RecordMemory, DecisionTable> tables;
    private final GroupClock clock;

    private DecisionTable table;
    private long position;
    private final ExecutionProgress progress = new ExecutionProgress();
    private final HeldRequests held;

    /**
     * Whether an entry of this process has been delivered, so that all that was ordered before this member took part has
     * been, too. A member that is new may run a request that the group skipped further on; until then no client gets a
     * result of its executions, and it takes no snapshot.
     */
    private boolean caughtUp = true;

    /** False until an entry of this process has been delivered, if the shell has to learn its position. */
    private boolean takesPart = true;

    private long nextMarkerMillis = Long.MIN_VALUE;

    private final Batcher outbox = new Batcher();

    /**
     * The waiting requests. An id alone may stand for another body, or for the next use of a foreign id. In order of
     * arrival, so that equal inputs give equal effects.
     */
    private final Map<PendingKey, PendingRequest> pending = new LinkedHashMap<>();

    /**
     * By the request that executes: the requests that wait for its reply under another timestamp, and so stand elsewhere in
     * {@link #pending}. Without entries once nothing executes.
     */
    private final Map<PendingKey, List<PendingRequest>> joined = new HashMap<>();

    private final ArrayDeque<PlainCall> unstampedCalls = new ArrayDeque<>();
    private final PlainCallers plainCallers;
    private final ReplicaCounters counters = new ReplicaCounters();
    private List<String> members;
    private String leader = "";
    private long leaderlessSinceMillis = LEADER_KNOWN;
    private long nextClockReportMillis = Long.MIN_VALUE;
    private long nextLeaderEntryMillis = Long.MIN_VALUE;
    private long nextSubmitMillis = Long.MIN_VALUE;
    private boolean gathering;

    private record PendingKey(RequestId id, long fingerprint, long timestampMillis) {
        static PendingKey of(Request request) {
            return new PendingKey(request.id(), request.fingerprint(), request.timestampMillis());
        }
    }

    private record PlainCall(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener copy, long atMillis) {}

    public Replica(ReplicaOptions options, ReplicaEffects effects) {
        this(options, effects, RecordMemory.heap(options.incarnation()));
    }

    /** @param memory of the records of clients and of their replies; used by the owner of this alone */
    @SuppressWarnings("exports") // it comes from amo's own modules
    public Replica(ReplicaOptions options, ReplicaEffects effects, RecordMemory memory) {
        this(options, effects, memory, SkipRule.UNANIMOUS);
    }

    /** @param skipRule the same at all members */
    @SuppressWarnings("exports") // as above
    public Replica(ReplicaOptions options, ReplicaEffects effects, RecordMemory memory, SkipRule skipRule) {
        this(options, effects, memory, skipRule, DecisionTable::new);
    }

    Replica(
            ReplicaOptions options,
            ReplicaEffects effects,
            RecordMemory memory,
            SkipRule skipRule,
            Function<RecordMemory, DecisionTable> tables) {
        this.memory = memory;
        this.tables = tables;
        this.plainCallers = new PlainCallers(options.plainClient());
        this.held = new HeldRequests(options, effects, progress, skipRule);
        this.options = options;
        this.effects = effects;
        this.members = options.members();
        this.clock = new GroupClock(members.size());
        this.table = tables.apply(memory);
    }

    /** One attempt of a client's request has arrived, of a principal that is not known. */
    public void onCopy(Request request, FinishedNumbers finished, AnswerListener copy, long nowMillis) {
        onCopies(List.of(new Arrival(request, finished, Principal.UNKNOWN, copy)), nowMillis);
    }

    /** Attempts that came together; those that are to be ordered go together. */
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
        FinishedNumbers carried = carried(id.client(), arrival.finished());
        outbox.acknowledged(carried, nowMillis);
        Optional<Decision> known = table.peek(request);
        if (!caughtUp && known.equals(Optional.of(Decision.LIVE))) {
            known = Optional.empty();
        }
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
        if (waiting == null && known.isEmpty()) {
            Optional<Budget> exhausted = exhaustedHere(request, arrival.principal(), carried, nowMillis);
            if (exhausted.isPresent()) {
                outbox.add(id.client(), carried);
                counters.overloadedAtDoor(exhausted.get());
                plainCallers.answered(id);
                effects.answer(copy, overloaded(exhausted.get()));
                return;
            }
        }
        if (waiting == null) {
            waiting =
                    new PendingRequest(request, arrival.principal(), carried, nowMillis + patience(request, nowMillis));
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

    /** The exhausted budget for which an attempt is refused at the door, before it is ordered; it certainly does not run. */
    private Optional<Budget> exhaustedHere(
            Request request, Principal principal, FinishedNumbers carried, long nowMillis) {
        // A full store, a request that is held or a missing majority here says nothing about other members.
        if (memory.replies().isFull()) {
            return Optional.of(Budget.MEMBER_REPLIES);
        }
        if (held.isHolding() || isRefusedForWantOfALeader(request.id(), nowMillis)) {
            return Optional.of(Budget.ORDER);
        }
        // A carrier of new acknowledgements may make room by them.
        if (!table.news(request.id().client(), carried).isEmpty()) {
            return Optional.empty();
        }
        if (table.replyBytes(request) > memory.replies().mostHeapBytes() - table.replyBytes()) {
            return Optional.of(Budget.MEMBER_REPLIES);
        }
        // An attempt that the order would refuse now need not be ordered: a storm of such attempts must not fill the
        // log.
        return table.shortage(request, principal);
    }

    /** A call without an id: ordered under this replica's own, one message being one attempt. */
    public void onPlainCall(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener copy, long nowMillis) {
        counters.plainCall();
        unstampedCalls.add(new PlainCall(body, fingerprint, oneway, principal, copy, nowMillis));
        stampPlainCalls(nowMillis);
    }

    /** Acknowledgements without a request. */
    public void onFinished(ClientId client, FinishedNumbers finished, long nowMillis) {
        FinishedNumbers carried = carried(client, finished);
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
        held.entry(entry.origin(), at);
        boolean nowTakesPart = own && !takesPart;
        takesPart |= own;
        boolean nowCaughtUp = own && !caughtUp;
        caughtUp |= own;
        Delivery delivery = new Delivery(entry, submission);
        Optional<Place> verdict = Optional.empty();
        if (advance(entry, nowMillis)) {
            for (int i = 0; i < entry.items().size(); i++) {
                deliver(entry.items().get(i), i, delivery);
            }
            verdict = entry.report().filter(report -> heard(report, delivery)).map(ExecutionReport::place);
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
        verdict.ifPresent(held::onVerdict);
        if (nowTakesPart) {
            effects.takesPart(at);
        }
        if (nowCaughtUp) {
            answerWhatIsThere();
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
            held.executed(executions.get(i).place());
            PendingKey executed = PendingKey.of(request);
            PendingRequest waiting = caughtUp ? pending.remove(executed) : null;
            if (waiting != null) {
                answer(waiting, replied(replies.get(i)), results);
            }
            if (!joined.isEmpty() && caughtUp) {
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

    /** The leader of the ordered log; the empty string while none is known. */
    public void onLeader(String member, long nowMillis) {
        boolean anew = !member.isEmpty() && !member.equals(leader);
        leader = member;
        leaderlessSinceMillis = member.isEmpty() ? Math.min(leaderlessSinceMillis, nowMillis) : LEADER_KNOWN;
        if (anew) {
            // Submissions on their way to the former leader may have died with it; if one did not, the second finds its
            // number live.
            resubmitOlderThan(nowMillis + 1);
        }
        pump(nowMillis);
    }

    /**
     * The members from here on, in the order of the log. Used by the group's clock and by reports of requests that end
     * members, never by a decision about an attempt.
     */
    public void onMembers(List<String> ids) {
        members = List.copyOf(ids);
        held.onMembers(members, position);
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
        if (leader.isEmpty()) {
            leaderlessSinceMillis = Math.min(leaderlessSinceMillis, nowMillis);
        }
        if (WallClock.isPossible(wall)) {
            clock.onWallClock(options.id(), wall, nowMillis);
        }
        if (nowMillis >= nextClockReportMillis) {
            nextClockReportMillis = nowMillis + CLOCK_REPORT_EVERY_MILLIS;
            if (WallClock.isPossible(wall)) {
                byte[] report = new WallClock(wall).encode();
                members.stream()
                        .filter(member -> !member.equals(options.id()))
                        .forEach(member -> effects.send(member, report));
            }
            plainCallers.flush(nowMillis - PLAIN_CALLER_MILLIS, outbox::add);
        }
        if (isLeader() && nowMillis >= nextLeaderEntryMillis) {
            nextLeaderEntryMillis = nowMillis + LEADER_ENTRY_EVERY_MILLIS;
            submitLeaderEntry(nowMillis);
        }
        if (!leader.isEmpty() && table.started()) {
            held.toSay(position, nowMillis)
                    .forEach(report ->
                            submit(outbox.empty(nowMillis), stamp(nowMillis), Optional.empty(), Optional.of(report)));
            if (!takesPart && nowMillis >= nextMarkerMillis) {
                nextMarkerMillis = nowMillis + RESUBMIT_AFTER_MILLIS;
                submit(outbox.empty(nowMillis), stamp(nowMillis), Optional.empty());
            }
        }
        resubmitOlderThan(nowMillis - RESUBMIT_AFTER_MILLIS);
        giveUpOverdue(nowMillis);
        stampPlainCalls(nowMillis);
        onGathered(nowMillis);
    }

    /** No attempt has come for a moment since {@link ReplicaEffects#gather}: the queue does not wait on for others. */
    public void onGathered(long nowMillis) {
        if (gathering) {
            gathering = false;
            outbox.gathered();
        }
        pump(nowMillis);
    }

    /** The notes of earlier processes. Before the first delivery, and after {@link ReplicaEffects#takesPart}. */
    public void onNotes(ExecutionNotes notes) {
        if (!notes.hasTakenPart()) {
            isNew();
        }
        if (notes.knowsHowFarItRan()) {
            notes.ran().ifPresent(this::onRanEarlier);
            notes.died().ifPresent(notes.diedOfWhatRan() ? this::onDiedOfWhatRan : this::onDied);
            notes.held().forEach(this::onHeld);
        } else {
            lacksNotes();
        }
    }

    /**
     * No earlier process of this member took part in the group. The group may be old, so this member answers no attempt from
     * its executions until an entry of its own has been delivered.
     */
    void isNew() {
        caughtUp = false;
        takesPart = false;
    }

    /** The executions of earlier processes are unknown: the shell has to learn the position of this process's first entry. */
    void lacksNotes() {
        takesPart = false;
    }

    /** Whether a snapshot of this member holds nothing that the group may have skipped further on. */
    public boolean isCaughtUp() {
        return caughtUp;
    }

    /** Earlier processes executed the requests up to here, or may have, and clients may have their replies. */
    void onRanEarlier(Place last) {
        held.ranEarlier(last);
    }

    /** A request ended this member's processes more than once; the member holds it. */
    void onDied(Place place) {
        held.died(place);
    }

    /** As {@link #onDied}, if an earlier process had executed the request, or may have. */
    void onDiedOfWhatRan(Place place) {
        held.diedOfWhatRan(place);
    }

    /** The request of {@link ReplicaEffects#hold} has not begun, and does not begin. */
    public void onHeld(Place place) {
        held.held(place);
    }

    /** A report was delivered. @return whether its request is skipped from here on */
    private boolean heard(ExecutionReport report, Delivery delivery) {
        boolean verdict = held.report(delivery.entry.origin(), report);
        Place place = report.place();
        delivery.decisions = Digest.mix(Digest.mix(delivery.decisions, place.position()), place.index());
        delivery.decisions =
                Digest.mix(delivery.decisions, verdict ? 0 : report.word().code());
        return verdict;
    }

    /** Answers attempts that waited for this member to catch up. */
    private void answerWhatIsThere() {
        for (PendingRequest waiting : new ArrayList<>(pending.values())) {
            Request request = waiting.request();
            Optional<byte[]> reply = table.peek(request).equals(Optional.of(Decision.LIVE))
                    ? table.reply(request.id())
                    : Optional.empty();
            if (waiting.accepted() && reply.isPresent()) {
                pending.remove(PendingKey.of(request));
                answer(waiting, replied(reply.get()), new LinkedHashMap<>());
            }
        }
    }

    /** The shell is closing: each waiting attempt gets the answer that is true now. */
    public void onClose() {
        for (PendingRequest waiting : new ArrayList<>(pending.values())) {
            giveUp(waiting);
        }
        pending.clear();
        joined.clear();
        for (PlainCall call : unstampedCalls) {
            effects.answer(call.copy, overloaded(Budget.ORDER));
        }
        unstampedCalls.clear();
    }

    /** Whether every delivered entry has been executed, so that a snapshot can be taken. */
    public boolean isSettled() {
        return progress.isIdle();
    }

    /**
     * Begins a snapshot of the client records, replies, group time, bounds and parameters at the present position. It is
     * complete when everything up to here was executed; only one is in the making at a time.
     */
    public SnapshotCut cut() {
        SnapshotCut cut = new SnapshotCut(position, tableOfSnapshot(table.copyForSnapshot()), held.copyOfSkipped());
        progress.watch(cut);
        return cut;
    }

    /** The records that go into a snapshot. */
    DecisionTable tableOfSnapshot(DecisionTable records) {
        return records;
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
        return new SnapshotCut(position, tableOfSnapshot(table), held.skipped())
                .encodeAt(progress.executed(), progress.digest());
    }

    /**
     * Replaces everything by a snapshot, taken at a position beyond this replica's. Entries of this replica may be among
     * those jumped over, and their decisions are never heard of here: a waiter for one gets the kept reply or UNKNOWN, never
     * a refusal.
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
        // The present content belongs to the table that this one replaces; a snapshot that cannot be read stops the
        // replica.
        memory.clear();
        DecisionTable installed = tables.apply(memory);
        installed.restore(reader);
        SkippedRequests installedSkips = held.readSkipped(reader);
        reader.end();
        if (!isSettled() || at < position) {
            throw new IllegalStateException("snapshot of position " + at + " cannot replace position " + position);
        }
        position = at;
        table = installed;
        held.restored(installedSkips, at);
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
            if (reply.isPresent() || waiting.mayRun()) {
                pending.remove(PendingKey.of(request));
                Answer unknown = Answer.unknown(table.orderedTimeMillis(), table.upperMillis());
                answer(waiting, reply.map(this::replied).orElse(unknown), new LinkedHashMap<>());
            }
        }
        joined.clear();
        outbox.beginAgain();
        pump(nowMillis);
    }

    /** How this member's log is. */
    public void onHealth(LogHealth health) {
        counters.health(health);
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

    /** The digest of the servant's state at a position, which no decision depends on: for the status. */
    public void onStateDigest(long at, long stateDigest) {
        counters.stateDigest(at, stateDigest);
    }

    /** The most resolved ranges that any client has here; for tests of bounded growth. */
    public int maxRanges() {
        return table.maxRanges();
    }

    /** Raises the group's time; false while the group has not started, when nothing is decided. */
    private boolean advance(OrderedEntry entry, long nowMillis) {
        if (entry.start().isPresent()) {
            GroupParameters proposed = parametersOf(entry.start().get());
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

    /** The parameters by which the group decides: those of its first entry. */
    GroupParameters parametersOf(GroupParameters ofFirstEntry) {
        return ofFirstEntry;
    }

    private void deliver(Item item, int index, Delivery delivery) {
        if (item.request().isEmpty()) {
            table.finished(item.client(), item.finished());
            return;
        }
        Request request = item.request().get();
        Decision decision = decide(item, request);
        delivery.decisions = Digest.mix(Digest.mix(delivery.decisions, request.id()), decision.code());
        if (decision == Decision.EXECUTE) {
            delivery.executions.add(
                    new Execution(position, delivery.executions.size(), table.orderedTimeMillis(), request));
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
                ours.ifPresent(waiting -> onRefusal(waiting, refused(decision), delivery.submission.orElseThrow()));
            } else if (delivery.isForeignTo(this)) {
                delivery.results.add(new Result(index, refused(decision)));
            }
            return;
        }
        acceptedAt(request, index, decision, delivery);
    }

    /** Acknowledgements on a request count first, whether it is refused or not. */
    Decision decide(Item item, Request request) {
        table.finished(item.client(), item.finished());
        return table.decide(request, item.principal());
    }

    /** Whether a refusal may be told now: another submission of the same request could still be accepted. */
    boolean mayRefuse(PendingRequest waiting) {
        return waiting.submissionsOut() == 0;
    }

    /** All that wait here for it, over any member's submission, are answered when the reply is there. */
    private void acceptedAt(Request request, int index, Decision decision, Delivery delivery) {
        Optional<byte[]> reply = decision == Decision.LIVE ? table.reply(request.id()) : Optional.empty();
        if (reply.isPresent() && !caughtUp) {
            Optional.ofNullable(pending.get(PendingKey.of(request))).ifPresent(PendingRequest::accept);
            return;
        }
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
        if (delivery.isForeignTo(this) && isLeader() && caughtUp) {
            delivery.awaitsResults = true;
            pending.computeIfAbsent(
                            PendingKey.of(request),
                            key -> new PendingRequest(request, Principal.UNKNOWN, FinishedNumbers.NONE, Long.MAX_VALUE))
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

    /** Its number is live and not answered yet: another attempt runs, one with its timestamp or with another. */
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
                onRefusal(ours.get(), result.answer(), submission);
            } else {
                pending.remove(PendingKey.of(ours.get().request()), ours.get());
                answer(ours.get(), result.answer(), new LinkedHashMap<>());
            }
        }
    }

    /**
     * A submission of ours was refused. TOO_EARLY and OVERLOADED may turn into an acceptance when another submission of the
     * same request is delivered. STALE may be because another ran where this member did not see it (in a snapshot). So these
     * wait for all submissions. EXPIRED and ID_REUSED speak for all of them.
     */
    private void onRefusal(PendingRequest waiting, Answer refused, Submission submission) {
        Refusal refusal = refused.refusal().orElseThrow();
        boolean forEver = refusal == Refusal.EXPIRED || refusal == Refusal.ID_REUSED;
        if (waiting.closed() || waiting.accepted()) {
            return;
        }
        if (forEver || mayRefuse(waiting)) {
            pending.remove(PendingKey.of(waiting.request()), waiting);
            answer(waiting, refused.at(table.orderedTimeMillis(), table.upperMillis()), new LinkedHashMap<>());
        } else {
            waiting.holdRefusal(refused, submission);
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
        plainCallers.answered(waiting.request().id());
    }

    private record Submitted(String member, long incarnation, long submission) {}

    private void giveUpOverdue(long nowMillis) {
        for (Iterator<PendingRequest> all = pending.values().iterator(); all.hasNext(); ) {
            PendingRequest waiting = all.next();
            boolean leaderless = !waiting.mayRun()
                    && isRefusedForWantOfALeader(waiting.request().id(), nowMillis);
            if (leaderless || waiting.isOverdue(nowMillis)) {
                all.remove();
                giveUp(waiting);
            }
        }
        while (!unstampedCalls.isEmpty()
                && nowMillis - unstampedCalls.peek().atMillis
                        > options.parameters().defaultDeadlineMillis()) {
            effects.answer(unstampedCalls.poll().copy, overloaded(Budget.ORDER));
        }
    }

    /**
     * Without a submission in the order, and without one to come, this attempt did not run. Otherwise no member can tell.
     */
    private void giveUp(PendingRequest waiting) {
        Answer answer = waiting.mayRun()
                ? Answer.unknown(table.orderedTimeMillis(), table.upperMillis())
                : overloaded(Budget.ORDER);
        answer(waiting, answer, new LinkedHashMap<>());
    }

    /**
     * Own clients try other members and come back until their deadline, so that they lose nothing by an early refusal, and
     * know then that the attempt did not run. Plain and foreign clients make one attempt: theirs wait for a leader.
     */
    private boolean isRefusedForWantOfALeader(RequestId id, long nowMillis) {
        return leaderlessSinceMillis != LEADER_KNOWN
                && nowMillis - leaderlessSinceMillis >= LEADERLESS_MILLIS
                && id.space() == Space.OWN
                && !plainCallers.isOne(id.client());
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

    /** Entries that only the leader orders by itself: the start, a step of the clock, a tick when something can expire. */
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
        submit(submission, stampMillis, start, Optional.empty());
    }

    private void submit(
            Submission submission,
            long stampMillis,
            Optional<GroupParameters> start,
            Optional<ExecutionReport> report) {
        OrderedEntry entry = new OrderedEntry(
                options.id(),
                options.incarnation(),
                submission.number(),
                stampMillis,
                start,
                report,
                submission.items());
        effects.submit(submission.number(), entry.encode());
    }

    /** The time that an entry carries. */
    long stamp(long nowMillis) {
        return clock.read(nowMillis);
    }

    private void stampPlainCalls(long nowMillis) {
        if (!clock.started()) {
            return;
        }
        while (!unstampedCalls.isEmpty()) {
            PlainCall call = unstampedCalls.poll();
            long timestamp = Math.max(table.upperMillis() + 1, clock.read(nowMillis));
            RequestId id = plainCallers.nextId(call.principal, nowMillis);
            Request request = new Request(
                    id,
                    timestamp,
                    timestamp + table.parameters().defaultDeadlineMillis(),
                    call.fingerprint,
                    call.oneway,
                    call.body);
            FinishedNumbers finished = plainCallers.finishedToSend(id.client());
            onCopies(List.of(new Arrival(request, finished, call.principal, call.copy)), nowMillis);
        }
    }

    /** The acknowledgements that came with a request, as they go into the order. */
    FinishedNumbers carried(ClientId client, FinishedNumbers finished) {
        return finished;
    }

    final DecisionTable table() {
        return table;
    }

    /**
     * A foreign request carries no timestamp: it is its expiration minus the group's ρ, not this member's, so that every
     * member takes its attempts for the same request.
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

    /** How long an attempt waits here to be submitted: until its deadline in the group's time. */
    private long patience(Request request, long nowMillis) {
        if (!clock.started()) {
            return options.parameters().defaultDeadlineMillis();
        }
        long left = Math.max(0, request.deadlineMillis() - clock.read(nowMillis));
        return Math.min(left, table.parameters().lifeMillis());
    }

    private boolean isLeader() {
        return leader.equals(options.id());
    }

    private Answer replied(byte[] reply) {
        return Answer.reply(reply, table.orderedTimeMillis(), table.upperMillis());
    }

    private Answer overloaded(Budget exhausted) {
        return Answer.overloaded(exhausted, table.orderedTimeMillis(), table.upperMillis());
    }

    private Answer refused(Decision decision) {
        return decision.budget()
                .map(this::overloaded)
                .orElseGet(() -> refused(decision.refusal().orElseThrow()));
    }

    private Answer refused(Refusal refusal) {
        return Answer.refused(refusal, table.orderedTimeMillis(), table.upperMillis());
    }

    /** The results of delivering one entry. */
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

        /** Submitted by another member, which may want to hear the result from the leader. */
        private boolean isForeignTo(Replica replica) {
            return !entry.origin().equals(replica.options.id());
        }
    }
}
