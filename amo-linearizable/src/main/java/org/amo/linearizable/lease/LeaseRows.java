package org.amo.linearizable.lease;

import java.util.Arrays;

/**
 * Rows of longs, one a lease id, found by the id: pages of rows, so that growing copies none, and an index of ints with
 * open addressing. With four columns a row costs 38 to 43 bytes. Rows are visited by place, in an order that depends
 * on additions and removals and on nothing else. One thread owns it.
 */
public final class LeaseRows {
    public static final int NONE = -1;

    /** Column of the id. */
    private static final int ID = 0;

    private static final int PAGE = 512;

    private final int width;

    /** Drawn by the process, so that no client can choose ids that collide. No order depends on it. */
    private final long seed;

    private long[][] pages = {};
    private int end;
    private int[] free = {};
    private int freeCount;

    /** A row plus one, or 0; searched from the place of its hash on. */
    private int[] places = new int[16];

    /** @param columns apart from the id; they are named 1, 2, … */
    public LeaseRows(int columns, long seed) {
        this.width = columns + 1;
        this.seed = seed;
    }

    public int size() {
        return end - freeCount;
    }

    /** All rows in use are below it. */
    public int end() {
        return end;
    }

    /** The id of a row below {@link #end}, or 0 if the row is not in use. */
    public long id(int row) {
        return get(row, ID);
    }

    public long get(int row, int column) {
        return pages[row / PAGE][row % PAGE * width + column];
    }

    public void set(int row, int column, long value) {
        pages[row / PAGE][row % PAGE * width + column] = value;
    }

    public int find(long id) {
        for (int place = home(id); places[place] != 0; place = after(place)) {
            if (id(places[place] - 1) == id) {
                return places[place] - 1;
            }
        }
        return NONE;
    }

    /** A row of zeros for an id that has none. */
    public int add(long id) {
        int row = freeCount > 0 ? free[--freeCount] : end++;
        if (row / PAGE == pages.length) {
            pages = Arrays.copyOf(pages, pages.length + 1);
            pages[row / PAGE] = new long[PAGE * width];
        }
        set(row, ID, id);
        if (4L * size() > 3L * places.length) {
            places = new int[2 * places.length];
            for (int each = 0; each < end; each++) {
                if (id(each) != 0 && each != row) {
                    put(each);
                }
            }
        }
        put(row);
        return row;
    }

    /** Removes a row in use. Entries behind it in the index move up, so that every search still finds its row. */
    public void remove(int row) {
        int hole = home(id(row));
        while (places[hole] != row + 1) {
            hole = after(hole);
        }
        for (int next = after(hole); places[next] != 0; next = after(next)) {
            int home = home(id(places[next] - 1));
            if (distance(home, next) >= distance(hole, next)) {
                places[hole] = places[next];
                hole = next;
            }
        }
        places[hole] = 0;
        int from = row % PAGE * width;
        Arrays.fill(pages[row / PAGE], from, from + width, 0);
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, freeCount + 8 + freeCount / 4);
        }
        free[freeCount++] = row;
    }

    private void put(int row) {
        int place = home(id(row));
        while (places[place] != 0) {
            place = after(place);
        }
        places[place] = row + 1;
    }

    private int after(int place) {
        return (place + 1) & (places.length - 1);
    }

    private int distance(int from, int to) {
        return (to - from) & (places.length - 1);
    }

    private int home(long id) {
        long hash = (id ^ seed) * 0x9E3779B97F4A7C15L;
        hash = (hash ^ (hash >>> 32) ^ seed) * 0xD6E8FEB86659FD93L;
        return (int) (hash >>> 32) & (places.length - 1);
    }
}
