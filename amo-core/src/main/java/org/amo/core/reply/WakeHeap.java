package org.amo.core.reply;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * Rows by the time at which they are to be looked at: a binary heap of row numbers, each of which knows its place, so
 * that a row stands in it once however often its time changes. The times are the table's; it tells of each change.
 */
final class WakeHeap {
    private final IntToLongFunction timeOf;
    private int[] heap = {};
    private int size;

    /** By row: its place in the heap plus one, 0 when it is not in it. */
    private int[] places = {};

    WakeHeap(IntToLongFunction timeOf) {
        this.timeOf = timeOf;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The row with the earliest time; the heap must not be empty. */
    int first() {
        return heap[0];
    }

    /** The time of a row has changed, or it is new: Long.MAX_VALUE takes it out. */
    void update(int row) {
        if (timeOf.applyAsLong(row) == Long.MAX_VALUE) {
            remove(row);
            return;
        }
        if (row >= places.length) {
            places = Arrays.copyOf(places, row + 1 + row / 8);
        }
        if (places[row] == 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size + 1 + size / 8);
            }
            place(row, size++);
        }
        sift(places[row] - 1);
    }

    void remove(int row) {
        if (row >= places.length || places[row] == 0) {
            return;
        }
        int hole = places[row] - 1;
        places[row] = 0;
        int last = heap[--size];
        if (last != row) {
            place(last, hole);
            sift(hole);
        }
    }

    private void sift(int from) {
        int place = from;
        int row = heap[place];
        long time = timeOf.applyAsLong(row);
        while (place > 0 && time < timeOf.applyAsLong(heap[(place - 1) / 2])) {
            place(heap[(place - 1) / 2], place);
            place = (place - 1) / 2;
        }
        for (int child = 2 * place + 1; child < size; child = 2 * place + 1) {
            if (child + 1 < size && timeOf.applyAsLong(heap[child + 1]) < timeOf.applyAsLong(heap[child])) {
                child++;
            }
            if (time <= timeOf.applyAsLong(heap[child])) {
                break;
            }
            place(heap[child], place);
            place = child;
        }
        place(row, place);
    }

    private void place(int row, int place) {
        heap[place] = row;
        places[row] = place + 1;
    }
}
