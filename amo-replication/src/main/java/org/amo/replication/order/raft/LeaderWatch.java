package org.amo.replication.order.raft;

/**
 * Sees to it that a group whose members reach each other gets a leader.
 *
 * <p>jgroups-raft looks for a leader only when a view brings or takes one, and only at the first member of the view. A
 * leader that stepped down unnoticed, a first member that cannot hear, or a follower of a later term leave a group
 * without a leader for ever. So who knows no leader says so, with its term, until it knows one:
 *
 * <ul>
 *   <li>a member of an older term takes the later one over (Raft's own rule, and a leader of the older one steps down);
 *   <li>the leader of that term tells again that it leads;
 *   <li>whoever took the one that asks for the leader knows no leader either;
 *   <li>who has known no leader for long enough, and reaches a majority, gathers votes. The first member in its view
 *       begins, each further one a while later, so that they seldom meet.
 * </ul>
 *
 * <p>All of this concerns only when votes are gathered. Who may win them, and with which log, is decided as before.
 *
 * <p>{@link #onTick} is called by one thread; {@link #onLeaderless} may be called by any.
 */
final class LeaderWatch {
    static final long TICK_MILLIS = 500;
    /** An election of jgroups-raft's own ends within this. */
    private static final int PATIENCE_TICKS = 2;
    /** Between one member and the next; more than a round of votes takes. */
    private static final int RANK_TICKS = 3;

    /** The group as this member sees it, and what it can do. */
    interface Group {
        boolean knowsLeader();

        boolean leads();

        boolean reachesMajority();

        /** @return the place among the members that it reaches, from 0; -1 if it is none of them */
        int rank();

        long term();

        /** To all members of the group, in its view or not; may be lost. */
        void tellLeaderless(long term);

        /** @return false if this member's term is later already */
        boolean takeOver(long term);

        void tellThatItLeads();

        void forgetLeader(String member);

        void gatherVotes();
    }

    private final Group group;
    private int leaderlessTicks;
    private int powerlessTicks;

    LeaderWatch(Group group) {
        this.group = group;
    }

    void onTick() {
        if (group.knowsLeader() || group.rank() < 0) {
            leaderlessTicks = 0;
            powerlessTicks = 0;
            return;
        }
        if (!group.reachesMajority()) {
            leaderlessTicks = 0;
            // Perhaps the others reach it, and take it for their leader.
            if (++powerlessTicks % PATIENCE_TICKS == 0) {
                group.tellLeaderless(group.term());
            }
            return;
        }
        powerlessTicks = 0;
        if (++leaderlessTicks < PATIENCE_TICKS) {
            return;
        }
        group.tellLeaderless(group.term());
        if (leaderlessTicks >= PATIENCE_TICKS + group.rank() * RANK_TICKS) {
            leaderlessTicks = 0;
            group.gatherVotes();
        }
    }

    /** A member of the group said that it knows no leader. */
    void onLeaderless(String member, long term) {
        if (!group.takeOver(term)) {
            return; // it will hear of the later term by this member's entries, or by its votes
        }
        if (group.leads()) {
            group.tellThatItLeads();
        } else {
            group.forgetLeader(member);
        }
    }
}
