package org.amo.replication.order.raft;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that a group of members that reach each other gets a leader, and that a leader that cannot lead gives way.
 *
 * <p>jgroups-raft looks for a leader only when a view brings or takes one, and only at the first member of the view. A
 * leader that stepped down unnoticed, a first member that cannot hear, or a follower of a later term leave a group
 * without a leader for ever; and one that stands still, or does not hear its followers, stays for as long as it is in
 * the view. So
 *
 * <ul>
 *   <li>a leader says every {@value #TICK_MILLIS} ms that it leads, and its followers that they heard it. One that has
 *       not heard from a majority for {@value #SILENT_TICKS} ticks steps down; followers that have not heard it for as
 *       long know no leader;
 *   <li>a member that knows no leader says so, with its term, until it knows one. A member of an older term takes over the
 *       later one (Raft's own rule; a leader of the older term steps down). The leader of that term tells again that it
 *       leads. A member that took the sender for the leader knows no leader from then on;
 *   <li>a member gathers votes once it has known no leader for long enough, and enough others have just told it that they
 *       heard it and know no leader either. The first member in its view begins, each further one a while later, so that
 *       they seldom meet. A member that cannot hear or is not heard never begins, so its term does not rise and it does
 *       not disturb the group (Ongaro's thesis, section 9.6).
 *   <li>a member that takes no entries does not say that it heard, and does not lead. So a leader of full followers steps
 *       down, and requests are refused instead of waiting in its log.
 * </ul>
 *
 * <p>All of this concerns only when votes are gathered. The rules for winning them, and with which log, stay as before.
 * Time is counted in ticks of this member: one that stood still has not counted, and gives the others time to be heard.
 *
 * <p>{@link #onTick} is called by one thread; the others may be called by any.
 */
final class LeaderWatch {
    static final long TICK_MILLIS = 250;
    /** A leader and its followers do without each other's word for so long: 2.5 s. */
    static final int SILENT_TICKS = 10;
    /** An election of jgroups-raft's own ends within this. */
    static final int PATIENCE_TICKS = 4;
    /** Between one member and the next; more than a round of votes takes. */
    static final int RANK_TICKS = 6;
    /** How long it counts that another knows no leader either. */
    private static final int FRESH_TICKS = 4;

    /** The group as this member sees it, and the member's possible actions. */
    interface Group {
        /** @return the member that this one takes for the leader, itself perhaps; empty if it knows none */
        String leader();

        boolean leads();

        String self();

        /** @return the members of the group in this member's view, in its order; without itself if it is none */
        List<String> inView();

        /** @return false while this member has no room for entries or stands still: no leader can count on it */
        boolean takesEntries();

        /** @return how many members are more than half of the group */
        int majority();

        long term();

        /** To all other members of the group, in its view or not; may be lost. */
        void tell(WatchHeader.Kind what, long term);

        /** To one member; may be lost. */
        void tell(String member, WatchHeader.Kind what, long term);

        /** @return false if this member's term is later already */
        boolean takeOver(long term);

        /** Once more as it did when it was elected. */
        void tellThatItWasElected();

        /** Whichever leader it knows: it knows none from now on, and leads no more. */
        void forgetLeader();

        void gatherVotes();
    }

    private final Group group;
    // Counted by the ticking thread only.
    private final AtomicInteger ticks = new AtomicInteger();
    private volatile int leaderHeard;
    // Of the last tick: the ticking thread only.
    private String leader = "";
    private int leaderlessTicks;
    /** Member to the tick when it told that it heard this one, as a leader or as one that knows none. */
    private final Map<String, Integer> heardBy = new ConcurrentHashMap<>();

    LeaderWatch(Group group) {
        this.group = group;
    }

    void onTick() {
        ticks.incrementAndGet();
        List<String> inView = group.inView();
        if (!inView.contains(group.self()) || hasLeader()) {
            leaderlessTicks = 0;
            return;
        }
        boolean reachesMajority = inView.size() >= group.majority();
        leaderlessTicks++;
        if (leaderlessTicks % 2 == 0) {
            // Also where it does not reach a majority: perhaps the others reach it, and take it for their leader.
            group.tell(WatchHeader.Kind.LEADERLESS, group.term());
        }
        if (reachesMajority
                && leaderlessTicks >= PATIENCE_TICKS + rank(inView) * RANK_TICKS
                && isHeardByMajority(FRESH_TICKS)) {
            leaderlessTicks = 0;
            group.gatherVotes();
        }
    }

    /** The place among those of its view that can vote now, as far as it knows. */
    private int rank(List<String> inView) {
        return (int) inView.stream()
                .takeWhile(member -> !member.equals(group.self()))
                .filter(member -> isFresh(heardBy.get(member), FRESH_TICKS))
                .count();
    }

    /** Whether there is a leader that can lead, as far as this member can tell; if not, it knows none from now on. */
    private boolean hasLeader() {
        String now = group.leader();
        if (!now.equals(leader)) {
            leader = now;
            leaderHeard = ticks.get();
            heardBy.clear();
        }
        if (now.isEmpty()) {
            return false;
        }
        boolean inTime = ticks.get() - leaderHeard <= SILENT_TICKS;
        if (group.leads()) {
            group.tell(WatchHeader.Kind.LEADS, group.term());
            inTime = group.takesEntries() && (inTime || isHeardByMajority(SILENT_TICKS));
        }
        if (!inTime) {
            group.forgetLeader();
        }
        return inTime;
    }

    private boolean isHeardByMajority(int withinTicks) {
        long others = heardBy.values().stream()
                .filter(heard -> isFresh(heard, withinTicks))
                .count();
        return others + 1 >= group.majority();
    }

    private boolean isFresh(@Nullable Integer heard, int withinTicks) {
        return heard != null && ticks.get() - heard <= withinTicks;
    }

    /** Another member of the group said something. */
    void onWord(String member, WatchHeader.Kind what, long term) {
        if (!group.takeOver(term)) {
            if (what == WatchHeader.Kind.LEADS) {
                group.tell(member, WatchHeader.Kind.HEARD, group.term()); // its later term makes that leader step down
            }
            return; // others hear of the later term from the leader, or by votes
        }
        switch (what) {
            case LEADERLESS -> onLeaderless(member);
            case LEADS -> {
                if (group.leader().equals(member)) {
                    leaderHeard = ticks.get();
                }
                tellHeard(member, term);
            }
            case HEARD -> heardBy.put(member, ticks.get());
            case TERM_ASKED, TERM -> {
                // Of the repair of a damaged log; they say nothing of the leader.
            }
        }
    }

    private void onLeaderless(String member) {
        if (group.leads()) {
            group.tellThatItWasElected();
            return;
        }
        if (group.leader().equals(member)) {
            group.forgetLeader();
        }
        if (group.leader().isEmpty()) {
            tellHeard(member, group.term());
        }
    }

    private void tellHeard(String member, long term) {
        if (group.takesEntries()) {
            group.tell(member, WatchHeader.Kind.HEARD, term);
        }
    }
}
