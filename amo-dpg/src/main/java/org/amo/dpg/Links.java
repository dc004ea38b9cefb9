package org.amo.dpg;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Arcs by place. Invariant between calls: only the last of a chain has entries in {@code after}, all firsts of chains. */
final class Links {
    static final int NONE = -1;

    int[] next;
    int[] previous;

    @Nullable
    BitSet[] after;

    Links(int capacity) {
        next = new int[capacity];
        previous = new int[capacity];
        after = new BitSet[capacity];
        Arrays.fill(next, NONE);
        Arrays.fill(previous, NONE);
    }

    Links copy() {
        Links copy = new Links(0);
        copy.next = next.clone();
        copy.previous = previous.clone();
        copy.after = after.clone();
        for (int i = 0; i < after.length; i++) {
            BitSet row = after[i];
            copy.after[i] = row == null ? null : (BitSet) row.clone();
        }
        return copy;
    }

    /** Whether neither a mark nor an arc leaves it. */
    boolean isEnd(int place) {
        BitSet row = after[place];
        return next[place] == NONE && (row == null || row.isEmpty());
    }

    /** Whether an arc without a mark leads from the one to the other. */
    boolean leads(int from, int to) {
        BitSet row = after[from];
        return row != null && row.get(to);
    }

    BitSet after(int place) {
        BitSet row = after[place];
        if (row == null) {
            row = new BitSet();
            after[place] = row;
        }
        return row;
    }

    int last(int place) {
        int at = place;
        while (next[at] != NONE) {
            at = next[at];
        }
        return at;
    }

    void grow(int capacity) {
        int old = next.length;
        next = Arrays.copyOf(next, capacity);
        previous = Arrays.copyOf(previous, capacity);
        after = Arrays.copyOf(after, capacity);
        Arrays.fill(next, old, capacity, NONE);
        Arrays.fill(previous, old, capacity, NONE);
    }
}
