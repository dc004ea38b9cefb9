package org.amo.core.reply;

import org.amo.base.ClientId;

/** Where the row of a client is: open addressing over row numbers; the ids themselves stand in the rows. */
final class RowIndex {
    static final int NONE = -1;

    /** The ids of the rows. */
    interface Ids {
        long high(int row);

        long low(int row);
    }

    private final Ids ids;

    /** Drawn by the process, so that a client cannot choose ids that meet in one place. No order depends on it. */
    private final long seed;

    /** A row plus one, or 0; searched from the place of its hash on. */
    private int[] places;

    private int size;

    RowIndex(Ids ids, long seed) {
        this(ids, seed, new int[16], 0);
    }

    private RowIndex(Ids ids, long seed, int[] places, int size) {
        this.ids = ids;
        this.seed = seed;
        this.places = places;
        this.size = size;
    }

    int find(ClientId client) {
        for (int place = home(client.high(), client.low()); places[place] != 0; place = after(place)) {
            int row = places[place] - 1;
            if (ids.low(row) == client.low() && ids.high(row) == client.high()) {
                return row;
            }
        }
        return NONE;
    }

    /** Adds a row; neither the row nor its id is in the index. */
    void add(int row) {
        if (4L * ++size > 3L * places.length) {
            int[] old = places;
            places = new int[2 * old.length];
            for (int each : old) {
                if (each != 0) {
                    put(each - 1);
                }
            }
        }
        put(row);
    }

    /** Removes a row that is in the index. The rows behind it move up, so that every search still finds its row. */
    void remove(int row) {
        int hole = home(ids.high(row), ids.low(row));
        while (places[hole] != row + 1) {
            hole = after(hole);
        }
        for (int next = after(hole); places[next] != 0; next = after(next)) {
            int home = home(ids.high(places[next] - 1), ids.low(places[next] - 1));
            if (distance(home, next) >= distance(hole, next)) {
                places[hole] = places[next];
                hole = next;
            }
        }
        places[hole] = 0;
        size--;
    }

    /** The same over a copy of the rows. */
    RowIndex copy(Ids copied) {
        return new RowIndex(copied, seed, places.clone(), size);
    }

    private void put(int row) {
        int place = home(ids.high(row), ids.low(row));
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

    private int home(long high, long low) {
        long hash = (high ^ seed) * 0x9E3779B97F4A7C15L;
        hash = (hash ^ (hash >>> 32) ^ low) * 0xD6E8FEB86659FD93L;
        hash = (hash ^ (hash >>> 32) ^ seed) * 0xD6E8FEB86659FD93L;
        return (int) (hash >>> 32) & (places.length - 1);
    }
}
