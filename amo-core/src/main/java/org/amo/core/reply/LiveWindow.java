package org.amo.core.reply;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The live entries of one client by number: a sorted list of dense chunks. Numbers of one client are issued in
 * a row and die in about that order, so a chunk is full, then goes; a number left behind keeps only its chunk.
 */
final class LiveWindow {
    private static final int CHUNK = 16;
    private static final Chunk[] EMPTY = {};

    /** Visits live entries. */
    interface Visitor {
        void visit(long number, LiveEntry entry);
    }

    private Chunk[] chunks = EMPTY;
    private int size;
    private int live;

    int live() {
        return live;
    }

    Optional<LiveEntry> find(long number) {
        int index = indexOf(number / CHUNK);
        return index < size && chunks[index].key == number / CHUNK
                ? Optional.ofNullable(chunks[index].slots[(int) (number % CHUNK)])
                : Optional.empty();
    }

    /** The number must not be live. */
    void put(long number, LiveEntry entry) {
        long key = number / CHUNK;
        int index = indexOf(key);
        if (index == size || chunks[index].key != key) {
            if (size == chunks.length) {
                chunks = Arrays.copyOf(chunks, Math.max(2, 2 * size));
            }
            System.arraycopy(chunks, index, chunks, index + 1, size - index);
            chunks[index] = new Chunk(key);
            size++;
        }
        Chunk chunk = chunks[index];
        chunk.slots[(int) (number % CHUNK)] = entry;
        chunk.used++;
        chunk.earliestExpiry = Math.min(chunk.earliestExpiry, entry.expiresAtMillis());
        live++;
    }

    /** Removes all live numbers from first to last, both included, telling the visitor of each in order. */
    void removeRange(long first, long last, Visitor removed) {
        for (int index = indexOf(first / CHUNK); index < size && chunks[index].key <= last / CHUNK; index++) {
            Chunk chunk = chunks[index];
            long base = chunk.key * CHUNK;
            int from = (int) (Math.max(first, base) - base);
            int to = (int) (Math.min(last, base + CHUNK - 1) - base);
            boolean earliestGoes = false;
            for (int slot = from; slot <= to; slot++) {
                LiveEntry entry = chunk.slots[slot];
                earliestGoes |= entry != null && entry.expiresAtMillis() == chunk.earliestExpiry;
                remove(chunk, slot, removed);
            }
            if (earliestGoes) {
                chunk.findEarliestExpiry();
            }
        }
        dropEmptyChunks();
    }

    /** Removes what expired before {@code nowMillis}, telling the visitor of each in order of number. */
    void removeExpired(long nowMillis, Visitor removed) {
        for (int index = 0; index < size; index++) {
            Chunk chunk = chunks[index];
            if (chunk.earliestExpiry >= nowMillis) {
                continue;
            }
            for (int slot = 0; slot < CHUNK; slot++) {
                LiveEntry entry = chunk.slots[slot];
                if (entry != null && entry.expiresAtMillis() < nowMillis) {
                    remove(chunk, slot, removed);
                }
            }
            chunk.findEarliestExpiry();
        }
        dropEmptyChunks();
    }

    /**
     * The earliest expiry of what is live; Long.MAX_VALUE when nothing is. Exact, not merely early: when a record
     * is looked at depends on it, and must not depend on whether the record came out of a snapshot.
     */
    long earliestExpiry() {
        long earliest = Long.MAX_VALUE;
        for (int index = 0; index < size; index++) {
            earliest = Math.min(earliest, chunks[index].earliestExpiry);
        }
        return earliest;
    }

    void forEach(Visitor visitor) {
        for (int index = 0; index < size; index++) {
            for (int slot = 0; slot < CHUNK; slot++) {
                LiveEntry entry = chunks[index].slots[slot];
                if (entry != null) {
                    visitor.visit(chunks[index].key * CHUNK + slot, entry);
                }
            }
        }
    }

    LiveWindow copy() {
        LiveWindow copy = new LiveWindow();
        copy.chunks = new Chunk[size];
        for (int index = 0; index < size; index++) {
            copy.chunks[index] = chunks[index].copy();
        }
        copy.size = size;
        copy.live = live;
        return copy;
    }

    private void remove(Chunk chunk, int slot, Visitor removed) {
        LiveEntry entry = chunk.slots[slot];
        if (entry != null) {
            chunk.slots[slot] = null;
            chunk.used--;
            live--;
            removed.visit(chunk.key * CHUNK + slot, entry);
        }
    }

    private void dropEmptyChunks() {
        int kept = 0;
        for (int index = 0; index < size; index++) {
            if (chunks[index].used > 0) {
                chunks[kept++] = chunks[index];
            }
        }
        Arrays.fill(chunks, kept, size, null);
        size = kept;
        if (size == 0) {
            chunks = EMPTY;
        } else if (chunks.length > 8 && size < chunks.length / 4) {
            chunks = Arrays.copyOf(chunks, 2 * size);
        }
    }

    /** Index of the first chunk with at least this key. */
    private int indexOf(long key) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (chunks[middle].key < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static final class Chunk {
        private final long key;
        private final @Nullable LiveEntry[] slots = new LiveEntry[CHUNK];
        private int used;

        /** Of the entries that are in it now. */
        private long earliestExpiry = Long.MAX_VALUE;

        private Chunk(long key) {
            this.key = key;
        }

        private Chunk copy() {
            Chunk copy = new Chunk(key);
            for (int slot = 0; slot < CHUNK; slot++) {
                LiveEntry entry = slots[slot];
                copy.slots[slot] = entry == null ? null : entry.copy();
            }
            copy.used = used;
            copy.earliestExpiry = earliestExpiry;
            return copy;
        }

        private void findEarliestExpiry() {
            earliestExpiry = Long.MAX_VALUE;
            for (LiveEntry entry : slots) {
                if (entry != null) {
                    earliestExpiry = Math.min(earliestExpiry, entry.expiresAtMillis());
                }
            }
        }
    }
}
