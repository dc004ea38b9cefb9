package org.amo.scmp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * G.CT: the timestamp last accepted on each connection, in plain arrays: 28 bytes an entry and 4 to 12 of index, no
 * object. An entry stays in its slot until it is removed, so that others can keep columns of their own by slot.
 *
 * <p>One thread owns it. Not kept across a crash.
 */
final class ConnectionTable {
    /** Returned for "no such entry". */
    public static final int NONE = -1;

    private static final int CHUNK_BITS = 12;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int MASK = CHUNK - 1;
    private static final long FREE = -1;

    private final long hashSeed;
    private final List<Chunk> chunks = new ArrayList<>();

    /** Open addressing, linear probing; slot + 1, 0 for empty. */
    private int[] index = new int[64];

    private int size;
    private int slots;
    private int firstFree = NONE;

    private static final class Chunk {
        private final long[] clientHigh = new long[CHUNK];
        private final long[] clientLow = new long[CHUNK];
        private final int[] uid = new int[CHUNK];

        /** Micros, or FREE; a free slot keeps the next free one in {@code uid}. */
        private final long[] timestamp = new long[CHUNK];
    }

    public ConnectionTable(long hashSeed) {
        this.hashSeed = hashSeed;
    }

    public int size() {
        return size;
    }

    /** All slots in use are below this. */
    public int slots() {
        return slots;
    }

    /** The slot of a connection, or {@link #NONE}. */
    public int find(ConnectionId connection) {
        int at = home(connection.clientHigh(), connection.clientLow(), connection.uid());
        while (index[at] != 0) {
            int slot = index[at] - 1;
            Chunk chunk = chunks.get(slot >>> CHUNK_BITS);
            int i = slot & MASK;
            if (chunk.clientLow[i] == connection.clientLow()
                    && chunk.uid[i] == connection.uid()
                    && chunk.clientHigh[i] == connection.clientHigh()) {
                return slot;
            }
            at = at + 1 & index.length - 1;
        }
        return NONE;
    }

    /** Adds a connection that is not there, and returns its slot. */
    public int add(ConnectionId connection, long timestampMicros) {
        // Full to four fifths at most; the next size is then two fifths full.
        if ((size + 1) * 5L > index.length * 4L) {
            grow();
        }
        int slot = takeSlot();
        Chunk chunk = chunks.get(slot >>> CHUNK_BITS);
        int i = slot & MASK;
        chunk.clientHigh[i] = connection.clientHigh();
        chunk.clientLow[i] = connection.clientLow();
        chunk.uid[i] = connection.uid();
        chunk.timestamp[i] = timestampMicros;
        link(slot);
        size++;
        return slot;
    }

    public boolean isUsed(int slot) {
        return chunks.get(slot >>> CHUNK_BITS).timestamp[slot & MASK] != FREE;
    }

    /** The timestamp last accepted. */
    public long timestamp(int slot) {
        return chunks.get(slot >>> CHUNK_BITS).timestamp[slot & MASK];
    }

    public void setTimestamp(int slot, long timestampMicros) {
        chunks.get(slot >>> CHUNK_BITS).timestamp[slot & MASK] = timestampMicros;
    }

    public int uid(int slot) {
        return chunks.get(slot >>> CHUNK_BITS).uid[slot & MASK];
    }

    public ConnectionId connection(int slot) {
        Chunk chunk = chunks.get(slot >>> CHUNK_BITS);
        int i = slot & MASK;
        return new ConnectionId(chunk.clientHigh[i], chunk.clientLow[i], chunk.uid[i]);
    }

    /** The caller has raised the bound that refuses this entry from now on. */
    void remove(int slot) {
        int at = homeOf(slot);
        while (index[at] != slot + 1) {
            at = at + 1 & index.length - 1;
        }
        closeGap(at);
        Chunk chunk = chunks.get(slot >>> CHUNK_BITS);
        chunk.timestamp[slot & MASK] = FREE;
        chunk.uid[slot & MASK] = firstFree;
        firstFree = slot;
        size--;
    }

    /** Moves back the entries that linear probing had pushed past the gap. */
    private void closeGap(int gap) {
        int hole = gap;
        int at = hole;
        while (true) {
            at = at + 1 & index.length - 1;
            if (index[at] == 0) {
                index[hole] = 0;
                return;
            }
            int home = homeOf(index[at] - 1);
            if ((at - home & index.length - 1) >= (at - hole & index.length - 1)) {
                index[hole] = index[at];
                hole = at;
            }
        }
    }

    private int takeSlot() {
        if (firstFree != NONE) {
            int slot = firstFree;
            firstFree = uid(slot);
            return slot;
        }
        if (slots == chunks.size() << CHUNK_BITS) {
            Chunk chunk = new Chunk();
            Arrays.fill(chunk.timestamp, FREE);
            chunks.add(chunk);
        }
        return slots++;
    }

    private void grow() {
        index = new int[2 * index.length];
        for (int slot = 0; slot < slots; slot++) {
            if (isUsed(slot)) {
                link(slot);
            }
        }
    }

    private void link(int slot) {
        int at = homeOf(slot);
        while (index[at] != 0) {
            at = at + 1 & index.length - 1;
        }
        index[at] = slot + 1;
    }

    private int homeOf(int slot) {
        Chunk chunk = chunks.get(slot >>> CHUNK_BITS);
        int i = slot & MASK;
        return home(chunk.clientHigh[i], chunk.clientLow[i], chunk.uid[i]);
    }

    private int home(long high, long low, int uid) {
        long mixed = (high ^ hashSeed) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 32 ^ low) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 29 ^ uid) * 0x94D049BB133111EBL;
        return (int) (mixed ^ mixed >>> 32) & index.length - 1;
    }
}
