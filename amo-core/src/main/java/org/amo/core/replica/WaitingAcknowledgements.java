package org.amo.core.replica;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import org.amo.base.ClientId;
import org.amo.core.sack.FinishedNumbers;

/**
 * The acknowledgements that no entry carries yet: one set for each client, up to some megabytes together. Anyone can send
 * them for clients that do not exist, and while the group has no leader none of them leaves. A set without room is left out:
 * its client's next carrier brings it again, and at their deadlines the replies go in any case.
 */
final class WaitingAcknowledgements {
    private static final long MOST_BYTES = 8L << 20;

    /** Of a set without ranges, with its client and its place. */
    private static final int SET_BYTES = 160;

    private static final int RANGE_BYTES = 2 * Long.BYTES;

    private final Map<ClientId, FinishedNumbers> sets = new LinkedHashMap<>();
    private long bytes;

    void add(ClientId client, FinishedNumbers finished) {
        FinishedNumbers held = sets.getOrDefault(client, FinishedNumbers.NONE);
        FinishedNumbers all = held.and(finished);
        long more = bytes(all) - bytes(held);
        if (!all.isEmpty() && bytes + more <= MOST_BYTES) {
            sets.put(client, all);
            bytes += more;
        }
    }

    /** Takes the set of the client that has waited the longest. */
    OrderedEntry.Item poll() {
        Iterator<Map.Entry<ClientId, FinishedNumbers>> oldest = sets.entrySet().iterator();
        if (!oldest.hasNext()) {
            throw new NoSuchElementException("no acknowledgements wait");
        }
        Map.Entry<ClientId, FinishedNumbers> next = oldest.next();
        OrderedEntry.Item item = OrderedEntry.Item.acknowledgements(next.getKey(), next.getValue());
        bytes -= bytes(next.getValue());
        oldest.remove();
        return item;
    }

    boolean isEmpty() {
        return sets.isEmpty();
    }

    int size() {
        return sets.size();
    }

    private static long bytes(FinishedNumbers set) {
        return set.isEmpty() ? 0 : SET_BYTES + (long) RANGE_BYTES * set.rangeCount();
    }
}
