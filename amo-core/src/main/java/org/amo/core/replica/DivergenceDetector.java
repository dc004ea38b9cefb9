package org.amo.core.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares the members' digests at marks (docs/decisions/0085-divergence.md). A mark is an entry of the order. A member
 * that has executed everything up to it orders a {@link DigestVote}. If a majority of the members voted alike, a member with other digests has
 * diverged. A member without a vote is slow or absent, and nothing else.
 *
 * <p>Votes are ordered, so all members see the same ones. A member judges itself by its own digest, not by its vote: a restarted member whose replay gives another result is found at the
 * first mark of the replay.
 *
 * <p>Over an order that may be violated, votes are compared only if their members had executed the same requests
 * (docs/decisions/0094-divergence-over-a-violated-order.md). Other votes are counted. Positions are those of this member's own order.
 *
 * <p>Invariant: no decision about a request depends on it. One thread owns it.
 */
class DivergenceDetector {
    /** Marks behind the latest agreed one are compared by later marks as well, since a digest is a chain. */
    private static final int MOST_MARKS = 64;

    private static final long NOWHERE = -1;

    /** After so many marks in a row with other requests, it is not a request on its way. */
    private static final int LASTING_MARKS = 3;

    private final String self;
    private final MarkRule rule;
    private final TreeMap<Long, Mark> marks = new TreeMap<>();

    /** Members found diverged and not equal again since, with the first mark at which they differed. */
    private final TreeMap<String, Long> diverged = new TreeMap<>();

    /** Members that had executed other requests than this one, when both were last compared. */
    private final TreeMap<String, Apart> apart = new TreeMap<>();

    private long groupAgreedAt;
    private long ownAgreedAt;

    /** This member answers no client until it is known to be equal here or further on. */
    private long distrustedAt = NOWHERE;

    private Optional<Verdict> verdict = Optional.empty();
    /** The other members have not heard yet that this one is equal again. */
    private boolean owesVote;

    private long divergedCount;
    private long equalAgainCount;
    private long incomparableVotes;

    /**
     * This member differs from the majority.
     *
     * @param after position up to which it is known to be equal
     * @param mark position of the mark
     * @param majority the members with the other digest, rising
     */
    record Verdict(long after, long mark, List<String> majority) {}

    /** @param vote of one of them */
    private record Agreement(Set<String> by, DigestVote vote, OptionalLong state) {}

    /** @param marks how many in a row */
    private record Apart(long since, int marks) {}

    private static final class Mark {
        private final long name;
        private Optional<Long> digest = Optional.empty();
        private Optional<RequestSet> requests = Optional.empty();
        private Optional<OptionalLong> state = Optional.empty();
        private final TreeMap<String, DigestVote> votes = new TreeMap<>();
        private Optional<Agreement> agreement = Optional.empty();

        private Mark(long name) {
            this.name = name;
        }
    }

    DivergenceDetector(String self, MarkRule rule) {
        this.self = self;
        this.rule = rule;
    }

    // ------------------------------------------------- inputs

    /**
     * A mark was delivered at this position, where not everything may have been executed yet.
     *
     * @param name of the mark in votes
     */
    void marked(long position, long name, ExecutionProgress progress) {
        marks.computeIfAbsent(position, at -> new Mark(name));
        while (marks.size() > MOST_MARKS) {
            marks.pollFirstEntry();
        }
    }

    /** Everything up to a position has been executed here: these requests, if the order may be violated. */
    void executed(long position, long digest, Optional<RequestSet> requests) {
        Mark mark = marks.get(position);
        if (mark != null && mark.digest.isEmpty()) {
            mark.digest = Optional.of(digest);
            mark.requests = requests;
            mark.votes.forEach((voter, vote) -> compareRequests(position, mark, voter, vote));
            judgeSelf(position, mark);
        }
    }

    /** The servant's state at a mark. */
    void state(long position, OptionalLong digest) {
        Mark mark = marks.get(position);
        if (mark != null && mark.state.isEmpty()) {
            mark.state = Optional.of(digest);
            judgeSelf(position, mark);
        }
    }

    /** A vote was delivered. A later vote of a member, after a restart, takes the place of its earlier one. */
    void vote(String member, DigestVote vote) {
        marks.forEach((position, mark) -> {
            if (mark.name == vote.mark()) {
                vote(position, mark, member, vote);
            }
        });
    }

    private void vote(long position, Mark mark, String member, DigestVote vote) {
        mark.votes.put(member, vote);
        owesVote &= isSuspended() || !member.equals(self);
        if (mark.digest.isPresent()) {
            compareRequests(position, mark, member, vote);
        }
        mark.agreement = agreement(mark);
        mark.agreement.ifPresent(agreed -> {
            groupAgreedAt = Math.max(groupAgreedAt, position);
            mark.votes.forEach((voter, said) -> judge(position, voter, said, agreed));
        });
        judgeSelf(position, mark);
    }

    /** The state is that of a snapshot, which a member gives away only once a majority agreed on it. */
    void restored(long position) {
        marks.headMap(position, true).clear();
        equalAt(position);
    }

    /** An earlier process of this member had diverged there. */
    void distrust(long position) {
        if (ownAgreedAt < position) {
            distrustedAt = Math.max(distrustedAt, position);
            owesVote = true;
        }
    }

    // ------------------------------------------------- verdicts

    private Optional<Agreement> agreement(Mark mark) {
        if (mark.agreement.isPresent() && mark.agreement.get().state().isPresent()) {
            return mark.agreement;
        }
        for (DigestVote one : mark.votes.values()) {
            Set<String> alike = voters(mark, one, false);
            if (rule.agrees(one.members(), alike)) {
                Optional<OptionalLong> state = mark.votes.values().stream()
                        .filter(vote -> vote.isLike(one)
                                && vote.state().isPresent()
                                && rule.agrees(vote.members(), voters(mark, vote, true)))
                        .map(DigestVote::state)
                        .findFirst();
                return Optional.of(new Agreement(alike, one, state.orElse(OptionalLong.empty())));
            }
        }
        return mark.agreement;
    }

    private static Set<String> voters(Mark mark, DigestVote like, boolean inState) {
        Set<String> voters = new TreeSet<>();
        mark.votes.forEach((voter, vote) -> {
            if (vote.isLike(like)
                    && vote.members().equals(like.members())
                    && (!inState || vote.state().equals(like.state()))) {
                voters.add(voter);
            }
        });
        return voters;
    }

    private static boolean differs(long digest, OptionalLong state, Agreement agreed) {
        return digest != agreed.vote().digest()
                || (state.isPresent() && agreed.state().isPresent() && !state.equals(agreed.state()));
    }

    private void judge(long position, String voter, DigestVote vote, Agreement agreed) {
        if (!vote.requests().equals(agreed.vote().requests())) {
            return;
        }
        if (differs(vote.digest(), vote.state(), agreed)) {
            if (agreed.vote().members().contains(voter)) {
                noteDiverged(voter, position);
            }
        } else if (diverged.getOrDefault(voter, Long.MAX_VALUE) <= position) {
            diverged.remove(voter);
            equalAgainCount++;
        }
    }

    /** The order was violated, or a request stands on the other side of the mark: there is nothing to compare. */
    private void compareRequests(long position, Mark mark, String voter, DigestVote vote) {
        boolean same = vote.requests().equals(mark.requests);
        if (voter.equals(self)) {
            // An earlier process of this member had executed others, as the other members know.
            owesVote |= !same;
        } else if (same) {
            owesVote |= apart.remove(voter) != null;
        } else {
            incomparableVotes++;
            apart.merge(voter, new Apart(position, 1), (before, now) -> new Apart(before.since(), before.marks() + 1));
        }
    }

    private void noteDiverged(String member, long position) {
        if (diverged.putIfAbsent(member, position) == null) {
            divergedCount++;
        }
    }

    private void judgeSelf(long position, Mark mark) {
        if (mark.digest.isEmpty() || !isComparable(mark)) {
            return;
        }
        Agreement agreed = mark.agreement.orElseThrow();
        if (differs(mark.digest.get(), mark.state.orElse(OptionalLong.empty()), agreed)) {
            List<String> majority =
                    agreed.by().stream().filter(member -> !member.equals(self)).toList();
            // Without another member in it, it is an earlier process of this one that voted otherwise.
            if (verdict.isEmpty() && !majority.isEmpty()) {
                verdict = Optional.of(new Verdict(ownAgreedAt, position, majority));
                distrustedAt = Math.max(distrustedAt, position);
                owesVote = true;
                noteDiverged(self, position);
            }
        } else if (mark.state.isPresent() && !isStateDisputed(mark, agreed)) {
            equalAt(position);
        }
    }

    /** Whether a majority agreed that had executed the same requests as this member. */
    private static boolean isComparable(Mark mark) {
        return mark.agreement
                .filter(agreed -> agreed.vote().requests().equals(mark.requests))
                .isPresent();
    }

    /** Whether another member voted for another state, and neither state has a majority: equal replies prove nothing then. */
    private static boolean isStateDisputed(Mark mark, Agreement agreed) {
        OptionalLong own = mark.state.orElse(OptionalLong.empty());
        return own.isPresent()
                && agreed.state().isEmpty()
                && mark.votes.values().stream()
                        .anyMatch(vote -> vote.isLike(agreed.vote())
                                && vote.state().isPresent()
                                && !vote.state().equals(own));
    }

    private void equalAt(long position) {
        ownAgreedAt = Math.max(ownAgreedAt, position);
        if (distrustedAt != NOWHERE && distrustedAt <= position) {
            distrustedAt = NOWHERE;
            verdict = Optional.empty();
        }
    }

    // ------------------------------------------------- views

    /** Whether this member must not answer clients, nor give its state away. */
    boolean isSuspended() {
        return distrustedAt != NOWHERE;
    }

    /** Present from the mark at which this process differed until it has another state. */
    Optional<Verdict> verdict() {
        return verdict;
    }

    /** Whether the members' votes show that this member's state at a position is that of the majority. */
    boolean isConfirmed(long position) {
        return ownAgreedAt >= position;
    }

    /**
     * The vote on the latest mark that this member can judge, unless it has been delivered or the others agree without it. A diverged
     * member votes at its verdict, so that the others learn of it, and then no more: two of them must not become a majority.
     */
    Optional<DigestVote> dueVote(List<String> members) {
        long position = distrustedAt == NOWHERE
                ? latestJudged()
                : verdict.map(Verdict::mark).orElse(NOWHERE);
        Mark mark = marks.get(position);
        if (mark == null || mark.digest.isEmpty() || mark.state.isEmpty() || (isComparable(mark) && !owesVote)) {
            return Optional.empty();
        }
        DigestVote vote = new DigestVote(mark.name, mark.digest.get(), mark.state.get(), members, mark.requests);
        return Optional.of(vote).filter(own -> !own.equals(mark.votes.get(self)));
    }

    private long latestJudged() {
        for (Map.Entry<Long, Mark> each : marks.descendingMap().entrySet()) {
            if (each.getValue().digest.isPresent() && each.getValue().state.isPresent()) {
                return each.getKey();
            }
        }
        return NOWHERE;
    }

    /** The first mark on which the votes differ, while neither it nor a later one has a majority. */
    Optional<Long> disputed() {
        for (Map.Entry<Long, Mark> each : marks.tailMap(groupAgreedAt, false).entrySet()) {
            if (isOpposed(each.getValue())) {
                return Optional.of(each.getKey());
            }
        }
        return Optional.empty();
    }

    /** The marks from a position on that are not settled, in their order. */
    List<Long> marksFrom(long position) {
        return List.copyOf(marks.tailMap(position, true).keySet());
    }

    /** Members whose vote at a mark is another one than this member's digest, for the same requests; none before its execution. */
    List<String> opponents(long position) {
        List<String> opponents = new ArrayList<>();
        Mark mark = marks.get(position);
        if (mark != null && mark.digest.isPresent()) {
            long own = mark.digest.get();
            mark.votes.forEach((voter, vote) -> {
                if (!voter.equals(self) && vote.requests().equals(mark.requests) && vote.digest() != own) {
                    opponents.add(voter);
                }
            });
        }
        return opponents;
    }

    /** The position up to which this member is known to be equal to a majority. */
    long agreedAt() {
        return ownAgreedAt;
    }

    /** Whether no digest can get a majority any more at a disputed mark, whatever the missing members vote. */
    boolean isSplit() {
        for (Mark mark : marks.tailMap(groupAgreedAt, false).values()) {
            if (isOpposed(mark) && !canAgree(mark)) {
                return true;
            }
        }
        return false;
    }

    private boolean canAgree(Mark mark) {
        List<String> members = mark.votes.firstEntry().getValue().members();
        for (DigestVote vote : mark.votes.values()) {
            Set<String> alike = voters(mark, vote, false);
            // All others are silent so far, or to be compared at a later mark.
            Set<String> opposed = new HashSet<>();
            mark.votes.forEach((voter, said) -> {
                if (said.requests().equals(vote.requests()) && !alike.contains(voter)) {
                    opposed.add(voter);
                }
            });
            List<String> voters =
                    members.stream().filter(member -> !opposed.contains(member)).toList();
            if (rule.agrees(members, voters)) {
                return true;
            }
        }
        return false;
    }

    /** Whether two votes on the same requests differ. */
    private static boolean isOpposed(Mark mark) {
        Map<Optional<RequestSet>, Long> digests = new HashMap<>();
        for (DigestVote vote : mark.votes.values()) {
            Long first = digests.putIfAbsent(vote.requests(), vote.digest());
            if (first != null && first != vote.digest()) {
                return true;
            }
        }
        return false;
    }

    /** The votes at a mark, for the operator. */
    String votes(long position) {
        StringBuilder text = new StringBuilder();
        Mark mark = marks.get(position);
        if (mark != null) {
            mark.votes.forEach((member, vote) -> text.append(text.isEmpty() ? "" : ", ")
                    .append(member)
                    .append(' ')
                    .append(String.format(Locale.ROOT, "%016x", vote.digest())));
        }
        return text.toString();
    }

    /** Members found diverged since this process started. */
    long divergedCount() {
        return divergedCount;
    }

    /** Those of them that were equal to the majority again later. */
    long equalAgainCount() {
        return equalAgainCount;
    }

    /** Votes of members that had executed other requests than this one. */
    long incomparableVotes() {
        return incomparableVotes;
    }

    /** A line for the operator if this member and others have executed different requests for some marks; else empty. */
    String apart() {
        List<String> members = new ArrayList<>();
        long since = Long.MAX_VALUE;
        for (Map.Entry<String, Apart> each : apart.entrySet()) {
            if (each.getValue().marks() >= LASTING_MARKS) {
                members.add(each.getKey());
                since = Math.min(since, each.getValue().since());
            }
        }
        return members.isEmpty()
                ? ""
                : "has executed other requests than " + String.join(", ", members) + " since position " + since
                        + " of the log (the order was violated), and is not compared with them; if it stays so, start the"
                        + " member again that differs from most";
    }
}
