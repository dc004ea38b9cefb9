package org.amo.core.replica;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.amo.core.replica.PeerMessage.Results;

/**
 * Submits entries to the ordered log while it has a leader: the batches of a {@link Batcher}, and again those that may have
 * been lost or were rejected; facts of nested calls, reports and the marker of this member; as the leader also the entries that move the
 * group's time.
 *
 * <p>Volatile; one thread owns it.
 */
final class Submitter {
    private static final long RESUBMIT_AFTER_MILLIS = 2_000;
    private static final long RETRY_AFTER_REJECTION_MILLIS = 20;

    /** Without a leader for that long, attempts of own clients are refused: an election takes less. */
    private static final long LEADERLESS_MILLIS = 1_000;

    private static final long LEADER_KNOWN = Long.MAX_VALUE;
    private static final long STEP_WHEN_BEHIND_MILLIS = 500;
    private static final long STEP_EVERY_MILLIS = 1_000;
    private static final long LEADER_ENTRY_EVERY_MILLIS = 100;

    private final ReplicaOptions options;
    private final ReplicaEffects effects;
    private final GroupState group;
    private final Batcher batcher;
    private final Waiters waiters;
    private final DivergenceMarks marks;
    private final OperationFacts facts;
    private final OutcomeOrder outcomes;

    private String leader = "";
    private long leaderlessSinceMillis = LEADER_KNOWN;
    private long nextLeaderEntryMillis = Long.MIN_VALUE;
    private long nextSubmitMillis = Long.MIN_VALUE;
    private boolean gathering;
    private OptionalLong timerMillis = OptionalLong.empty();

    /** False until an entry of this process has been delivered, if the shell has to learn its position. */
    private boolean takesPart = true;

    private long nextMarkerMillis = Long.MIN_VALUE;
    private long nextRaiseMillis = Long.MIN_VALUE;

    Submitter(
            ReplicaOptions options,
            ReplicaEffects effects,
            GroupState group,
            Batcher batcher,
            Waiters waiters,
            DivergenceMarks marks,
            OperationFacts facts,
            OutcomeOrder outcomes) {
        this.options = options;
        this.effects = effects;
        this.group = group;
        this.batcher = batcher;
        this.waiters = waiters;
        this.marks = marks;
        this.facts = facts;
        this.outcomes = outcomes;
    }

    /** Empty while none is known. */
    String leader() {
        return leader;
    }

    boolean isLeader() {
        return leader.equals(options.id());
    }

    /** Whether the log has had no leader for so long that attempts are refused that can go elsewhere. */
    boolean isLeaderless(long nowMillis) {
        return leaderlessSinceMillis != LEADER_KNOWN && nowMillis - leaderlessSinceMillis >= LEADERLESS_MILLIS;
    }

    void onLeader(String member, long nowMillis) {
        boolean anew = !member.isEmpty() && !member.equals(leader);
        leader = member;
        leaderlessSinceMillis = member.isEmpty() ? Math.min(leaderlessSinceMillis, nowMillis) : LEADER_KNOWN;
        if (anew) {
            // Submissions on their way to the former leader may have died with it; if one did not, the second finds its
            // number live.
            resubmitOlderThan(nowMillis + 1);
        }
    }

    /** A submission will certainly never be delivered: its content goes again, and the next submission waits a little. */
    void onRejected(long number, long nowMillis) {
        batcher.remove(number).ifPresent(submission -> {
            waiters.onRejected(submission);
            if (!submission.isGivenUp()) {
                batcher.requeue(submission);
            }
        });
        facts.submitAgain();
        outcomes.onRejected(number);
        nextSubmitMillis = nowMillis + RETRY_AFTER_REJECTION_MILLIS;
    }

    /** The leader has decided or executed items of an entry of this member. */
    void onResults(Results results, long nowMillis) {
        if (results.incarnation() == options.incarnation()) {
            batcher.find(results.submission())
                    .ifPresent(submission -> waiters.onResults(submission, results.results()));
            pump(nowMillis);
        }
    }

    /** A snapshot may have jumped over submissions under way: their content goes again. */
    void onRestored(long nowMillis) {
        batcher.beginAgain();
        pump(nowMillis);
    }

    /** The shell has to learn the position of this process's first entry. */
    void needsMarker() {
        takesPart = false;
    }

    /** An entry of this process is delivered. @return whether the shell had to learn its position */
    boolean takesPart() {
        boolean first = !takesPart;
        takesPart = true;
        return first;
    }

    /** When the next timer of the servant is due; empty if none is pending. */
    void onTimer(OptionalLong dueMillis) {
        timerMillis = dueMillis;
    }

    boolean hasPendingTimers() {
        return timerMillis.isPresent();
    }

    /** Submits the batches that may go. */
    void pump(long nowMillis) {
        if (leader.isEmpty() || !group.isStarted() || nowMillis < nextSubmitMillis) {
            return;
        }
        // An operation waits for each, and everything else waits for the operation.
        for (NestedFact fact : facts.due(nowMillis)) {
            submit(batcher.empty(nowMillis), fact, nowMillis);
        }
        outcomes.due(nowMillis).forEach(outcome -> submit(outcome, nowMillis));
        if (outcomes.needsMarker(nowMillis)) {
            Submission marker = batcher.empty(nowMillis);
            outcomes.markerSent(marker.number(), nowMillis);
            submit(marker, nowMillis);
        }
        Optional<Submission> next = batcher.next(nowMillis, group.table()::news);
        while (next.isPresent()) {
            gathering = false;
            submit(next.get(), nowMillis);
            next = batcher.next(nowMillis, group.table()::news);
        }
        if (batcher.isGathering(nowMillis) && !gathering) {
            gathering = true;
            effects.gather();
        }
    }

    /** No attempt has come for a moment: the queue does not wait on for others. */
    void onGathered() {
        if (gathering) {
            gathering = false;
            batcher.gathered();
        }
    }

    /** @param reports those that are due, asked while they can be submitted */
    void onTick(Supplier<List<ExecutionReport>> reports, long nowMillis) {
        if (leader.isEmpty()) {
            leaderlessSinceMillis = Math.min(leaderlessSinceMillis, nowMillis);
        }
        if (isLeader() && nowMillis >= nextLeaderEntryMillis) {
            nextLeaderEntryMillis = nowMillis + LEADER_ENTRY_EVERY_MILLIS;
            submitLeaderEntry(nowMillis);
        }
        if (!leader.isEmpty() && group.isStarted()) {
            reports.get()
                    .forEach(report -> submit(
                            batcher.empty(nowMillis),
                            group.clock().stamp(nowMillis),
                            Optional.empty(),
                            Optional.of(report),
                            0));
            if (!takesPart && nowMillis >= nextMarkerMillis) {
                nextMarkerMillis = nowMillis + RESUBMIT_AFTER_MILLIS;
                submit(batcher.empty(nowMillis), nowMillis);
            }
            if (marks.isOverdue(isLeader(), nowMillis)) {
                submit(batcher.empty(nowMillis), nowMillis);
            }
            raiseLevel(nowMillis);
        }
        resubmitOlderThan(nowMillis - RESUBMIT_AFTER_MILLIS);
    }

    /** As the leader, if all members have told a higher level. Until the raise is delivered it goes again. */
    private void raiseLevel(long nowMillis) {
        OptionalInt due = group.level().due();
        if (isLeader() && due.isPresent() && nowMillis >= nextRaiseMillis) {
            nextRaiseMillis = nowMillis + RESUBMIT_AFTER_MILLIS;
            submit(
                    batcher.empty(nowMillis),
                    group.clock().stamp(nowMillis),
                    Optional.empty(),
                    Optional.empty(),
                    due.getAsInt());
        }
    }

    /** Entries that only the leader orders by itself: the start, a step of the clock, a tick when something can expire or a timer is due. */
    private void submitLeaderEntry(long nowMillis) {
        if (nowMillis < nextSubmitMillis) {
            return;
        }
        GroupClock clock = group.clock();
        Optional<Long> wall = clock.reachedWall(nowMillis);
        if (!group.isStarted()) {
            GroupParameters proposed = options.parameters();
            Optional<Long> start = clock.startWall(proposed.skewMillis() / 2, nowMillis);
            if (start.isPresent() && batcher.isIdle() && group.level().mayStart()) {
                submit(
                        batcher.empty(nowMillis),
                        start.get(),
                        Optional.of(proposed),
                        Optional.empty(),
                        group.level().atStart());
            }
        } else if (wall.isPresent() && wall.get() - clock.read(nowMillis) > STEP_WHEN_BEHIND_MILLIS) {
            nextLeaderEntryMillis = nowMillis + STEP_EVERY_MILLIS;
            submit(batcher.empty(nowMillis), wall.get(), Optional.empty(), Optional.empty(), 0);
        } else if (batcher.isIdle() && nextWakeMillis() <= clock.read(nowMillis)) {
            submit(batcher.empty(nowMillis), nowMillis);
        }
    }

    /** The first time at which an entry has an effect although it is empty: something expires, or a timer fires. */
    private long nextWakeMillis() {
        long expiry = group.table().nextWakeMillis();
        // A timer that an ordered entry has reached fires when the servant gets there.
        return timerMillis.isPresent()
                        && timerMillis.getAsLong() > group.table().orderedTimeMillis()
                ? Math.min(expiry, timerMillis.getAsLong())
                : expiry;
    }

    private void resubmitOlderThan(long submittedBeforeMillis) {
        batcher.giveUpOlderThan(submittedBeforeMillis).forEach(batcher::requeue);
    }

    /**
     * With a mark or a vote that is due, and a seed for the operations of its requests. A submission is submitted once, so its
     * seed belongs to one entry: requests that go again do so in another submission, with another seed.
     */
    private void submit(Submission submission, long nowMillis) {
        OrderedEntry entry = new OrderedEntry(
                options.id(),
                options.incarnation(),
                submission.number(),
                group.clock().stamp(nowMillis),
                Optional.empty(),
                Optional.empty(),
                marks.takeMark(isLeader(), nowMillis),
                marks.takeVote(nowMillis),
                List.of(),
                submission.hasRequests() ? effects.drawSeed() : Optional.empty(),
                Optional.empty(),
                submission.items(),
                group.level().needed(),
                0);
        submit(entry);
    }

    private void submit(Submission submission, NestedFact fact, long nowMillis) {
        submit(submission, List.of(fact), Optional.empty(), nowMillis);
    }

    private void submit(RunOutcome outcome, long nowMillis) {
        Submission submission = batcher.empty(nowMillis);
        outcomes.sent(outcome, submission.number(), nowMillis);
        submit(submission, List.of(), Optional.of(outcome), nowMillis);
    }

    private void submit(Submission submission, List<NestedFact> facts, Optional<RunOutcome> outcome, long nowMillis) {
        OrderedEntry entry = new OrderedEntry(
                options.id(),
                options.incarnation(),
                submission.number(),
                group.clock().stamp(nowMillis),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                facts,
                Optional.empty(),
                outcome,
                List.of(),
                group.level().needed(),
                0);
        submit(entry);
    }

    private void submit(
            Submission submission,
            long stampMillis,
            Optional<GroupParameters> start,
            Optional<ExecutionReport> report,
            int raise) {
        OrderedEntry entry = new OrderedEntry(
                options.id(),
                options.incarnation(),
                submission.number(),
                stampMillis,
                start,
                report,
                false,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                start.flatMap(parameters -> outcomes.beginning()),
                submission.items(),
                group.level().needed(),
                raise);
        submit(entry);
    }

    private void submit(OrderedEntry entry) {
        if (entry.level() > group.level().now()) {
            throw new IllegalStateException("an entry of level " + entry.level() + " for a group at "
                    + group.level().now());
        }
        effects.submit(entry.submission(), entry.encode());
    }
}
