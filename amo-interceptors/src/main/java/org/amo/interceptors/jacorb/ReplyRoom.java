package org.amo.interceptors.jacorb;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Limits the bytes of replies that wait for clients to read them, those of all connections together. When they are too many,
 * the connection with most of them gives way: to wait for a client that does not read would cost the others theirs. A reply
 * that is alone stays, however long it is. Any thread.
 */
public final class ReplyRoom {
    private final long mostBytes;

    // Guarded by this.
    private final Map<Connection, Long> held = new HashMap<>();
    private long total;

    /** Has replies that wait. */
    interface Connection {
        /** Gives up all of them, at once. It holds nothing any more. */
        void giveUp();
    }

    public ReplyRoom(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** One more reply waits. */
    void take(Connection connection, long bytes) {
        overfull(connection, bytes).ifPresent(Connection::giveUp);
    }

    private synchronized Optional<Connection> overfull(Connection connection, long bytes) {
        total += bytes;
        boolean alone = held.merge(connection, bytes, Long::sum) == bytes && held.size() == 1;
        if (total <= mostBytes || alone) {
            return Optional.empty();
        }
        Optional<Connection> most =
                held.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
        most.ifPresent(gone -> total -= held.remove(gone));
        return most;
    }

    /** Replies were written. */
    synchronized void give(Connection connection, long bytes) {
        Long before = held.get(connection);
        if (before == null) {
            return;
        }
        long given = Math.min(before, bytes);
        total -= given;
        if (given == before) {
            held.remove(connection);
        } else {
            held.put(connection, before - given);
        }
    }

    /** Bytes of all replies that wait. */
    synchronized long held() {
        return total;
    }
}
