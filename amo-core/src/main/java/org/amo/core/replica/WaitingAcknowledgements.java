package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import org.amo.base.ClientId;
import org.amo.core.sack.FinishedNumbers;

/**
 * The acknowledgements that no entry carries yet, up to some megabytes. Anyone can send them for clients that do not exist,
 * and while the group has no leader none of them leaves. A set without room is left out: its client's next carrier brings
 * it again, and at their deadlines the replies go in any case.
 *
 * <p>Finished numbers are cumulative, so a set mostly replaces its client's latest one. A client with more ranges than a
 * message has sends a part with each, and these wait side by side.
 */
final class WaitingAcknowledgements {
    private static final long MOST_BYTES = 8L << 20;

    /** Of a set without ranges, with its client and its place. */
    private static final int SET_BYTES = 250;

    private static final int RANGE_BYTES = 2 * Long.BYTES;

    private final Map<ClientId, ArrayDeque<FinishedNumbers>> sets = new LinkedHashMap<>();
    private long bytes;
    private int size;

    void add(ClientId client, FinishedNumbers finished) {
        ArrayDeque<FinishedNumbers> held = sets.getOrDefault(client, new ArrayDeque<>(1));
        FinishedNumbers latest = held.isEmpty() ? FinishedNumbers.NONE : held.getLast();
        if (latest.containsAll(finished)) {
            return;
        }
        boolean replaces = !held.isEmpty() && finished.containsAll(latest);
        long more = bytes(finished) - (replaces ? bytes(latest) : 0);
        if (bytes + more > MOST_BYTES) {
            return;
        }
        if (replaces) {
            held.removeLast();
        } else {
            size++;
        }
        held.add(finished);
        bytes += more;
        sets.put(client, held);
    }

    /** Takes the oldest set of the client that has waited the longest. */
    OrderedEntry.Item poll() {
        Iterator<Map.Entry<ClientId, ArrayDeque<FinishedNumbers>>> clients =
                sets.entrySet().iterator();
        if (!clients.hasNext()) {
            throw new NoSuchElementException("no acknowledgements wait");
        }
        Map.Entry<ClientId, ArrayDeque<FinishedNumbers>> next = clients.next();
        FinishedNumbers oldest = next.getValue().remove();
        if (next.getValue().isEmpty()) {
            clients.remove();
        }
        bytes -= bytes(oldest);
        size--;
        return OrderedEntry.Item.acknowledgements(next.getKey(), oldest);
    }

    boolean isEmpty() {
        return sets.isEmpty();
    }

    int size() {
        return size;
    }

    private static long bytes(FinishedNumbers set) {
        return SET_BYTES + (long) RANGE_BYTES * set.rangeCount();
    }
}
