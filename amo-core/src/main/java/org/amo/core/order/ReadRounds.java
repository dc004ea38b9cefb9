package org.amo.core.order;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Finds read indexes at the leader of a Raft log: an index up to which a member must have executed before it answers a
 * linearizable read (Ongaro's thesis, section 6.4). A read index costs no entry and rests on no clock.
 *
 * <ul>
 *   <li>A leader names none before it has committed an entry of its own term: until then its commit index may be behind that
 *       of the leader before it.
 *   <li>It names one only after a majority of the members has confirmed its term, in a round of messages that began
 *       after the question. A later leader would have the votes of a majority, one of which would not confirm.
 *   <li>The index is the leader's commit index at the begin of the round, so it covers each entry that was committed before
 *       the question came.
 * </ul>
 *
 * <p>One round runs at a time. Questions that come meanwhile share the next one. A lost message delays a round until
 * {@link #onTick} repeats its question; the asker keeps its own deadline.
 *
 * <p>One thread owns it.
 *
 * @param <A> an asker and its question; equal if it asks the same question again
 */
public class ReadRounds<A> {

    /** The leader as this process knows it, and the effects of rounds. None of these may call back. */
    public interface Leader<A> {
        /** The term in which this member leads, if it may; empty if it does not lead. */
        OptionalLong term();

        /** Whether an entry of that term is committed. */
        boolean hasCommittedInTerm();

        /** This log is committed up to there. */
        long committed();

        /** How many members are more than half of the group. */
        int majority();

        /** Whether this member or another one is one of the group. */
        boolean isMember(String member);

        String self();

        /** Ask all other members to confirm the term; may be lost. */
        void askToConfirm(long term, long round);

        /** Whoever has executed up to this index has executed all that was committed when the question came. */
        void found(A asker, long term, long index);

        /** There is no index to be had here now. */
        void refused(A asker);
    }

    /** @param confirmed the members that have confirmed the term since it began */
    private record Round<A>(long number, long term, long index, Set<A> askers, Set<String> confirmed) {}

    private final Leader<A> leader;
    private Set<A> next = new LinkedHashSet<>();
    private Optional<Round<A>> current = Optional.empty();
    private long lastRound;

    public ReadRounds(Leader<A> leader) {
        this.leader = leader;
    }

    /** A member asks for a read index. */
    public void ask(A asker) {
        if (!mayName()) {
            leader.refused(asker);
        } else if (current.filter(round -> round.askers.contains(asker)).isEmpty()) {
            next.add(asker);
            if (current.isEmpty()) {
                begin();
            }
        }
    }

    /** A member confirmed that it knows no later term than this one. */
    public void onConfirmed(String member, long term, long number) {
        current.filter(round -> round.number == number && round.term == term).ifPresent(round -> {
            round.confirmed.add(member);
            endIfConfirmed(round);
        });
    }

    /** Repeats the question of a round that lasts, or gives the round up if this member does not lead any more. */
    public void onTick() {
        current.ifPresent(round -> {
            if (isOver(round)) {
                refuseAll();
            } else {
                leader.askToConfirm(round.term, round.number);
            }
        });
    }

    /** Whether a round is under way, which ticks keep going. */
    public boolean isBusy() {
        return current.isPresent();
    }

    /** Whether the commit index covers all that earlier leaders have committed. */
    protected boolean mayName() {
        return leader.term().isPresent() && leader.hasCommittedInTerm();
    }

    /** Whether so many members prove that no later leader was there when the round began. */
    protected boolean isConfirmed(int members) {
        return members >= leader.majority();
    }

    private void begin() {
        Set<A> askers = next;
        next = new LinkedHashSet<>();
        Round<A> round =
                new Round<>(++lastRound, leader.term().orElseThrow(), leader.committed(), askers, new HashSet<>());
        round.confirmed.add(leader.self());
        current = Optional.of(round);
        leader.askToConfirm(round.term, round.number);
        endIfConfirmed(round);
    }

    private boolean isOver(Round<A> round) {
        return !leader.term().equals(OptionalLong.of(round.term));
    }

    private void endIfConfirmed(Round<A> round) {
        if (isOver(round)) {
            refuseAll();
            return;
        }
        int members = (int) round.confirmed.stream().filter(leader::isMember).count();
        if (!isConfirmed(members)) {
            return;
        }
        current = Optional.empty();
        round.askers.forEach(asker -> leader.found(asker, round.term, round.index));
        if (!next.isEmpty()) {
            begin();
        }
    }

    private void refuseAll() {
        List<A> all = new ArrayList<>(next);
        current.ifPresent(round -> all.addAll(round.askers));
        current = Optional.empty();
        next = new LinkedHashSet<>();
        all.forEach(leader::refused);
    }
}
