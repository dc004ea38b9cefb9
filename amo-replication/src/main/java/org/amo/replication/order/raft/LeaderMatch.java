package org.amo.replication.order.raft;

import java.util.Optional;
import org.jgroups.protocols.raft.AppendResult;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.protocols.raft.RAFT;

/**
 * How far a follower's log is known to be the leader's (Raft's log matching). Invariant: the log is that of the leader of
 * {@code term} up to and including {@code index}. RAFT's thread owns it.
 */
final class LeaderMatch {
    private final RAFT raft;
    private long term;
    private long index;

    LeaderMatch(RAFT raft) {
        this.raft = raft;
    }

    long index() {
        return index;
    }

    /** The same if the leader is that of this term; 0 if nothing is known to be equal to its log. */
    long indexIn(long ofTerm) {
        return ofTerm == term ? index : 0;
    }

    /** The log was closed. */
    void forget() {
        term = 0;
        index = 0;
    }

    /** The log begins anew behind a snapshot of the leader. */
    void installed(long atIndex) {
        term = raft.currentTerm();
        index = atIndex;
    }

    /** The end of the log was deleted. */
    void deleted() {
        index = Math.min(index, raft.lastAppended());
    }

    /** The leader's entries behind an index are in the log, or were equal to those in it. */
    void verify(LogEntries entries, long previousIndex) {
        long now = raft.currentTerm();
        if (now != term) {
            term = now;
            // An entry that is committed here is in every later leader's log.
            index = raft.commitIndex();
        }
        // Equal index and term mean equal logs up to there.
        LogEntry[] theirs = entries.toArray();
        for (int i = theirs.length - 1; i >= 0; i--) {
            long at = previousIndex + 1 + i;
            if (at <= index) {
                return;
            }
            LogEntry mine = at > raft.lastAppended() ? null : raft.log().get(at);
            if (mine != null && mine.term() == theirs[i].term()) {
                index = at;
                return;
            }
        }
    }

    /**
     * The answer if the entry before the leader's differs: the leader goes on with the first entry of the conflicting term, and
     * replaces the entries that differ from there.
     *
     * @param known entries up to there are committed
     */
    Optional<AppendResult> conflict(long previousIndex, long previousTerm, long known) {
        long committed = raft.commitIndex();
        boolean equal = previousIndex <= committed || (raft.currentTerm() == term && previousIndex <= index);
        LogEntry previous = equal ? null : raft.log().get(previousIndex);
        if (previous == null || previous.term() == previousTerm) {
            return Optional.empty();
        }
        long conflicting = previous.term();
        long first = previousIndex;
        while (first - 1 > Math.max(known, committed)) {
            LogEntry before = raft.log().get(first - 1);
            if (before == null || before.term() != conflicting) {
                break;
            }
            first--;
        }
        return Optional.of(new AppendResult(AppendResult.Result.FAIL_CONFLICTING_PREV_TERM, first, conflicting)
                .commitIndex(committed));
    }
}
