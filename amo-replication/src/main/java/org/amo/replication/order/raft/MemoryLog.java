package org.amo.replication.order.raft;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;
import org.jgroups.Address;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jspecify.annotations.Nullable;

/**
 * A log in the heap of one member, gone with it. (jgroups-raft's own keeps all logs of a JVM in a static map, for
 * ever, and has no entry at the index to which a snapshot brings it.) Guarded by its own lock: RAFT's thread changes it, and a vote in
 * another thread tells its end, which must not look shorter while the log is cut.
 */
final class MemoryLog implements MeasuredLog {
    private long term;
    private @Nullable Address vote;
    private long commit;

    // Invariant: entry i of the list has index first + i, but for a log that nothing was cut from, where first is 0 and
    // index 0 is a place holder.
    private long first;
    private List<@Nullable LogEntry> entries = new ArrayList<>();

    /** For jgroups-raft, which makes it by name. */
    public MemoryLog() {
        entries.add(null);
    }

    @Override
    public void init(String name, Map<String, String> arguments) {
        // Begins empty.
    }

    @Override
    public MemoryLog useFsync(boolean ignored) {
        return this;
    }

    @Override
    public boolean useFsync() {
        return false;
    }

    @Override
    public synchronized void delete() {
        entries.clear();
    }

    @Override
    public synchronized long currentTerm() {
        return term;
    }

    @Override
    public synchronized MemoryLog currentTerm(long value) {
        term = value;
        return this;
    }

    @Override
    public synchronized @Nullable Address votedFor() {
        return vote;
    }

    @Override
    public synchronized MemoryLog votedFor(@Nullable Address member) {
        vote = member;
        return this;
    }

    @Override
    public synchronized long commitIndex() {
        return commit;
    }

    @Override
    public synchronized MemoryLog commitIndex(long index) {
        commit = index;
        return this;
    }

    @Override
    public synchronized long firstAppended() {
        return first;
    }

    @Override
    public synchronized long lastAppended() {
        return first + entries.size() - 1;
    }

    @Override
    public synchronized long append(long index, LogEntries more) {
        if (index != lastAppended() + 1) {
            throw new IllegalStateException("entry " + index + " behind " + lastAppended());
        }
        // All or none, also if the heap ends here.
        entries.addAll(Arrays.asList(more.toArray()));
        for (LogEntry entry : more) {
            term = Math.max(term, entry.term());
        }
        return lastAppended();
    }

    @Override
    public synchronized @Nullable LogEntry get(long index) {
        return index < Math.max(1, first) || index > lastAppended() ? null : entries.get((int) (index - first));
    }

    @Override
    public synchronized long newest(long index, long bytes) {
        long count = 0;
        long left = bytes;
        for (LogEntry entry = get(index); entry != null && entry.length() <= left; entry = get(index - count)) {
            left -= entry.length();
            count++;
        }
        return count;
    }

    @Override
    public synchronized void truncate(long index) {
        long upTo = Math.min(index, commit);
        if (upTo > first) {
            entries = new ArrayList<>(entries.subList((int) (upTo - first), entries.size()));
            first = upTo;
        }
    }

    @Override
    public synchronized void reinitializeTo(long index, LogEntry entry) {
        entries = new ArrayList<>();
        entries.add(entry);
        first = index;
        commit = index;
        term = Math.max(term, entry.term());
    }

    @Override
    public synchronized void deleteAllEntriesStartingFrom(long index) {
        if (index <= commit) {
            throw new IllegalStateException("entry " + index + " is committed");
        }
        entries.subList((int) (index - first), entries.size()).clear();
    }

    @Override
    public synchronized void forEach(ObjLongConsumer<LogEntry> visitor, long from, long to) {
        for (long index = Math.max(from, Math.max(1, first)); index <= Math.min(to, lastAppended()); index++) {
            LogEntry entry = get(index);
            if (entry != null) {
                visitor.accept(entry, index);
            }
        }
    }

    @Override
    public synchronized void forEach(ObjLongConsumer<LogEntry> visitor) {
        forEach(visitor, first, lastAppended());
    }

    @Override
    public synchronized long sizeInBytes() {
        long bytes = 0;
        for (LogEntry entry : entries) {
            bytes += entry == null ? 0 : entry.length();
        }
        return bytes;
    }

    @Override
    public void close() {
        // Nothing is held but memory.
    }
}
