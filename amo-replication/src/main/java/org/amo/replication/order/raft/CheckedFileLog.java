package org.amo.replication.order.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.function.Consumer;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.jgroups.Address;
import org.jgroups.protocols.raft.FileBasedLog;
import org.jgroups.protocols.raft.Log;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
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
 *       nothing is appended any more, and whoever listens is told once.
 *   <li>The stored term falls back when old entries are appended or cut off, so that a restarted member
 *       could vote twice in a term. Here it never falls.
 *   <li>A vote is not synced. Here it is, if the log is.
 * </ul>
 */
public final class CheckedFileLog extends FileBasedLog {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedFileLog.class);

    private Path metadata = Path.of("metadata.raft");
    private Consumer<String> onBroken = why -> LOG.error("{}", why);
    private boolean broken;

    /** For jgroups-raft, which makes it by name. */
    public CheckedFileLog() {}

    @Override
    public void init(String name, Map<String, String> arguments) throws Exception {
        super.init(name, arguments);
        metadata = Path.of(name).resolve("metadata.raft");
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
