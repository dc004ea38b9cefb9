package org.amo.replication.order.raft;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.jgroups.Address;
import org.jgroups.protocols.raft.FileBasedLog;
import org.jgroups.protocols.raft.Log;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * jgroups-raft's file log, made to survive what a crash leaves behind:
 * <ul>
 *   <li>An entry that was half written when the process died passes the file's own checks. Entries carry
 *       a checksum ({@link EntryFrame}); at the start the log is cut after the last whole one. A cut entry
 *       was never acknowledged, because that happens after the write (and the sync).
 *   <li>An append that fails is only printed and then acknowledged. Here it throws: no acknowledgement. The next one
 *       would write what the failed one left in the buffer, so that a leader kept another entry than it sent. Here
 *       nothing is appended any more, and whoever listens is told once. What was appended is read again, since a full
 *       disk may take half of it and say nothing.
 *   <li>The stored term falls back when old entries are appended or cut off, so that a restarted member
 *       could vote twice in a term. Here it never falls.
 *   <li>A vote is not synced. Here it is, if the log is.
 *   <li>When old entries are cut off, the file that is left is put in place before it is on disk. Here it is forced
 *       first. A cut leaves the entry at the snapshot's index as the first one.
 *   <li>A crash while a snapshot of another member is put in place can leave a log that is older than it. Here the log
 *       is brought to the snapshot at the start.
 * </ul>
 */
public final class CheckedFileLog extends FileBasedLog {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedFileLog.class);

    /** Of an entry in the file: magic, length of all, term, index, internal, length of the data. */
    private static final int ENTRY_HEAD = 1 + Integer.BYTES + 2 * Long.BYTES + 1 + Integer.BYTES;

    private static final byte ENTRY_MAGIC = 1;

    private String folder = ".";
    private Map<String, String> initArguments = Map.of();
    private Path metadata = Path.of("metadata.raft");
    private Consumer<String> onBroken = why -> LOG.error("{}", why);
    private boolean broken;

    /** For jgroups-raft, which makes it by name. */
    public CheckedFileLog() {}

    @Override
    public void init(String name, Map<String, String> arguments) throws Exception {
        super.init(name, arguments);
        folder = name;
        initArguments = Map.copyOf(arguments);
        metadata = Path.of(name).resolve("metadata.raft");
        bringToSnapshot();
        long last = lastAppended();
        long keep = commitIndex();
        if (keep > last) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "the log in " + name + " has lost entries that it had acknowledged (a power failure without"
                            + " --log fsync?); start the whole group anew with another --data folder");
        }
        while (keep < last && isWhole(keep + 1)) {
            keep++;
        }
        if (keep < last) {
            LOG.warn(
                    "{}: {} entries after position {} were not written whole by a crash and are cut off; they were"
                            + " not acknowledged",
                    name,
                    last - keep,
                    keep);
        }
        // Even if nothing is lost: what an older tail left behind the end must not be read as entries later.
        deleteAllEntriesStartingFrom(keep + 1);
    }

    /** @param told why nothing can be appended any more, in the thread that tried to */
    void onBroken(Consumer<String> told) {
        onBroken = told;
    }

    @Override
    public long append(long index, LogEntries entries) {
        if (broken) {
            throw new IllegalStateException("an earlier log entry could not be written");
        }
        long term = currentTerm();
        long expected = index + entries.size() - 1;
        // Until it is known to be written.
        broken = true;
        long appended = -1;
        try {
            appended = super.append(index, entries);
            // A disk that becomes full takes a part of a write without a word.
            if (appended == expected && !isWhole(expected)) {
                appended = -1;
            }
        } finally {
            broken = appended != expected;
            if (broken) {
                onBroken.accept("log entry " + expected
                        + " could not be written; is the disk full? Make room and restart this member");
            }
        }
        keepTerm(term);
        if (broken) {
            throw new IllegalStateException("log entry " + expected + " could not be written");
        }
        return appended;
    }

    @Override
    public void deleteAllEntriesStartingFrom(long index) {
        long term = currentTerm();
        super.deleteAllEntriesStartingFrom(index);
        keepTerm(term);
    }

    @Override
    public void truncate(long index) {
        long first = Math.min(index, commitIndex());
        if (first <= firstAppended() || get(first) == null) {
            return;
        }
        long last = lastAppended();
        replaceEntries(out -> {
            for (long each = first; each <= last; each++) {
                write(out, each, get(each));
            }
        });
    }

    // The original forgets to flip its buffer and writes nothing.
    @Override
    public void reinitializeTo(long index, LogEntry entry) {
        replaceEntries(out -> write(out, index, entry));
        commitIndex(index);
        keepTerm(entry.term());
        if (firstAppended() != index || lastAppended() != index) {
            throw new IllegalStateException("cannot begin the log in " + folder + " anew");
        }
    }

    private interface Entries {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Puts a file with these entries in the place of the present one, forced before. */
    private void replaceEntries(Entries entries) {
        long term = currentTerm();
        Path path = Path.of(folder);
        Path next = path.resolve("entries.next");
        try {
            try (FileChannel file = FileChannel.open(
                            next,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.TRUNCATE_EXISTING);
                    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(file), 1 << 18)) {
                entries.writeTo(out);
                out.flush();
                file.force(true);
            }
            super.close();
            Files.move(
                    next,
                    path.resolve("entries.raft"),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
            SnapshotFile.forceFolder(path);
            super.init(folder, initArguments);
            keepTerm(term);
        } catch (Exception e) {
            throw new IllegalStateException("cannot write the log in " + folder + " anew; is the disk full?", e);
        }
    }

    @Override
    public Log votedFor(Address member) {
        super.votedFor(member);
        if (useFsync()) {
            try (FileChannel file = FileChannel.open(metadata, StandardOpenOption.WRITE)) {
                file.force(true);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot store a vote in " + metadata, e);
            }
        }
        return this;
    }

    /** What {@link GuardedRaft#install} did not come to before a crash. */
    private void bringToSnapshot() throws IOException {
        Optional<SnapshotFile.Stored> stored;
        try {
            stored = new SnapshotFile(Path.of(folder)).read();
        } catch (IOException e) {
            throw damaged("the snapshot in " + folder + " is damaged (" + e.getMessage() + ")", e);
        }
        long index = stored.map(found -> found.head().index()).orElse(0L);
        if (stored.isPresent() && index > commitIndex()) {
            LogEntry there = get(index);
            long term = stored.get().head().term();
            if (there != null && there.term() == term) {
                commitIndex(index);
            } else {
                reinitializeTo(index, new LogEntry(term, new byte[0]));
            }
        }
        if (firstAppended() > index) {
            throw damaged("the log in " + folder + " begins behind its snapshot", null);
        }
    }

    private static OrderedLogException damaged(String what, @Nullable Throwable cause) {
        String message = what + "; remove this member with amo member remove, and add it again with an empty folder";
        return cause == null
                ? new OrderedLogException(Fault.ENVIRONMENT, message)
                : new OrderedLogException(Fault.ENVIRONMENT, message, cause);
    }

    private static void write(OutputStream out, long index, LogEntry entry) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(ENTRY_HEAD);
        head.put(ENTRY_MAGIC).putInt(ENTRY_HEAD + entry.length()).putLong(entry.term());
        head.putLong(index).put((byte) (entry.internal() ? 1 : 0)).putInt(entry.length());
        out.write(head.array());
        if (entry.length() > 0) {
            out.write(entry.command(), entry.offset(), entry.length());
        }
    }

    private void keepTerm(long term) {
        if (currentTerm() < term) {
            currentTerm(term);
        }
    }

    private boolean isWhole(long index) {
        LogEntry entry = get(index);
        return entry != null && EntryFrame.isWhole(entry);
    }
}
