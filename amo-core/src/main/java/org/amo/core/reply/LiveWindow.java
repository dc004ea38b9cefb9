package org.amo.core.reply;

import java.util.Arrays;
import java.util.Optional;

/**
 * The live entries of one client by number: a sorted list of dense chunks. Numbers of one client are issued in
 * a row and die in about that order, so a chunk is full, then goes; a number left behind keeps only its chunk.
 *
 * <p>A client chooses its numbers, so each of its entries may have a chunk of its own. An acknowledgement that frees nothing
 * must not walk the chunks.
 */
class LiveWindow {
    private static final int CHUNK = LiveChunk.SIZE;
    private static final LiveChunk[] EMPTY = {};

    /** Visits live entries. */
    interface Visitor {
        void visit(long number, LiveEntry entry);
    }

    /** Each holds an entry. */
    private LiveChunk[] chunks = EMPTY;

    private int size;
    private int live;
    private long earliestExpiry = Long.MAX_VALUE;

    /** An entry went that may have been the only one to expire at {@link #earliestExpiry}. */
    private boolean earliestGone;

    LiveChunk newChunk(long key) {
        return new LiveChunk(key);
    }

    final int live() {
        return live;
    }

    Optional<LiveEntry> find(long number) {
        int index = indexOf(number / CHUNK);
        int slot = (int) (number % CHUNK);
        return isLive(index, number) ? Optional.of(chunks[index].get(slot)) : Optional.empty();
    }

    /** The number must not be live. */
    void put(long number, LiveEntry entry) {
        long key = number / CHUNK;
        int index = indexOf(key);
        if (index == size || chunks[index].key() != key) {
            if (size == chunks.length) {
                chunks = Arrays.copyOf(chunks, size < 2 ? size + 1 : size + size / 2);
            }
            System.arraycopy(chunks, index, chunks, index + 1, size - index);
            chunks[index] = newChunk(key);
            size++;
        }
        chunks[index].put((int) (number % CHUNK), entry);
        live++;
        earliestExpiry = Math.min(earliestExpiry, entry.expiresAtMillis());
    }

    /** The number must be live. */
    void complete(long number, byte[] reply) {
        int index = indexOf(number / CHUNK);
        if (!isLive(index, number)) {
            throw new IllegalStateException("not live: " + number);
        }
        chunks[index].complete((int) (number % CHUNK), reply);
    }

    /** Whether any number from first to last, both included, is live. */
    boolean hasBetween(long first, long last) {
        for (int index = indexOf(first / CHUNK); index < size && chunks[index].key() <= last / CHUNK; index++) {
            LiveChunk chunk = chunks[index];
            for (int slot = 0; slot < CHUNK; slot++) {
                if (chunk.isLive(slot) && chunk.number(slot) >= first && chunk.number(slot) <= last) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Removes all live numbers from first to last, both included, telling the visitor of each in order. */
    void removeRange(long first, long last, Visitor removed) {
        int from = indexOf(first / CHUNK);
        int index = from;
        boolean emptied = false;
        for (; index < size && chunks[index].key() <= last / CHUNK; index++) {
            LiveChunk chunk = chunks[index];
            int fromSlot = (int) (Math.max(first, chunk.number(0)) - chunk.number(0));
            int toSlot = (int) (Math.min(last, chunk.number(CHUNK - 1)) - chunk.number(0));
            emptied |= removeFrom(chunk, fromSlot, toSlot, Long.MAX_VALUE, removed);
        }
        if (emptied) {
            dropEmptyChunks(from, index);
        }
    }

    /** Removes the entries that expired before {@code nowMillis}, telling the visitor of each in order of number. */
    void removeExpired(long nowMillis, Visitor removed) {
        if (earliestExpiry() >= nowMillis) {
            return;
        }
        boolean emptied = false;
        for (int index = 0; index < size; index++) {
            if (chunks[index].earliestExpiry() < nowMillis) {
                emptied |= removeFrom(chunks[index], 0, CHUNK - 1, nowMillis, removed);
            }
        }
        if (emptied) {
            dropEmptyChunks(0, size);
        }
    }

    /**
     * The earliest expiry of the live entries; Long.MAX_VALUE when there is none. Exact, not merely early: the time at which
     * a record is looked at depends on it, and must not depend on whether the record came out of a snapshot.
     */
    long earliestExpiry() {
        if (earliestGone) {
            earliestGone = false;
            earliestExpiry = Long.MAX_VALUE;
            for (int index = 0; index < size; index++) {
                earliestExpiry = Math.min(earliestExpiry, chunks[index].earliestExpiry());
            }
        }
        return earliestExpiry;
    }

    void forEach(Visitor visitor) {
        for (int index = 0; index < size; index++) {
            LiveChunk chunk = chunks[index];
            for (int slot = 0; slot < CHUNK; slot++) {
                if (chunk.isLive(slot)) {
                    visitor.visit(chunk.number(slot), chunk.get(slot));
                }
            }
        }
    }

    LiveWindow copy() {
        LiveWindow copy = new LiveWindow();
        copy.chunks = size == 0 ? EMPTY : new LiveChunk[size];
        for (int index = 0; index < size; index++) {
            copy.chunks[index] = chunks[index].copy();
        }
        copy.size = size;
        copy.live = live;
        copy.earliestExpiry = earliestExpiry;
        copy.earliestGone = earliestGone;
        return copy;
    }

    private boolean isLive(int index, long number) {
        return index < size && chunks[index].key() == number / CHUNK && chunks[index].isLive((int) (number % CHUNK));
    }

    /** Whether that emptied the chunk. */
    private boolean removeFrom(LiveChunk chunk, int fromSlot, int toSlot, long expiredBefore, Visitor removed) {
        int before = live;
        for (int slot = fromSlot; slot <= toSlot; slot++) {
            if (chunk.isLive(slot)) {
                LiveEntry entry = chunk.get(slot);
                if (entry.expiresAtMillis() < expiredBefore) {
                    chunk.remove(slot);
                    live--;
                    earliestGone |= entry.expiresAtMillis() == earliestExpiry;
                    removed.visit(chunk.number(slot), entry);
                }
            }
        }
        if (live == before) {
            return false;
        }
        chunk.trim();
        return chunk.isEmpty();
    }

    /** Removes the empty chunks; they have indexes below {@code to} and not below {@code from}. */
    private void dropEmptyChunks(int from, int to) {
        int kept = from;
        for (int index = from; index < to; index++) {
            if (!chunks[index].isEmpty()) {
                chunks[kept++] = chunks[index];
            }
        }
        System.arraycopy(chunks, to, chunks, kept, size - to);
        int newSize = kept + size - to;
        Arrays.fill(chunks, newSize, size, null);
        size = newSize;
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
            if (chunks[middle].key() < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
