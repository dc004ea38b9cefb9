package org.amo.replication.order.raft;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.core.order.LogHealth;
import org.amo.core.order.LogRepair;
import org.jgroups.protocols.raft.Log;

/**
 * Tells whether a member may vote, lead and take entries: its log is whole, its disk has room, and it makes progress. RAFT's thread
 * changes it; any thread may ask.
 */
final class Fitness {
    private final Progress progress;
    // Of the log that is open; set before RAFT's thread starts, and used by it.
    private volatile Optional<CheckedFileLog> file = Optional.empty();
    private volatile Optional<LogRepair> repair = Optional.empty();

    Fitness(Progress progress) {
        this.progress = progress;
    }

    void opened(Log log) {
        file = log instanceof CheckedFileLog checked ? Optional.of(checked) : Optional.empty();
        repair = file.flatMap(CheckedFileLog::damage).map(LogRepair::new);
    }

    /** @param told why the log can no longer be written */
    void onBrokenLog(Consumer<String> told) {
        file.ifPresent(open -> open.onBroken(told));
    }

    /** The repair of a damaged log, while it lasts. */
    Optional<LogRepair> repair() {
        return repair.filter(LogRepair::isOpen);
    }

    /** Whether the disk had no room when last asked. */
    boolean isFull() {
        return file.filter(CheckedFileLog::isFull).isPresent();
    }

    /** For the operator. */
    LogHealth health() {
        String trouble = repair().map(
                        open -> "its disk has damaged the log, and it neither votes nor serves until that is repaired: "
                                + open.needs())
                .orElse(
                        isFull()
                                ? "its disk is full, and it takes no requests until there is room; make some"
                                : stillness());
        return new LogHealth(trouble, file.map(CheckedFileLog::repairedPlaces).orElse(0L));
    }

    /** Empty if it makes progress. */
    String stillness() {
        return progress.isStill()
                ? "its disk or its servant has made no progress for 10 s, and it takes no requests until it does; see where its"
                        + " threads wait (jstack), and restart it if it does not go on"
                : "";
    }

    /** Whether this member neither votes nor serves for now. */
    boolean abstains() {
        return !takesEntries() || repair().filter(open -> !open.mayVote()).isPresent();
    }

    /** False while a leader cannot count on this member. */
    boolean takesEntries() {
        return !isFull() && !progress.isStill();
    }

    /** RAFT's thread. */
    boolean hasRoomFor(int count, long bytes) {
        return file.isEmpty() || file.get().hasRoomFor(count, bytes);
    }

    /** RAFT's thread. @return the damage with the term known, once all others have told theirs; {@link #keep} stores it */
    Optional<LogRepair.Damage> onTerm(String member, long term, long lastIndex, List<String> others) {
        Optional<LogRepair.Damage> known = repair().flatMap(open -> open.onTerm(member, term, lastIndex, others));
        return known.filter(damage -> file.isPresent());
    }

    void keep(LogRepair.Damage damage) {
        file.ifPresent(open -> open.damage(damage));
    }

    /** RAFT's thread, or the one that starts it. */
    void keepCommitIndex(long index) {
        file.ifPresent(open -> open.keepCommitIndex(index));
    }

    /** RAFT's thread: the log equals the leader's up to an index. @return whether that has repaired it */
    boolean onVerified(long index, long entryTerm) {
        boolean repaired =
                repair().filter(open -> open.onVerified(index, entryTerm)).isPresent();
        if (repaired) {
            file.ifPresent(CheckedFileLog::repaired);
        }
        return repaired;
    }
}
