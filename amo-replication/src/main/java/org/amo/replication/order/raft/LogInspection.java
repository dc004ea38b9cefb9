package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.amo.core.order.LogRepair.Damage;
import org.amo.core.order.LogTail;
import org.amo.core.order.OrderedLogException;
import org.jgroups.protocols.raft.LogEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inspects the log in a member's folder ({@code docs/wire/raft-log.md}). {@link #judge} tells the damage that a crash explains from other
 * damage, and changes nothing. {@link #takeUp} is what a start does with it: cuts off the one, puts the files aside and notes the damage
 * for the other, and completes a snapshot that was being put in place. One thread owns it.
 */
final class LogInspection {
    static final String DAMAGED_SNAPSHOT = "snapshot.damaged";

    private static final Logger LOG = LoggerFactory.getLogger(LogInspection.class);

    private final Path folder;
    private final Disk disk;
    private final SnapshotFile snapshotFile;
    private final EntryFile entries;
    private final StateFile state;
    private final boolean fsync;

    private final MemberState stored;
    private final LogScan scan;
    private final List<String> lost = new ArrayList<>();
    private Optional<SnapshotFile.Stored> snapshot = Optional.empty();
    private boolean badSnapshot;
    private boolean needlessSnapshot;
    private final List<String> repairable = new ArrayList<>();
    private Optional<Damage> damage;
    /** The last index to be kept. */
    private long keepUpTo;

    LogInspection(Path folder, Disk disk, SnapshotFile snapshotFile, EntryFile entries, StateFile state, boolean fsync)
            throws IOException {
        this.folder = folder;
        this.disk = disk;
        this.snapshotFile = snapshotFile;
        this.entries = entries;
        this.state = state;
        this.fsync = fsync;
        stored = state.now();
        damage = stored.damage();
        scan = entries.scan();
        keepUpTo = scan.last();
    }

    /**
     * Called once. Afterwards {@link #lost}, {@link #repairable} and {@link #isTorn} tell the result.
     *
     * @param mayBegin whether a missing log is a new one; otherwise it is lost, and to be repaired
     * @throws OrderedLogException when another version of amo wrote the snapshot
     */
    void judge(LogTail tail, boolean mayBegin) throws IOException {
        readSnapshot();
        judgeState(mayBegin);
        judgeTail(tail);
        judgeBeginning();
        if (state.found() == StateFile.Found.ONE_SLOT) {
            repairable.add("one of the two copies of the term and the vote is damaged and is written again");
        }
    }

    /** Damage that only other members can repair, in words that follow "has damaged or lost". */
    List<String> lost() {
        return List.copyOf(lost);
    }

    /** Damage that a start of this member repairs, in whole sentences. */
    List<String> repairable() {
        return List.copyOf(repairable);
    }

    /** Whether bytes behind the last entry are of one that was not acknowledged. */
    boolean isTorn() {
        return lost.isEmpty() && scan.broken;
    }

    /** The snapshot that is there and whole. */
    Optional<SnapshotFile.Stored> snapshot() {
        return snapshot;
    }

    /** As {@link #judge}; then the files are those with which the member goes on. */
    void takeUp(LogTail tail, boolean mayBegin) throws IOException {
        judge(tail, mayBegin);
        repairable.forEach(what -> LOG.warn("{}: {}", folder, what));
        if (needlessSnapshot) {
            // Promises may rest on it; the notes of executions say so (ExecutionNotes.coveredPosition, divergedAt).
            Files.deleteIfExists(snapshotFile.path());
        }
        if (!lost.isEmpty()) {
            putAside();
        } else if (scan.broken) {
            LOG.warn(
                    "{}: an incomplete entry after entry {} is cut off; a crash interrupted it, and it was not acknowledged",
                    folder,
                    entries.last());
            entries.cutBehindLast();
        }
        bringToSnapshot();
        entries.forceAgain(); // a crash may have come between the write and the sync, or the sync has failed
        long last = entries.last();
        keep(now -> now.acknowledged(last, entries.checksum()).commit(Math.min(now.commit(), last)));
    }

    /** Damaged places that were found and are whole again. */
    int repairedPlaces() {
        return repairable.size();
    }

    /** Damaged places that are to be repaired from other members. */
    int damagedPlaces() {
        return lost.size();
    }

    private void lost(long upTo, boolean termKnown, String what) {
        Damage found = new Damage(upTo, stored.term(), termKnown);
        damage = Optional.of(damage.map(found::and).orElse(found));
        lost.add(what);
    }

    private long snapshotIndex() {
        return snapshot.map(found -> found.head().index()).orElse(0L);
    }

    private long everSeen() {
        return Math.max(Math.max(scan.last(), scan.behind), stored.acknowledged());
    }

    private void readSnapshot() {
        try {
            snapshot = snapshotFile.read();
        } catch (SnapshotFile.OtherVersionException e) {
            throw OrderedLogException.ofOtherVersion(snapshotFile.path(), e.version());
        } catch (IOException e) {
            LOG.debug("the snapshot in {} cannot be read", folder, e);
            badSnapshot = true;
        }
    }

    private void judgeState(boolean mayBegin) throws IOException {
        boolean used = scan.count > 0 || scan.broken || snapshot.isPresent() || badSnapshot;
        boolean none = state.found() == StateFile.Found.NEW;
        if (state.found() == StateFile.Found.LOST || (none && used)) {
            lost(everSeen(), false, "its term and vote");
        } else if (none && !mayBegin) {
            lost(0, false, "its log");
        } else if (lastTerm(scan.last()) > stored.term()) {
            // A term is on disk before its first entry is, so the file is an older one.
            lost(everSeen(), false, "its term and vote");
        }
    }

    private void judgeTail(LogTail tail) throws IOException {
        OptionalLong lostUpTo = tail.lostUpTo(new LogTail.Found(
                scan.last(),
                scan.broken,
                stored.acknowledged(),
                state.found() != StateFile.Found.ONE_SLOT,
                scan.forcedBehind,
                scan.behind));
        long acknowledged = stored.acknowledged();
        if (lostUpTo.isEmpty() && acknowledged > 0 && acknowledged >= scan.first && acknowledged <= scan.last()) {
            LogRecord record = entries.get(acknowledged).orElseThrow();
            if (record.checksum() != stored.checksum()) {
                // Whole, but not the one that was acknowledged: a write that the disk lost.
                keepUpTo = acknowledged - 1;
                lostUpTo = OptionalLong.of(scan.last());
            }
        }
        if (lostUpTo.isPresent() && lostUpTo.getAsLong() > snapshotIndex()) {
            lost(lostUpTo.getAsLong(), true, "entries " + (keepUpTo + 1) + " to " + lostUpTo.getAsLong());
        } else if (lostUpTo.isPresent()) {
            repairable.add("damaged entries are not needed, since the snapshot covers them");
        }
    }

    /** The log must begin at 1, or where the snapshot ends at the latest. */
    private void judgeBeginning() {
        long first = scan.first;
        if (badSnapshot && first == 1) {
            repairable.add("the snapshot is damaged and not needed, since the log is there from its beginning");
            needlessSnapshot = true;
            badSnapshot = false;
        } else if (badSnapshot) {
            keepUpTo = 0;
            lost(everSeen(), true, "its snapshot");
        } else if (first > Math.max(1, snapshotIndex())) {
            keepUpTo = 0;
            lost(everSeen(), true, "its snapshot or the beginning of its log");
        }
    }

    private void putAside() throws IOException {
        Damage found = damage.orElseThrow();
        LOG.warn(
                "{}: the disk has damaged or lost {}; this member neither votes nor serves until it has them from the"
                        + " leader again, up to entry {}",
                folder,
                String.join(" and ", lost),
                found.upTo());
        long term = Math.max(stored.term(), lastTerm(keepUpTo));
        // From here on a crash finds the damage noted.
        keep(now -> now.damage(Optional.of(found)).term(term).acknowledged(0, 0).commit(0));
        if (badSnapshot) {
            disk.rename(snapshotFile.path(), folder.resolve(DAMAGED_SNAPSHOT));
        }
        if (keepUpTo == 0) {
            entries.clear();
            entries.putAside();
        } else if (scan.broken || keepUpTo < scan.last()) {
            entries.putAside();
            entries.cutFrom(keepUpTo + 1);
        }
    }

    private long lastTerm(long index) throws IOException {
        return entries.get(index).map(record -> record.entry().term()).orElse(0L);
    }

    /**
     * Completes {@link GuardedRaft#install} after a crash, and begins a damaged log anew at the snapshot. A log that ends before it
     * would have the leader's entries delivered a second time, and a vote for a log without entries that it acknowledged.
     */
    private void bringToSnapshot() throws IOException {
        long index = snapshotIndex();
        if (index == 0) {
            return;
        }
        long term = snapshot.orElseThrow().head().term();
        long commit = state.now().commit();
        Optional<LogRecord> there = entries.get(index);
        // Up to the commit index a record that is there is the right one.
        if (there.isEmpty() || (index > commit && there.get().entry().term() != term)) {
            beginAt(index, new LogEntry(term, new byte[0]), entries, state, fsync);
        } else if (index > commit) {
            keep(now -> now.commit(index));
        }
    }

    /** Begins a log anew at an entry that a snapshot covers. */
    static void beginAt(long index, LogEntry entry, EntryFile entries, StateFile state, boolean fsync)
            throws IOException {
        // The term first: an entry of a later one tells a start that the term is lost.
        state.keep(now -> now.acknowledged(0, 0).term(Math.max(now.term(), entry.term())), fsync);
        entries.beginAt(index, entry);
        int checksum = entries.checksum();
        state.keep(now -> now.acknowledged(index, checksum).commit(index), fsync);
    }

    private void keep(UnaryOperator<MemberState> change) throws IOException {
        state.keep(change, fsync);
    }
}
