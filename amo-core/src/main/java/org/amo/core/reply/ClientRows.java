package org.amo.core.reply;

import java.util.Arrays;
import org.amo.core.request.ClientId;

/** Rows of longs, one a client, in pages: growing copies none and leaves little room unused. */
final class ClientRows implements RowIndex.Ids {
    /** Of an idle client; of an active one the complement of its place among the objects. */
    static final int FLOOR = 2;

    static final int HIGHEST_TIMESTAMP = 3;
    static final int LAST_HEARD = 4;
    static final int WAKE_AT = 5;

    private static final int HIGH = 0;
    private static final int LOW = 1;
    private static final int WIDTH = 6;
    private static final int PAGE = 512;

    private long[][] pages = {};
    private int end;
    private final FreePlaces free;

    ClientRows() {
        free = new FreePlaces();
    }

    private ClientRows(ClientRows other) {
        free = other.free.copy();
        end = other.end;
        pages = new long[other.pages.length][];
        for (int page = 0; page < pages.length; page++) {
            pages[page] = other.pages[page].clone();
        }
    }

    /** How many are in use. */
    int size() {
        return end - free.size();
    }

    /** All that are in use are below it. */
    int end() {
        return end;
    }

    int add(ClientId client) {
        int row = free.isEmpty() ? end++ : free.pop();
        if (row / PAGE == pages.length) {
            pages = Arrays.copyOf(pages, pages.length + 1);
            pages[row / PAGE] = new long[PAGE * WIDTH];
        }
        set(row, HIGH, client.high());
        set(row, LOW, client.low());
        set(row, FLOOR, 0);
        set(row, WAKE_AT, Long.MAX_VALUE);
        return row;
    }

    void remove(int row) {
        free.push(row);
    }

    ClientId id(int row) {
        return new ClientId(high(row), low(row));
    }

    @Override
    public long high(int row) {
        return get(row, HIGH);
    }

    @Override
    public long low(int row) {
        return get(row, LOW);
    }

    long get(int row, int column) {
        return pages[row / PAGE][row % PAGE * WIDTH + column];
    }

    void set(int row, int column, long value) {
        pages[row / PAGE][row % PAGE * WIDTH + column] = value;
    }

    ClientRows copy() {
        return new ClientRows(this);
    }
}
