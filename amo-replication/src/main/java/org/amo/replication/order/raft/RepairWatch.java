package org.amo.replication.order.raft;

import java.util.List;
import java.util.Optional;
import org.amo.core.order.LogRepair;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings back a member with a damaged log or a full disk: asks the others for their terms if its own is lost, looks for
 * room, and reports the needs of a repair that does not proceed.
 *
 * <p>One thread ticks it.
 */
final class RepairWatch {
    private static final Logger LOG = LoggerFactory.getLogger(RepairWatch.class);

    private static final int ASK_TICKS = 2;
    /** After 30 s without repair an operator should know. */
    private static final int WARN_TICKS = (int) (30_000 / LeaderWatch.TICK_MILLIS);

    /** The member and its group. */
    interface Group {
        String self();

        List<String> others();

        Optional<LogRepair> repair();

        boolean isFull();

        /** Looks for room on the disk, in RAFT's thread. */
        void lookForRoom();

        /** Asks a member for its stored term; may be lost. */
        void askTerm(String member);

        /** This member can never be repaired. */
        void giveUp(String why);
    }

    private final Group group;
    private int ticks;

    RepairWatch(Group group) {
        this.group = group;
    }

    void onTick() {
        if (group.isFull()) {
            group.lookForRoom();
        }
        Optional<LogRepair> repair = group.repair();
        if (repair.isEmpty()) {
            ticks = 0;
            return;
        }
        List<String> others = group.others();
        if (others.isEmpty()) {
            group.giveUp(
                    "its log is damaged and the group has no other member to repair it from; put a copy of the data"
                            + " folder in its place, or start anew with another --data folder");
            return;
        }
        ticks++;
        if (!repair.get().mayFollow() && ticks % ASK_TICKS == 0) {
            others.forEach(group::askTerm);
        }
        if (ticks == WARN_TICKS) {
            LOG.warn(
                    "member {} cannot repair its log yet: {}; start the others, and if a majority of the group is damaged,"
                            + " put back a copy of a data folder or replace this member with amo member",
                    group.self(),
                    repair.get().needs());
        }
    }
}
