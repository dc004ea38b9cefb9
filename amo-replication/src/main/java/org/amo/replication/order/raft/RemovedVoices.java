package org.amo.replication.order.raft;

import java.util.function.BooleanSupplier;

/**
 * Keeps the voice of a removed member from committing entries. jgroups-raft counts the members that have an entry. It keeps a member
 * among them that was removed since, and needs fewer of them from then on: of the members that stay, too few may have the entry. In a
 * group of six of which one is removed, two of five would be enough, and a leader without the entry could follow.
 *
 * <p>An answer of a member that was removed counts for no further entry, so only those are counted once more that were in the log when it
 * was removed. RAFT's thread owns it, or the guest that has the turn.
 */
final class RemovedVoices {
    /** A removed member may have a voice on entries up to here. */
    private long upTo;

    /** The entry that jgroups-raft took for committed too early; 0 if there was none. */
    private long early;

    /** The removal of a member is applied. */
    void removed(long lastAppended) {
        upTo = lastAppended;
    }

    /**
     * Whether an entry is committed that jgroups-raft takes for committed. If it is not, that is asked again with each further answer.
     *
     * @param heldByMajority whether a majority of the present members has it
     */
    boolean mayCommit(long index, BooleanSupplier heldByMajority) {
        if (index > upTo || heldByMajority.getAsBoolean()) {
            return true;
        }
        early = index;
        return false;
    }

    /** The entry to be asked about again, which may be committed meanwhile; 0 if there is none. */
    long early() {
        return early;
    }
}
