package org.amo.core.reply;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.amo.base.ClientId;

/** Rows of six longs and an int, one a client, in pages: growing copies none and leaves little room unused. */
final class ClientRows implements RowIndex.Ids {
    /** Of an idle client; of an active one the complement of its place among the objects. */
    static final int FLOOR = 2;

    static final int HIGHEST_TIMESTAMP = 3;
    static final int LAST_HEARD = 4;
    static final int WAKE_AT = 5;

    private static final int HIGH = 0;
    private static final int LOW = 1;
    private static final int LONGS = 6;
    private static final int WIDTH = LONGS * Long.BYTES + Integer.BYTES;
    private static final int PAGE = 512;

    private final RowPages source;
    private ByteBuffer[] pages = {};
    private int end;
    private final FreePlaces free;

    ClientRows(RowPages source) {
        this.source = source;
        free = new FreePlaces();
    }

    private ClientRows(ClientRows other) {
        source = RowPages.HEAP;
        free = other.free.copy();
        end = other.end;
        pages = new ByteBuffer[other.pages.length];
        for (int page = 0; page < pages.length; page++) {
            pages[page] = newPage(source);
            pages[page].put(0, other.pages[page], 0, PAGE * WIDTH);
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
            pages[row / PAGE] = newPage(source);
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
        return pages[row / PAGE].getLong(row % PAGE * WIDTH + column * Long.BYTES);
    }

    void set(int row, int column, long value) {
        pages[row / PAGE].putLong(row % PAGE * WIDTH + column * Long.BYTES, value);
    }

    /** The place of the client's principal among the shares. */
    int principal(int row) {
        return pages[row / PAGE].getInt(row % PAGE * WIDTH + LONGS * Long.BYTES);
    }

    void principal(int row, int place) {
        pages[row / PAGE].putInt(row % PAGE * WIDTH + LONGS * Long.BYTES, place);
    }

    /** On the heap. */
    ClientRows copy() {
        return new ClientRows(this);
    }

    private static ByteBuffer newPage(RowPages source) {
        return source.page(PAGE * WIDTH).order(ByteOrder.nativeOrder());
    }
}
