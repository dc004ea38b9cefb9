package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * One member's part in style passive (docs/decisions/0091-warm-passive.md): decides on ordered outcomes by the
 * {@link UpdateChain}, orders the outcomes of the runs that this member executed as the primary, and tells the shell when it may
 * execute.
 *
 * <p>Only the chain is replicated state. The primary executes runs before the order has accepted the outcomes of earlier ones. If
 * the order accepts the outcome of another member for a place that this member has executed, this member's state is worth
 * nothing, and it begins anew.
 *
 * <p>A large outcome goes into several entries, each submitted once the one before it is delivered, so that few bytes are on their way.
 * The pieces rest on the accepted outcomes alone: the first is submitted when no earlier run is left.
 *
 * <p>One thread owns it.
 */
class OutcomeOrder {
    private static final long RESUBMIT_AFTER_MILLIS = 2_000;

    /** A large outcome has more time: copies of it on a slow network would delay all that follows. */
    private static final long BYTES_A_MILLI = 1_024;

    /** Pieces rest if none has come for so long: one that was lost would have gone again, and would be delivered. */
    static final long PIECES_REST_MILLIS = 2 * (RESUBMIT_AFTER_MILLIS + OutcomePieces.PIECE_BYTES / BYTES_A_MILLI);

    private static final long NEVER = Long.MIN_VALUE / 2;
    private static final long NONE = -1;

    private final boolean passive;
    private final long incarnation;
    private final ReplicaEffects effects;
    private final GroupState group;
    private final UpdateChain chain;

    /** Executed here and not accepted so far, in the order of the log. Each rests on the one before it. */
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();

    private boolean leads;

    /** The first entry that this member submitted as the leader: all that earlier leaders ordered stands before it. */
    private long marker = NONE;

    private long markedMillis = NEVER;
    private boolean marked;
    private boolean offers;
    private boolean primary;
    private boolean worthless;
    private long toldBytes;

    /** The delivery of the latest piece of another process that is gathered. */
    private long pieceOfOtherMillis = NEVER;

    private static final class Pending {
        private final List<RunOutcome> entries;
        private final RunOutcome last;

        /** Of the chain behind it. */
        private final long hash;

        /** Of its entries, the first that has not been delivered. */
        private int next;

        private long submission = NONE;
        private long sentMillis = NEVER;

        private Pending(List<RunOutcome> entries) {
            this.entries = entries;
            this.last = entries.get(entries.size() - 1);
            this.hash = last.hash();
        }

        private RunOutcome entry() {
            return entries.get(next);
        }

        private boolean isInPieces() {
            return entries.size() > 1;
        }

        /** Its first piece would drop those that are gathered. */
        private boolean wouldBegin() {
            return isInPieces() && next == 0;
        }

        private boolean isAtLast() {
            return next == entries.size() - 1;
        }

        private boolean isDue(long nowMillis) {
            return sentMillis < nowMillis - RESUBMIT_AFTER_MILLIS - entry().bytes() / BYTES_A_MILLI;
        }

        private void unsent() {
            submission = NONE;
            sentMillis = NEVER;
        }

        private void delivered() {
            next++;
            unsent();
        }

        private void fromTheFirst() {
            next = 0;
            unsent();
        }
    }

    /**
     * An accepted outcome.
     *
     * @param own whether the servant of this process has executed it
     * @param undone whether it changes no state
     */
    record Accepted(List<Execution> executions, List<byte[]> replies, byte[] update, boolean own, boolean undone) {
        void tell(ReplicaEffects effects) {
            if (undone) {
                effects.acceptedUndone(executions, replies, own);
            } else {
                effects.accepted(executions, replies, update, own);
            }
        }
    }

    /** Makes the outcome of a run. */
    private interface Making {
        RunOutcome apply(Place first, long base, List<RunOutcome.Reply> replies);
    }

    OutcomeOrder(ReplicaOptions options, ReplicaEffects effects, GroupState group, UpdateChain chain) {
        this.passive = options.style() == ReplicaSettings.Style.PASSIVE;
        this.incarnation = options.incarnation();
        this.effects = effects;
        this.group = group;
        this.chain = chain;
    }

    boolean isOn() {
        return passive;
    }

    UpdateChain chain() {
        return chain;
    }

    /** The member that executes, as far as known here; empty if none is known. A leader does once it knows all earlier outcomes. */
    String primary(String self, String leader) {
        return passive && (primary || !leader.equals(self)) ? leader : "";
    }

    /** Whether another member executes. */
    boolean isBackup() {
        return passive && !leads;
    }

    /** Whether the group has accepted an outcome of this place, so that no member executes it any more. */
    boolean isSettled(Place place) {
        return passive && place.position() <= group.position() && !chain.isOpen(place);
    }

    // ------------------------------------------------- the order

    void onLeader(boolean now) {
        if (!passive || now == leads) {
            return;
        }
        leads = now;
        unmark();
        pending.forEach(Pending::fromTheFirst);
        settle();
    }

    /** An entry is delivered, before its items are decided. @return the outcome in it, if it is accepted here */
    Optional<Accepted> onDelivered(OrderedEntry entry, boolean own, Predicate<Place> skipped, long nowMillis) {
        if (!passive) {
            return Optional.empty();
        }
        marked |= own && leads && marker != NONE && entry.submission() >= marker;
        entry.outcome().filter(RunOutcome::isPiece).ifPresent(piece -> onPiece(entry, piece, own, nowMillis));
        Optional<Accepted> accepted = entry.outcome()
                .filter(outcome -> !outcome.replies().isEmpty())
                .flatMap(outcome -> onOutcome(entry, outcome, own, skipped));
        tellBytes();
        settle();
        return accepted;
    }

    private void onPiece(OrderedEntry entry, RunOutcome piece, boolean own, long nowMillis) {
        // The process that cut them has the state behind them, or has given it up.
        boolean counts = chain.gather(piece, entry.incarnation(), !own);
        if (!own) {
            if (counts) {
                pieceOfOtherMillis = nowMillis;
            }
            return;
        }
        if (!counts) {
            onIgnored(entry);
        } else if (!pending.isEmpty() && pending.element().entry().before().equals(piece.before())) {
            pending.element().delivered();
        }
    }

    /** One that it rests on is lost or late: all go again, in their order. */
    private void onIgnored(OrderedEntry own) {
        if (pending.stream().anyMatch(each -> each.submission == own.submission())) {
            pending.forEach(Pending::fromTheFirst);
        }
    }

    private void tellBytes() {
        long bytes = chain.keptBytes();
        if (bytes != toldBytes) {
            toldBytes = bytes;
            effects.gathers(bytes);
        }
    }

    private Optional<Accepted> onOutcome(
            OrderedEntry entry, RunOutcome outcome, boolean own, Predicate<Place> skipped) {
        Optional<List<Execution>> executions = chain.accept(outcome, skipped);
        if (executions.isEmpty()) {
            if (own) {
                onIgnored(entry);
            }
            return Optional.empty();
        }
        List<byte[]> pieces = chain.takePieces();
        Optional<Pending> executed = Optional.ofNullable(pending.poll());
        boolean ranHere = executed.filter(run -> run.hash == chain.hash()).isPresent();
        if (executed.isPresent() && !ranHere) {
            beginAnew(outcome.first());
        }
        Optional<Accepted> accepted = worthless || executions.get().isEmpty()
                ? Optional.empty()
                : Optional.of(new Accepted(
                        executions.get(),
                        outcome.replies().stream().map(RunOutcome.Reply::bytes).toList(),
                        OutcomePieces.join(pieces, outcome.update()),
                        ranHere,
                        outcome.undone()));
        worthless |= ranHere && outcome.undone();
        return accepted;
    }

    /** In the entry that starts the group. */
    Optional<RunOutcome> beginning() {
        return passive ? Optional.of(RunOutcome.BEGINNING) : Optional.empty();
    }

    /** This entry has started the group. */
    void onStarted(OrderedEntry entry) {
        if (entry.outcome().isPresent() != passive) {
            effects.styleDiffers();
        }
    }

    /** The items of an entry are decided: the group runs these. */
    void decided(List<Execution> executions) {
        if (passive) {
            chain.decided(executions);
        }
    }

    /** This member has executed a run as the primary. */
    void onRun(List<Execution> executions, List<byte[]> replies, byte[] update, Predicate<Place> skipped) {
        add(executions, replies, skipped, (first, base, told) -> new RunOutcome(first, base, told, update));
    }

    /** The same, but there is no update: the state of this process is worth nothing once the order has accepted the outcome. */
    void onUndone(List<Execution> executions, List<byte[]> replies, Predicate<Place> skipped) {
        add(executions, replies, skipped, RunOutcome::undone);
    }

    private void add(List<Execution> executions, List<byte[]> replies, Predicate<Place> skipped, Making making) {
        if (worthless) {
            return;
        }
        int covered =
                pending.stream().mapToInt(run -> run.last.replies().size()).sum();
        Place first = executions.get(0).place();
        if (!chain.openPlace(covered).equals(Optional.of(first))) {
            beginAnew(first);
            return;
        }
        List<RunOutcome.Reply> told = new ArrayList<>(replies.size());
        for (int i = 0; i < replies.size(); i++) {
            told.add(new RunOutcome.Reply(
                    replies.get(i), skipped.test(executions.get(i).place())));
        }
        long base = pending.isEmpty() ? chain.hash() : pending.getLast().hash;
        pending.add(new Pending(split(making.apply(first, base, told))));
    }

    /** Into the outcomes of the entries that carry it. */
    List<RunOutcome> split(RunOutcome whole) {
        return OutcomePieces.split(whole, incarnation, OutcomePieces.MOST_WHOLE_BYTES, OutcomePieces.PIECE_BYTES);
    }

    private void beginAnew(Place place) {
        worthless = true;
        pending.clear();
        effects.beginAnew(place);
    }

    /** The state is that of a snapshot. */
    void restored(Optional<UpdateChain> snapshot) {
        if (snapshot.isPresent() != passive) {
            effects.styleDiffers();
        }
        pending.clear();
        snapshot.ifPresent(chain::restore);
        tellBytes();
        unmark();
        settle();
    }

    /** This member has diverged from the others, or is equal to them again. */
    void onJudged() {
        settle();
    }

    private void unmark() {
        marked = false;
        marker = NONE;
        markedMillis = NEVER;
    }

    /** Tells the shell of a change. */
    private void settle() {
        boolean now = leads && marked && !worthless && group.isCaughtUp() && !chain.isAheadOfOrder();
        if (now != primary) {
            primary = now;
            effects.runAsPrimary(now);
        }
    }

    // ------------------------------------------------- submissions

    /** A request that ended members is open: a former primary that has executed it says so by its outcome. */
    void offers(boolean open) {
        offers = open;
    }

    /** The outcomes that are to be submitted now. */
    List<RunOutcome> due(long nowMillis) {
        if (pending.isEmpty() || !mayOrder(leads, offers)) {
            return List.of();
        }
        List<RunOutcome> due = new ArrayList<>();
        boolean first = true;
        for (Pending run : pending) {
            if (run.isInPieces() && !first) {
                break;
            }
            first = false;
            if (run.wouldBegin() && !mayBegin(nowMillis)) {
                break;
            }
            if (run.isDue(nowMillis)) {
                due.add(run.entry());
            }
            if (!run.isAtLast()) {
                break;
            }
        }
        return due;
    }

    /**
     * Whether the first piece of an outcome may go into the order. It drops the gathered pieces of another process, which would then drop
     * these, and so on without end, with all pieces in the log. So a process that does not lead waits while pieces of another one arrive.
     */
    private boolean mayBegin(long nowMillis) {
        return leads || !chain.isGathering() || nowMillis - pieceOfOtherMillis > PIECES_REST_MILLIS;
    }

    /**
     * Whether outcomes of this member may go into the order. Only a matter of waste: at most one outcome of a place is accepted.
     *
     * @param asked whether a request that ended members is open
     */
    boolean mayOrder(boolean leads, boolean asked) {
        return leads || asked;
    }

    void sent(RunOutcome outcome, long submission, long nowMillis) {
        pending.stream().filter(run -> run.last.first().equals(outcome.first())).forEach(run -> {
            run.submission = submission;
            run.sentMillis = nowMillis;
        });
    }

    void onRejected(long submission) {
        pending.stream().filter(run -> run.submission == submission).forEach(Pending::unsent);
        if (submission == marker) {
            unmark();
        }
    }

    /** Whether this leader has to see an entry of its own before it executes. */
    boolean needsMarker(long nowMillis) {
        return passive && leads && !marked && markedMillis < nowMillis - RESUBMIT_AFTER_MILLIS;
    }

    void markerSent(long submission, long nowMillis) {
        if (marker == NONE) {
            marker = submission;
        }
        markedMillis = nowMillis;
    }
}
