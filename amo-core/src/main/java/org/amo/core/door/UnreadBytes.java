package org.amo.core.door;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Counts the bytes that wait for peers to read them, those of all connections of a port together. If they are too many, the
 * connection gives way whose bytes, times the time since it read and a second, are most: a peer that reads is not closed for
 * those that do not. One reply at a time may be longer than the room that is left; it is not counted. Any thread.
 *
 * @param <C> a connection
 */
public final class UnreadBytes<C> {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final long mostBytes;

    // Guarded by this.
    private final Map<C, Unread> connections = new HashMap<>();
    private long total;
    private Optional<C> longest = Optional.empty();

    private static final class Unread {
        private long bytes;
        private long sinceNanos;

        private Unread(long nowNanos) {
            sinceNanos = nowNanos;
        }

        private double cost(long nowNanos) {
            return (double) bytes * (SECOND_NANOS + nowNanos - sinceNanos);
        }
    }

    public UnreadBytes(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /**
     * So many more wait.
     *
     * @param first all bytes that wait for this peer belong to one message, or to as much as its port sends ahead of one
     * @return connections to be closed, perhaps this one; they are counted as gone
     */
    public synchronized List<C> add(C connection, long bytes, boolean first, long nowNanos) {
        Unread unread = connections.computeIfAbsent(connection, unused -> new Unread(nowNanos));
        unread.bytes += bytes;
        total += bytes;
        if (!first) {
            longest = longest.filter(other -> !other.equals(connection));
        } else if (longest.isEmpty() && counted() > mostBytes) {
            longest = Optional.of(connection);
        }
        List<C> close = new ArrayList<>(0);
        while (counted() > mostBytes) {
            C costliest = costliest(nowNanos);
            close.add(costliest);
            leave(costliest);
        }
        return close;
    }

    private long counted() {
        Unread uncounted = longest.isEmpty() ? null : connections.get(longest.get());
        return uncounted == null ? total : total - uncounted.bytes;
    }

    private C costliest(long nowNanos) {
        return connections.entrySet().stream()
                .filter(each -> !longest.equals(Optional.of(each.getKey())))
                .max(Comparator.comparingDouble(each -> each.getValue().cost(nowNanos)))
                .orElseThrow()
                .getKey();
    }

    /** The peer has taken so many. */
    public synchronized void read(C connection, long bytes, long nowNanos) {
        Unread unread = connections.get(connection);
        if (unread == null) {
            return;
        }
        long taken = Math.min(bytes, unread.bytes);
        total -= taken;
        unread.bytes -= taken;
        unread.sinceNanos = nowNanos;
        if (unread.bytes == 0) {
            leave(connection);
        }
    }

    /** The connection is closed: nothing waits for it. */
    public synchronized void leave(C connection) {
        Unread unread = connections.remove(connection);
        if (unread != null) {
            total -= unread.bytes;
            longest = longest.filter(other -> !other.equals(connection));
        }
    }

    public synchronized long total() {
        return total;
    }
}
