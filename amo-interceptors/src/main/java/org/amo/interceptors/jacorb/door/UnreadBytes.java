package org.amo.interceptors.jacorb.door;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the bytes that wait for peers to read them, those of all connections of a port together. If they are too many, the
 * connection gives way whose bytes, times the time since it read, are most: a peer that reads is not closed for those that
 * do not. Any thread.
 *
 * @param <C> a connection
 */
final class UnreadBytes<C> {
    private final long mostBytes;

    // Guarded by this.
    private final Map<C, Unread> connections = new HashMap<>();
    private long total;

    private static final class Unread {
        private long bytes;
        private long sinceNanos;

        private Unread(long nowNanos) {
            sinceNanos = nowNanos;
        }

        private double cost(long nowNanos) {
            return (double) bytes * (1 + nowNanos - sinceNanos);
        }
    }

    UnreadBytes(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /**
     * So many more wait.
     *
     * @param first they belong to the first message that waits for this peer: if nothing waits for the others, it may be of any
     *     length
     * @return connections to be closed, perhaps this one; they are counted as gone
     */
    synchronized List<C> add(C connection, long bytes, boolean first, long nowNanos) {
        connections.computeIfAbsent(connection, unused -> new Unread(nowNanos)).bytes += bytes;
        total += bytes;
        List<C> close = new ArrayList<>(0);
        while (total > mostBytes && !(first && connections.size() == 1)) {
            C costliest = costliest(nowNanos);
            close.add(costliest);
            leave(costliest);
        }
        return close;
    }

    private C costliest(long nowNanos) {
        C costliest = connections.keySet().iterator().next();
        double cost = -1;
        for (Map.Entry<C, Unread> each : connections.entrySet()) {
            double its = each.getValue().cost(nowNanos);
            if (its > cost) {
                costliest = each.getKey();
                cost = its;
            }
        }
        return costliest;
    }

    /** The peer has taken so many. */
    synchronized void read(C connection, long bytes, long nowNanos) {
        Unread unread = connections.get(connection);
        if (unread == null) {
            return;
        }
        long taken = Math.min(bytes, unread.bytes);
        total -= taken;
        unread.bytes -= taken;
        unread.sinceNanos = nowNanos;
        if (unread.bytes == 0) {
            connections.remove(connection);
        }
    }

    /** The connection is closed: nothing waits for it. */
    synchronized void leave(C connection) {
        Unread unread = connections.remove(connection);
        if (unread != null) {
            total -= unread.bytes;
        }
    }

    synchronized long total() {
        return total;
    }
}
