package org.amo.replication.order.raft;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.function.UnaryOperator;
import org.amo.core.order.LogRepair.Damage;
import org.amo.core.order.LogTail;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.jgroups.Address;
import org.jgroups.protocols.raft.Log;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps RAFT's log in files, and detects their damage ({@code docs/wire/raft-log.md}): {@link EntryFile} for the entries,
 * {@link StateFile} for the term, the vote and the witness of the acknowledged entries.
 *
 * <p>At a start ({@link LogInspection}), damage that a crash explains is cut off, since it was never acknowledged. Any other damage is kept
 * aside and remembered until {@link #repaired}; the member may not vote until then, see {@link
 * org.amo.core.order.LogRepair}.
 *
 * <p>A write or a sync that fails ends this log: the state of the written data is not known, and a second sync may
 * succeed without the data (Rebello et al., "Can Applications Recover from fsync Failures?", ATC 2020). The same holds for a
 * write that an error of the virtual machine interrupts, such as want of memory. Nothing more is written, and the listener is
 * told once. A full disk is noticed before anything is written, by {@link #hasRoomFor}.
 *
 * <p>RAFT's thread appends; election threads store terms and votes and read.
 */
final class CheckedFileLog implements MeasuredLog {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedFileLog.class);

    private static final String OF_OLD_VERSION = "entries.raft";

    private final Path folder;
    private final EntryFile entries;
    private final StateFile state;
    private boolean fsync;

    private Consumer<String> onBroken = why -> LOG.error("{}", why);
    private final AtomicBoolean broken = new AtomicBoolean();
    private volatile boolean full;
    /** RAFT's thread: the room that was looked for in vain. */
    private long lacking;

    private final AtomicLong repairedPlaces = new AtomicLong();
    /** RAFT's thread, or the one that opens it: the places that {@link #repaired} will have repaired. */
    private long damagedPlaces;

    /**
     * Opens the log of a folder, or begins it there.
     *
     * @param fsync whether acknowledged entries must survive a loss of power
     * @param mayBegin whether a missing log is a new one; otherwise it is lost, and to be repaired
     * @throws OrderedLogException when it cannot be used; cause and remedy in one line
     */
    CheckedFileLog(Path folder, boolean fsync, Disk disk, LogTail tail, boolean mayBegin) {
        this.folder = folder;
        this.fsync = fsync;
        if (Files.exists(folder.resolve(OF_OLD_VERSION))) {
            throw new OrderedLogException(
                    Fault.USER,
                    "the log in " + folder + " was written by an older version of amo; start the whole group anew with"
                            + " another --data folder");
        }
        try {
            Files.createDirectories(folder);
            disk.forceFolder(folder.toAbsolutePath().resolveSibling("."));
            SnapshotFile snapshotFile = new SnapshotFile(folder);
            snapshotFile.deleteDrafts();
            state = new StateFile(disk, folder);
            entries = new EntryFile(disk, folder);
            LogInspection found = new LogInspection(folder, disk, snapshotFile, entries, state, fsync);
            found.takeUp(tail, mayBegin);
            repairedPlaces.addAndGet(found.repairedPlaces());
            damagedPlaces = found.damagedPlaces();
        } catch (IOException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "cannot read or write the log in " + folder + " (" + e + "); is the disk full or failing?",
                    e);
        }
    }

    /** The damage to be repaired; empty if there is none. */
    Optional<Damage> damage() {
        return state.now().damage();
    }

    /** Damaged places that this process has found and that are whole again. Any thread. */
    long repairedPlaces() {
        return repairedPlaces.get();
    }

    /** More of the damage is known; returns when it is stored. */
    void damage(Damage known) {
        writing("the damage", () -> keep(now -> now.damage(Optional.of(known))));
    }

    /** The log is whole again: the files that were put aside are deleted. */
    void repaired() {
        writing("the end of the repair", () -> {
            keep(now -> now.damage(Optional.empty()));
            // At least one: an earlier life may have found it.
            repairedPlaces.addAndGet(Math.max(1, damagedPlaces));
            entries.forgetAside();
            Files.deleteIfExists(folder.resolve(LogInspection.DAMAGED_SNAPSHOT));
        });
    }

    /** @param told why nothing can be written any more, in the thread that tried to */
    void onBroken(Consumer<String> told) {
        onBroken = told;
    }

    /**
     * Whether the disk has room for entries of so many bytes and the log's own; if not, the log is full until there is room
     * for as many. A member that took smaller ones meanwhile would be full again with the next of that size. A log that can no
     * longer be written has room for none.
     */
    boolean hasRoomFor(int count, long bytes) {
        if (broken.get()) {
            return false;
        }
        long wanted = Math.max(lacking, bytes + (long) count * LogRecord.HEAD);
        try {
            entries.takeRoom(wanted);
            lacking = 0;
            if (full) {
                full = false;
                LOG.info("{}: the disk has room again; this member continues", folder);
            }
        } catch (IOException e) {
            lacking = wanted;
            if (!full) {
                full = true;
                LOG.warn(
                        "{}: the disk is full ({}); this member takes no requests until there is room; make some",
                        folder,
                        e.getMessage());
            }
        }
        return !full;
    }

    /** Whether the disk had no room when last asked. */
    boolean isFull() {
        return full;
    }

    @Override
    public void init(String name, Map<String, String> arguments) {
        // The constructor has read everything.
    }

    @Override
    public Log useFsync(boolean value) {
        fsync = value;
        return this;
    }

    @Override
    public boolean useFsync() {
        return fsync;
    }

    @Override
    public void delete() {
        throw new UnsupportedOperationException("a member's log is deleted by its operator only");
    }

    @Override
    public long currentTerm() {
        return state.now().term();
    }

    @Override
    public Log currentTerm(long term) {
        if (term > currentTerm()) {
            writing("a term", () -> keep(now -> now.term(term).vote(new byte[0])));
        }
        return this;
    }

    @Override
    public @Nullable Address votedFor() {
        byte[] vote = state.now().vote();
        if (vote.length == 0) {
            return null;
        }
        try {
            return Util.readAddress(new DataInputStream(new ByteArrayInputStream(vote)));
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException("the stored vote cannot be read", e);
        }
    }

    @Override
    public Log votedFor(@Nullable Address member) {
        byte[] vote = encode(member);
        if (vote.length > MemberState.MAX_VOTE) {
            throw new IllegalArgumentException("an address of " + vote.length + " bytes");
        }
        writing("a vote", () -> keep(now -> now.vote(vote)));
        return this;
    }

    private static byte[] encode(@Nullable Address member) {
        if (member == null) {
            return new byte[0];
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            Util.writeAddress(member, new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new IllegalStateException("cannot encode " + member, e);
        }
        return bytes.toByteArray();
    }

    @Override
    public long commitIndex() {
        return state.now().commit();
    }

    @Override
    public Log commitIndex(long index) {
        if (index != commitIndex()) {
            writing("the commit index", () -> state.note(now -> now.commit(index)));
        }
        return this;
    }

    /** Returns when the next process would know, also after a loss of power, that entries up to there are committed. */
    void keepCommitIndex(long index) {
        if (index > commitIndex()) {
            writing("the commit index", () -> keep(now -> now.commit(index)));
        }
    }

    @Override
    public long firstAppended() {
        long first = entries.first();
        return first == 1 ? 0 : first; // RAFT asks whether anything was cut off
    }

    @Override
    public long lastAppended() {
        return entries.last();
    }

    @Override
    public long append(long index, LogEntries more) {
        writing("log entry " + index, () -> {
            List<LogEntry> appended = List.of(more.toArray());
            MemberState before = state.now();
            entries.append(index, appended, before.acknowledged(), fsync);
            long last = entries.last();
            int checksum = entries.checksum();
            state.note(now -> now.acknowledged(last, checksum));
        });
        return entries.last();
    }

    @Override
    public @Nullable LogEntry get(long index) {
        try {
            return entries.get(index).map(LogRecord::entry).orElse(null);
        } catch (IOException e) {
            throw broken(e.getMessage() + "; restart this member, and it repairs its log from the others", e);
        }
    }

    @Override
    public long newest(long index, long bytes) {
        return entries.newest(index, bytes);
    }

    @Override
    public void truncate(long index) {
        long from = Math.min(index, commitIndex());
        if (from <= entries.first() || from > entries.last()) {
            return;
        }
        writing("the log behind a snapshot", () -> {
            try {
                entries.cutBelow(from);
            } catch (EntryFile.NoRoomException e) {
                LOG.warn("{}: the log cannot be cut now ({}); it is tried again later", folder, e.getMessage());
            }
        });
    }

    @Override
    public void reinitializeTo(long index, LogEntry entry) {
        writing("the log behind a snapshot", () -> LogInspection.beginAt(index, entry, entries, state, fsync));
    }

    @Override
    public void deleteAllEntriesStartingFrom(long index) {
        if (index <= commitIndex()) {
            throw new IllegalStateException("entry " + index + " is committed");
        }
        if (index > entries.last()) {
            return;
        }
        writing("the log without its end", () -> {
            int checksum = entries.get(index - 1).map(LogRecord::checksum).orElse(0);
            keep(now -> now.acknowledged(checksum == 0 ? 0 : index - 1, checksum));
            entries.cutFrom(index);
        });
    }

    @Override
    public void forEach(ObjLongConsumer<LogEntry> visitor, long from, long to) {
        for (long index = Math.max(from, Math.max(1, entries.first()));
                index <= Math.min(to, entries.last());
                index++) {
            LogEntry entry = get(index);
            if (entry != null) {
                visitor.accept(entry, index);
            }
        }
    }

    @Override
    public void forEach(ObjLongConsumer<LogEntry> visitor) {
        forEach(visitor, entries.first(), entries.last());
    }

    @Override
    public long sizeInBytes() {
        return entries.bytes();
    }

    @Override
    public void close() throws IOException {
        try (entries;
                state) {
            LOG.trace("{}: closed behind entry {}", folder, entries.last());
        }
    }

    private void keep(UnaryOperator<MemberState> change) throws IOException {
        state.keep(change, fsync);
    }

    private interface Write {
        void run() throws IOException;
    }

    private void writing(String what, Write write) {
        if (broken.get()) {
            throw new IllegalStateException("an earlier write to the log failed");
        }
        // JGroups interrupts threads that it ends, and an interrupt would close the file under the others.
        boolean interrupted = Thread.interrupted();
        try {
            write.run();
        } catch (IOException e) {
            throw broken(
                    what + " could not be written to " + folder + " (" + e.getMessage()
                            + "); look at the disk, then restart this member",
                    e);
        } catch (RuntimeException | Error e) {
            // A part of it may be written, or all of it without the fields here that tell so.
            ends(what + " could not be written to " + folder + " (" + e
                    + "); restart this member, with more memory if it lacked some");
            throw e;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private IllegalStateException broken(String why, IOException cause) {
        ends(why);
        return new IllegalStateException(why, cause);
    }

    private void ends(String why) {
        if (broken.compareAndSet(false, true)) {
            onBroken.accept(why);
        }
    }
}
