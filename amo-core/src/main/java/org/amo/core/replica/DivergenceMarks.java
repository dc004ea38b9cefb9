package org.amo.core.replica;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.core.replica.DivergenceDetector.Verdict;
import org.amo.core.replica.PeerMessage.Trail;
import org.amo.core.replica.PeerMessage.TrailQuestion;
import org.amo.core.replica.ReplicaSettings.Divergence;

/**
 * One member's part in the detection of divergence (docs/decisions/0085-divergence.md): when it orders marks and votes, whether it may answer
 * clients, and, after a verdict on itself or without a majority, where its executions differ first from those of other members.
 *
 * <p>One thread owns it.
 */
final class DivergenceMarks implements ExecutionProgress.Observer {
    static final long MARK_EVERY_MILLIS = 500;
    private static final long DISPUTED_MARK_EVERY_MILLIS = 5_000;
    private static final long REPEAT_VOTE_MILLIS = 1_000;

    /** So long a mark or a vote waits for an entry that goes anyway. */
    private static final long RIDE_MILLIS = 40;

    /** So long the missing members may still decide between two digests. */
    private static final long DISPUTE_MILLIS = 2_000;

    private static final long NEVER = Long.MIN_VALUE / 2;

    private final ReplicaOptions options;
    private final ReplicaEffects effects;
    private final ExecutionProgress progress;
    private final DivergenceDetector detector;
    private final boolean anyOrder;
    private final ExecutionTrail trail = new ExecutionTrail();

    private List<String> members;

    /** Whether a request was accepted since the last mark. */
    private boolean dirty;

    /** Position of the last entry with an accepted request. */
    private long executesAt;

    private boolean wanted;
    private long markedMillis = NEVER;
    private long dueSinceMillis = NEVER;
    private long votedMark;
    private long votedMillis = NEVER;
    private long disputedSinceMillis = NEVER;
    private boolean toldOfDispute;

    private boolean suspended;
    private boolean toldOfVerdict;

    /** After a verdict on this member; without one, after a dispute was told. */
    private Optional<TrailQuestions> search = Optional.empty();

    DivergenceMarks(
            ReplicaOptions options, ReplicaEffects effects, ExecutionProgress progress, DivergenceDetector detector) {
        this.options = options;
        this.effects = effects;
        this.progress = progress;
        this.detector = detector;
        this.anyOrder = options.mayViolateOrder();
        this.members = options.members();
        if (isOn()) {
            progress.observe(this);
        }
    }

    private boolean isOn() {
        return options.divergence() != Divergence.OFF;
    }

    void onMembers(List<String> now) {
        members = now;
    }

    // ------------------------------------------------- marks and votes that go

    /** A mark is wanted soon, since a snapshot is being taken; none if nothing has run since the last one. */
    void want(long position) {
        wanted = !isConfirmed(position);
    }

    private boolean isMarkDue(boolean leader, long nowMillis) {
        if (!isOn()) {
            return false;
        }
        // In an order that may be violated, the next mark may compare members that this one could not.
        boolean rarely = anyOrder ? toldOfDispute : detector.disputed().isPresent();
        long every = rarely ? DISPUTED_MARK_EVERY_MILLIS : MARK_EVERY_MILLIS;
        boolean byTime = leader && (dirty || detector.disputed().isPresent()) && nowMillis - markedMillis >= every;
        return byTime || (wanted && nowMillis - markedMillis >= RIDE_MILLIS);
    }

    private Optional<DigestVote> dueVote(long nowMillis) {
        return !isOn()
                ? Optional.empty()
                : detector.dueVote(members)
                        .filter(vote -> vote.mark() != votedMark || nowMillis - votedMillis >= REPEAT_VOTE_MILLIS);
    }

    /** Whether an entry must go for a mark or a vote alone: none has gone for a while that could carry it. */
    boolean isOverdue(boolean leader, long nowMillis) {
        if (!isMarkDue(leader, nowMillis) && dueVote(nowMillis).isEmpty()) {
            dueSinceMillis = NEVER;
            return false;
        }
        if (dueSinceMillis == NEVER) {
            dueSinceMillis = nowMillis;
        }
        return nowMillis - dueSinceMillis >= RIDE_MILLIS;
    }

    /** Whether the entry that goes now is a mark. */
    boolean takeMark(boolean leader, long nowMillis) {
        boolean due = isMarkDue(leader, nowMillis);
        if (due) {
            markedMillis = nowMillis;
            wanted = false;
        }
        return due;
    }

    /** The vote that rides in the entry that goes now. */
    Optional<DigestVote> takeVote(long nowMillis) {
        Optional<DigestVote> due = dueVote(nowMillis);
        due.ifPresent(vote -> {
            votedMark = vote.mark();
            votedMillis = nowMillis;
        });
        return due;
    }

    // ------------------------------------------------- the order

    /** The vote of an entry is delivered, before its items. */
    void onVote(String origin, Optional<DigestVote> vote) {
        if (isOn()) {
            vote.ifPresent(said -> detector.vote(origin, said));
        }
    }

    /** An entry was delivered, with its items. */
    void onDelivered(long position, boolean mark, boolean executes, long nowMillis) {
        if (executes) {
            dirty = true;
            executesAt = position;
        }
        if (mark) {
            dirty = false;
            markedMillis = nowMillis;
        }
    }

    /** A mark will be delivered at this position: before the executions up to it can end. */
    void onMark(long position, byte[] entry) {
        if (isOn()) {
            detector.marked(position, anyOrder ? Digest.mix(0, entry) >>> 1 : position, progress);
        }
    }

    /** The shell is to take a digest of the servant's state at a mark, behind the executions that it was given. */
    void askForState(long position) {
        if (isOn()) {
            effects.digestState(position);
        }
    }

    void onState(long position, OptionalLong digest) {
        detector.state(position, digest);
    }

    @Override
    public void executed(Execution execution, long digest) {
        trail.executed(execution, digest);
    }

    @Override
    public void reached(long position, long digest) {
        detector.executed(position, digest, progress.requests());
    }

    void restored(long position) {
        executesAt = position;
        trail.restored(position);
        detector.restored(position);
    }

    void distrust(long position) {
        detector.distrust(position);
        suspended = detector.isSuspended();
    }

    // ------------------------------------------------- verdicts

    /** Whether this member must not answer clients. */
    boolean isSuspended() {
        return detector.isSuspended();
    }

    /** Whether the state at a position may be kept and given to others. */
    boolean isConfirmed(long position) {
        // Behind the last execution there is nothing that could differ.
        return !isOn()
                || detector.isConfirmed(position)
                || (executesAt <= position && detector.isConfirmed(executesAt));
    }

    /** A change since the last call. */
    enum Change {
        NONE,
        SUSPENDED,
        TRUSTED
    }

    /** After each input that may have changed a verdict: tells the shell, once. */
    Change settle(long nowMillis) {
        Optional<Verdict> verdict = detector.verdict();
        Change change = Change.NONE;
        if (detector.isSuspended() != suspended) {
            suspended = detector.isSuspended();
            change = suspended ? Change.SUSPENDED : Change.TRUSTED;
        }
        if (verdict.isPresent() && !toldOfVerdict) {
            Verdict news = verdict.get();
            TrailQuestions questions = new TrailQuestions(news.after(), news.mark(), news.majority());
            toldOfVerdict = true;
            search = Optional.of(questions);
            effects.diverged(news.mark(), news.majority());
            ask(questions, nowMillis);
        }
        if (change == Change.TRUSTED) {
            toldOfVerdict = false;
            search = Optional.empty();
            effects.trusted();
        }
        return change;
    }

    void onTick(long nowMillis) {
        search.filter(questions -> questions.isDue(nowMillis)).ifPresent(questions -> ask(questions, nowMillis));
        Optional<Long> disputed = isOn() ? detector.disputed() : Optional.empty();
        if (disputed.isEmpty()) {
            disputedSinceMillis = NEVER;
            if (toldOfDispute) {
                toldOfDispute = false;
                if (!toldOfVerdict) {
                    search = Optional.empty();
                }
                effects.agreed();
            }
            return;
        }
        if (disputedSinceMillis == NEVER) {
            disputedSinceMillis = nowMillis;
        }
        if (!toldOfDispute && (detector.isSplit() || nowMillis - disputedSinceMillis >= DISPUTE_MILLIS)) {
            toldOfDispute = true;
            effects.disputed(disputed.get(), detector.votes(disputed.get()));
        }
        if (toldOfDispute && search.isEmpty()) {
            searchIn(disputed.get(), nowMillis);
        }
    }

    /**
     * At the first mark at which a member has executed the same requests as this one. None yet if this one has not executed the
     * requests up to the mark.
     */
    private void searchIn(long disputed, long nowMillis) {
        for (long mark : detector.marksFrom(disputed)) {
            List<String> others = detector.opponents(mark);
            if (!others.isEmpty()) {
                TrailQuestions questions = new TrailQuestions(detector.agreedAt(), mark, others);
                search = Optional.of(questions);
                ask(questions, nowMillis);
                return;
            }
        }
    }

    boolean isDisputed() {
        return isOn() && detector.disputed().isPresent();
    }

    /** Whether requests are refused, because no majority of the members agrees. */
    boolean isStopped() {
        return toldOfDispute && options.divergence() == Divergence.STOP;
    }

    // ------------------------------------------------- the first difference

    private void ask(TrailQuestions questions, long nowMillis) {
        // A diverged member has a state to repair. In a dispute the question stays open until a member answers.
        if (toldOfVerdict && questions.wereMany()) {
            questions.end();
            effects.firstDifference(
                    new FirstDifference(questions.after(), questions.mark(), Optional.empty(), Optional.empty(), false),
                    questions.members());
            return;
        }
        effects.send(questions.next(nowMillis), new TrailQuestion(questions.after(), questions.mark()).encode());
    }

    /** Another member asks for the executions between two positions. */
    void onQuestion(String member, TrailQuestion question) {
        if (!isOn() || isSuspended()) {
            return;
        }
        if (anyOrder) {
            // The positions are those of the other member.
            effects.send(member, new Trail(question.upTo(), trail.after(), trail.between(0, Long.MAX_VALUE)).encode());
        } else if (progress.executedPosition() >= question.upTo()) {
            effects.send(
                    member,
                    new Trail(
                                    question.upTo(),
                                    Math.max(trail.after(), question.after()),
                                    trail.between(question.after(), question.upTo()))
                            .encode());
        }
    }

    void onTrail(String member, Trail other) {
        search.filter(questions -> questions.isAnsweredBy(member, other))
                .ifPresent(questions -> compare(questions, member, other));
    }

    private void compare(TrailQuestions questions, String member, Trail other) {
        questions.end();
        FirstDifference difference = anyOrder
                ? trail.compareInAnyOrder(questions.after(), questions.mark(), other.after(), other.steps())
                : trail.compare(questions.after(), questions.mark(), other.after(), other.steps());
        if (toldOfVerdict) {
            effects.firstDifference(difference, questions.members());
        } else {
            effects.firstDisputed(difference, member);
        }
    }

    long divergedCount() {
        return detector.divergedCount();
    }

    long equalAgainCount() {
        return detector.equalAgainCount();
    }

    long incomparableVotes() {
        return detector.incomparableVotes();
    }

    /** Empty unless this member and others have executed different requests for some time. */
    String apart() {
        return detector.apart();
    }
}
