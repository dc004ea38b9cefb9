package org.amo.replication.order.sequencer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The entries that a member has received, in memory: those behind its last snapshot, and a hash over all up to each
 * position. Positions begin at 1. One thread at a time.
 */
final class SequenceHistory {

    /**
     * Stands for all entries up to a position.
     *
     * @param hash over them
     * @param content as its owner wrote it down; never empty
     */
    record Snapshot(long position, long hash, byte[] content) {}

    // Invariant: hashes[i] covers entries 1 to base + i; entry base + i is entries.get(i - 1).
    private final List<byte[]> entries = new ArrayList<>();
    private long[] hashes = new long[1_024];
    private long base;
    private Optional<Snapshot> snapshot = Optional.empty();

    /** Back to nothing at all. */
    void clear() {
        entries.clear();
        base = 0;
        hashes[0] = 0;
        snapshot = Optional.empty();
    }

    /** Begins with the snapshot of another member; entries come behind it. */
    void begin(Snapshot with) {
        entries.clear();
        base = with.position;
        hashes[0] = with.hash;
        snapshot = Optional.of(with);
    }

    void append(byte[] entry) {
        int last = entries.size();
        entries.add(entry);
        if (last + 1 == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * hashes.length);
        }
        hashes[last + 1] = chain(hashes[last], entry);
    }

    /** The position of the last entry. */
    long received() {
        return base + entries.size();
    }

    /** The last position that the snapshot stands for; 0 if there is none. */
    long base() {
        return base;
    }

    Optional<Snapshot> snapshot() {
        return snapshot;
    }

    /** Over the entries up to a position from {@link #base} on. */
    long hash(long position) {
        return hashes[(int) (position - base)];
    }

    /** At a position behind {@link #base}. */
    byte[] entry(long position) {
        return entries.get((int) (position - base) - 1);
    }

    /** Entries from one position to another, but no more once they have so many bytes. */
    List<byte[]> entries(long first, long last, int mostBytes) {
        List<byte[]> some = new ArrayList<>();
        long bytes = 0;
        for (long position = first; position <= last && bytes < mostBytes; position++) {
            byte[] entry = entry(position);
            some.add(entry);
            bytes += entry.length;
        }
        return some;
    }

    /** Forgets the entries up to a position that was received. @return false if an as late snapshot is there */
    boolean cut(long position, byte[] content) {
        if (position <= base || position > received()) {
            return false;
        }
        int forgotten = (int) (position - base);
        snapshot = Optional.of(new Snapshot(position, hash(position), content));
        hashes = Arrays.copyOfRange(hashes, forgotten, Math.max(entries.size() + 1, forgotten + 1_024));
        entries.subList(0, forgotten).clear();
        base = position;
        return true;
    }

    /** FNV-1a over the entry, from the hash before it. */
    private static long chain(long before, byte[] entry) {
        long hash = (before ^ 0xcbf29ce484222325L) * 0x100000001b3L;
        for (byte b : entry) {
            hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
        }
        return hash;
    }
}
