package org.amo.linearizable.rpclog;

import java.util.Arrays;

/** Calls of one client above its ackId: those that are being executed, and those with a kept result. Few, in order. */
final class OpenCalls {
    /** Number times two, plus one if it is completed; rising. */
    private long[] entries = new long[4];

    private int size;

    int size() {
        return size;
    }

    int completed() {
        int count = 0;
        for (int i = 0; i < size; i++) {
            count += (int) (entries[i] & 1);
        }
        return count;
    }

    boolean hasRunning() {
        for (int i = 0; i < size; i++) {
            if ((entries[i] & 1) == 0) {
                return true;
            }
        }
        return false;
    }

    boolean contains(long number) {
        return indexOf(number) >= 0;
    }

    boolean isCompleted(long number) {
        int index = indexOf(number);
        return index >= 0 && (entries[index] & 1) == 1;
    }

    /** The only one, if it is completed; else 0. */
    long lone() {
        return size == 1 && (entries[0] & 1) == 1 ? entries[0] >>> 1 : 0;
    }

    void put(long number, boolean completed) {
        long entry = 2 * number + (completed ? 1 : 0);
        int index = indexOf(number);
        if (index >= 0) {
            entries[index] = entry;
            return;
        }
        int at = -1 - index;
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        System.arraycopy(entries, at, entries, at + 1, size - at);
        entries[at] = entry;
        size++;
    }

    void remove(long number) {
        int index = indexOf(number);
        if (index >= 0) {
            System.arraycopy(entries, index + 1, entries, index, size - index - 1);
            size--;
        }
    }

    /** The lowest number if it is at most {@code bound}; else 0. */
    long lowestUpTo(long bound) {
        return size > 0 && entries[0] >>> 1 <= bound ? entries[0] >>> 1 : 0;
    }

    private int indexOf(long number) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries[middle] >>> 1 < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < size && entries[low] >>> 1 == number ? low : -1 - low;
    }
}
