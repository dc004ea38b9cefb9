package org.amo.core.replica;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.base.ClientId;
import org.amo.core.order.LogHealth;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/**
 * A member of a replicated service (Friedman and Hadad, section 2.2; docs/explanation/safety.md). It hands each input to the part that
 * it is for, and then lets the {@link Submitter} submit. In the order of a request's life: {@link Arrivals} answers an attempt at once or
 * has it wait in {@link Waiters}, {@link PlainCalls} gives an id to a call without one, the {@link Submitter} orders the batches of the
 * {@link Batcher}, {@link DeliveredEntries} takes an entry through the parts and has the table decide, and {@link Executions} follows the
 * executions to their end.
 *
 * <p>Beside them, {@link HeldRequests} deals with requests that end members, {@link DivergenceMarks} with members whose results
 * differ, {@link EqualSettings} with members whose settings do, {@link OperationFacts} with the calls that operations make,
 * {@link OutcomeOrder} with the outcomes of style passive, and {@link MemberMessages} with messages outside of the order.
 *
 * <p>Replicated state ({@link GroupState}, and the skipped requests) has one writer: the delivery of an ordered entry, from
 * the entry alone. Ticks, acknowledgements that arrive and executions that end change nothing of it but whether a reply is
 * there. All other state is local and volatile.
 *
 * <p>{@code nowMillis} is a monotonic clock, the same in all calls. Effects come last in each input and must not call back.
 * One thread owns it.
 */
public class Replica {
    private final ReplicaOptions options;
    private final ReplicaCounters counters = new ReplicaCounters();
    private final ExecutionProgress progress;
    private final Batcher batcher = new Batcher();
    private final GroupState group;
    private final OutcomeOrder outcomes;
    private final HeldRequests held;
    private final DivergenceMarks marks;
    private final OperationFacts facts;
    private final EqualSettings settings;
    private final PlainCalls plainCalls;
    private final Waiters waiters;
    private final Verdicts verdicts;
    private final Executions executions;
    private final Arrivals arrivals;
    private final Submitter submitter;
    private final MemberMessages messages;
    private final DeliveredEntries entries;
    private final OperationEvents operations;
    private final ReplicaSnapshots snapshots;
    private final ReplicaReads reads;

    /** What earlier processes promised up to these positions rests on a snapshot; 0 for nothing. */
    private long coveredPosition;

    private long repairedAt;
    private boolean begun;

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
        this(options, effects, memory, skipRule, new ReplicaParts());
    }

    Replica(
            ReplicaOptions options,
            ReplicaEffects effects,
            RecordMemory memory,
            SkipRule skipRule,
            ReplicaParts parts) {
        this.options = options;
        SkipRule rule = options.style() == ReplicaSettings.Style.PASSIVE && skipRule == SkipRule.UNANIMOUS
                ? SkipRule.OF_BACKUPS
                : skipRule;
        progress = new ExecutionProgress(options.mayViolateOrder());
        QueuedExecutions queued = new QueuedExecutions(QueuedExecutions.MOST_REQUESTS, options.mostQueuedBytes());
        group = new GroupState(options, effects, memory, parts);
        outcomes = parts.outcomes(options, effects, group);
        held = new HeldRequests(options, effects, progress, rule, outcomes);
        marks = new DivergenceMarks(options, effects, progress, parts.detector(options.id()));
        facts = parts.facts(options, effects, group, progress);
        settings = new EqualSettings(options, effects);
        plainCalls = new PlainCalls(options, effects, group, counters);
        waiters = parts.waiters(effects, group, plainCalls, counters);
        verdicts = new Verdicts(marks, group, waiters, outcomes);
        executions = new Executions(progress, queued, group, held, facts, waiters, verdicts);
        arrivals = new Arrivals(
                options, effects, memory, counters, group, held, queued, marks, plainCalls, waiters, batcher);
        submitter = new Submitter(options, effects, group, batcher, waiters, marks, facts, outcomes);
        messages = new MemberMessages(options, effects, counters, group, held, marks, facts, settings, submitter);
        entries = new DeliveredEntries(
                options,
                effects,
                counters,
                group,
                batcher,
                held,
                marks,
                facts,
                outcomes,
                waiters,
                verdicts,
                executions,
                submitter);
        operations = new OperationEvents(held, facts, submitter);
        reads = parts.reads(options, effects, group);
        snapshots = new ReplicaSnapshots(
                effects, rule, group, held, marks, outcomes, waiters, verdicts, progress, executions, submitter);
    }

    /** The notes of earlier processes. Before the first delivery, and after {@link ReplicaEffects#takesPart}. */
    public void onNotes(ExecutionNotes notes) {
        coveredPosition = notes.coveredPosition();
        if (!notes.hasTakenPart() || !notes.knowsAllSkips()) {
            lagsBehind();
        }
        if (notes.knowsHowFarItRan()) {
            held.onNotes(notes);
        } else {
            submitter.needsMarker();
        }
    }

    /**
     * An earlier process of this member had diverged at this mark: it answers no client until its digests are those of the
     * majority there or further on. Before the first delivery.
     */
    public void distrust(long mark) {
        verdicts.distrust(mark);
    }

    /**
     * An earlier process of this member had diverged at this mark, and was equal to the majority later. If this one begins before the
     * mark, it has lost the snapshot that repaired it, and is distrusted again. Before the first delivery.
     */
    public void wasRepaired(long mark) {
        repairedAt = mark;
    }

    private void lagsBehind() {
        group.lagsBehind();
        submitter.needsMarker();
    }

    /** A snapshot that was on disk may be damaged since, and the log be there from its beginning. */
    private void begin(long firstDelivered) {
        if (begun) {
            return;
        }
        begun = true;
        if (firstDelivered <= coveredPosition) {
            // It may run what the group skipped before the order tells it so.
            lagsBehind();
        }
        if (firstDelivered <= repairedAt) {
            distrust(repairedAt);
        }
    }

    // ------------------------------------------------- clients

    /** One attempt of a client's request has arrived, of a principal that is not known. */
    public void onCopy(Request request, FinishedNumbers finished, AnswerListener copy, long nowMillis) {
        onCopies(List.of(new Arrival(request, finished, Principal.UNKNOWN, copy)), nowMillis);
    }

    /** Attempts that came together; those that are to be ordered go together. */
    public void onCopies(List<Arrival> copies, long nowMillis) {
        for (Arrival copy : copies) {
            arrivals.onArrival(copy, submitter.isLeaderless(nowMillis), nowMillis);
        }
        submitter.pump(nowMillis);
    }

    /** A call without an id: ordered under this replica's own, one message being one attempt. */
    public void onPlainCall(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener copy, long nowMillis) {
        plainCalls.add(body, fingerprint, oneway, principal, copy, nowMillis);
        takePlainCalls(nowMillis);
    }

    private void takePlainCalls(long nowMillis) {
        Optional<Arrival> next = plainCalls.next(nowMillis);
        while (next.isPresent()) {
            onCopies(List.of(next.get()), nowMillis);
            next = plainCalls.next(nowMillis);
        }
    }

    /** Acknowledgements without a request. */
    public void onFinished(ClientId client, FinishedNumbers finished, long nowMillis) {
        arrivals.onFinished(client, finished, nowMillis);
        submitter.pump(nowMillis);
    }

    /** No attempt has come for a moment since {@link ReplicaEffects#gather}: the queue does not wait on for others. */
    public void onGathered(long nowMillis) {
        submitter.onGathered();
        submitter.pump(nowMillis);
    }

    // ------------------------------------------------- the order

    /** This submission will certainly never be delivered. */
    public void onRejected(long number, long nowMillis) {
        submitter.onRejected(number, nowMillis);
    }

    /** The entry at the next position of the order. */
    public void onDelivered(long at, byte[] bytes, long nowMillis) {
        begin(at);
        if (entries.onDelivered(at, bytes, nowMillis)) {
            takePlainCalls(nowMillis);
            submitter.pump(nowMillis);
        }
        reads.onDelivered();
    }

    /** Executions have ended, in order. */
    public void onExecuted(List<Execution> executions, List<byte[]> replies, long nowMillis) {
        this.executions.ended(executions, replies, nowMillis);
        submitter.pump(nowMillis);
    }

    /**
     * Style passive: this member has executed the next requests as the primary, after {@link ReplicaEffects#runAsPrimary}. Their
     * replies go to clients once the order has accepted the outcome.
     *
     * @param executions of one entry, in its order
     * @param update brings the state before the first of them to the state behind the last one
     */
    public void onRun(List<Execution> executions, List<byte[]> replies, byte[] update, long nowMillis) {
        outcomes.onRun(executions, replies, update, held.skipped()::isSkipped);
        submitter.pump(nowMillis);
    }

    /**
     * The same, but the servant gives no update: once the order has accepted the outcome, no member has the effects on its state. This
     * member executes nothing more, and takes no snapshot.
     *
     * @param replies say so to the clients
     */
    public void onUndone(List<Execution> executions, List<byte[]> replies, long nowMillis) {
        outcomes.onUndone(executions, replies, held.skipped()::isSkipped);
        submitter.pump(nowMillis);
    }

    /** The digest of the servant's state at a mark, as {@link ReplicaEffects#digestState} asked; empty if it offers none. */
    public void onMarkedState(long mark, OptionalLong digest, long nowMillis) {
        marks.onState(mark, digest);
        verdicts.settle(nowMillis);
    }

    /** The request of {@link ReplicaEffects#hold} has not begun, and does not begin. */
    public void onHeld(Place place) {
        held.held(place);
    }

    // ------------------------------------------------- the group

    /** The leader of the ordered log; the empty string while none is known. */
    public void onLeader(String member, long nowMillis) {
        submitter.onLeader(member, nowMillis);
        settings.onLeader(member);
        facts.onLeader(submitter.isLeader(), nowMillis);
        outcomes.onLeader(submitter.isLeader());
        submitter.pump(nowMillis);
    }

    /**
     * The members from here on, in the order of the log. Used by the group's clock and by reports of requests that end
     * members, never by a decision about an attempt.
     */
    public void onMembers(List<String> ids) {
        List<String> members = List.copyOf(ids);
        messages.onMembers(members);
        held.onMembers(members, group.position());
        group.clock().onMembers(members);
        marks.onMembers(members);
        settings.onMembers(members);
    }

    /** A message of another member. */
    public void onMessage(String member, byte[] bytes, long nowMillis) {
        messages.onMessage(member, bytes, nowMillis);
    }

    /** To be called about every 50 ms; all that waits for time to pass happens here. */
    public void onTick(long nowMillis, long wall) {
        messages.onTick(nowMillis, wall);
        plainCalls.onTick(nowMillis, batcher::add);
        marks.onTick(nowMillis);
        settings.onTick(nowMillis);
        facts.onTick(nowMillis);
        if (submitter.isLeader() && !options.mayViolateOrder()) {
            // Members that deliver a raise and other entries in different orders would drop different ones.
            group.level().onTold(settings.levelsTold(nowMillis));
        }
        outcomes.offers(held.hasOpen());
        submitter.onTick(() -> held.toSay(group.position(), nowMillis), nowMillis);
        waiters.giveUpOverdue(submitter.isLeaderless(nowMillis), nowMillis);
        if (leader().isEmpty()) {
            batcher.dropAnswered();
        }
        plainCalls.giveUpOverdue(nowMillis);
        takePlainCalls(nowMillis);
        onGathered(nowMillis);
        reads.onTick(nowMillis);
        // A snapshot may have come.
        reads.onDelivered();
    }

    /** The datagrams that came to this member, by their outcomes, for the status. */
    public void onDatagrams(Map<String, Long> byOutcome) {
        counters.datagrams(byOutcome);
    }

    /** The secrets of the group at this member, as numbers, for the status. */
    public void onSecrets(Map<String, Long> numbers) {
        counters.secrets(numbers);
    }

    /** The snapshot on the disk of this member, as numbers, for the status. */
    public void onSnapshot(Map<String, Long> numbers) {
        counters.snapshot(numbers);
    }

    /** The time from an attempt's arrival to its answer, as the shell measures it: for the status. */
    public void onReplyTime(long microsP99) {
        counters.replyTime(microsP99);
    }

    /** How this member's log is. */
    public void onHealth(LogHealth health) {
        counters.health(health);
    }

    /**
     * What the shell knows of a divergence, in one line: for the status.
     *
     * @param at position where this member differs; 0 if it does not
     */
    public void onDivergence(String line, long at) {
        counters.divergence(line, at);
    }

    /** The digest of the servant's state at a position, which no decision depends on: for the status. */
    public void onStateDigest(long at, long stateDigest) {
        counters.stateDigest(at, stateDigest);
    }

    /** The shell is closing: each waiting attempt gets the answer that is true now. */
    public void onClose() {
        waiters.close();
        plainCalls.close();
        reads.close();
    }

    // ------------------------------------------------- views

    /** The timers and nested calls of the operations that run here. */
    public OperationEvents operations() {
        return operations;
    }

    /** The reads that have arrived here. */
    public ReplicaReads reads() {
        return reads;
    }

    /** The snapshots of this member. */
    public ReplicaSnapshots snapshots() {
        return snapshots;
    }

    /**
     * Whether a snapshot of this member holds nothing that the group may have skipped further on, and this member has not
     * diverged.
     */
    public boolean isCaughtUp() {
        return group.isCaughtUp();
    }

    public ReplicaStatus status() {
        return counters.status(
                options.id(),
                submitter.leader(),
                position(),
                progress,
                group.table(),
                batcher.acknowledgementsWaiting(),
                batcher.queued(),
                marks,
                outcomes,
                group.level().now());
    }

    /** Style passive: the longest update that this member and all others that it has heard can hold. */
    public long mostUpdateBytes() {
        return settings.least(ReplicaOptions.MOST_UPDATE_BYTES).orElse(ServantPort.MAX_UPDATE_BYTES);
    }

    /** Whether a majority of the members has the settings of this one, as far as they must be equal. */
    public boolean hasEqualSettings() {
        return settings.isAgreed();
    }

    /** Whether an entry has started the group: from then on it has a time and parameters. */
    public boolean started() {
        return group.isStarted();
    }

    /** The member that orders now, as far as known here; empty when none is known. */
    public Optional<String> leader() {
        return Optional.of(submitter.leader()).filter(member -> !member.isEmpty());
    }

    /** Of the last entry that was delivered here; 0 before the first. */
    public long position() {
        return group.position();
    }

    /** Every request up to it has been executed here. */
    public long executedPosition() {
        return progress.executedPosition();
    }

    /** Of {@link #status}, without the rest: comparable at equal executed positions. */
    public long digest() {
        return progress.digest();
    }

    /** The most resolved ranges that any client has here; for tests of bounded growth. */
    public int maxRanges() {
        return group.table().maxRanges();
    }
}
