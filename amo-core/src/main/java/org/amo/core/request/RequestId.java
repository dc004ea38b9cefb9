package org.amo.core.request;

import java.util.Comparator;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;

/**
 * Names one logical call, however many attempts it takes.
 *
 * @param space the party that chose the number
 * @param client the client's incarnation; for a foreign client, a hash of its {@code client_id}
 * @param number OWN: 1, 2, 3 … for each client and group; FOREIGN: the 32 bit retention id, unsigned
 */
public record RequestId(Space space, ClientId client, long number) implements Comparable<RequestId> {
    private static final Comparator<RequestId> ORDER = Comparator.comparing(RequestId::client)
            .thenComparingLong(RequestId::number)
            .thenComparing(RequestId::space);

    /** The largest number of an own client: differences and sums of numbers cannot overflow. */
    public static final long MAX_NUMBER = WireReader.MAX_NUMBER;

    /** The two name spaces of ids. */
    public enum Space {
        /** Numbered by amo's client: dense, acknowledged, with a timestamp. */
        OWN,
        /** Taken from the FT_REQUEST of another ORB: sparse, may wrap, never acknowledged. */
        FOREIGN
    }

    public RequestId {
        if (space == Space.OWN ? number < 1 || number > MAX_NUMBER : number < 0 || number > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("number out of range: space=" + space + " number=" + number);
        }
    }

    /** The id of an amo client's call. */
    public static RequestId own(ClientId client, long number) {
        return new RequestId(Space.OWN, client, number);
    }

    @Override
    public int compareTo(RequestId other) {
        return ORDER.compare(this, other);
    }

    /** As the history file writes it: the same string at client and replica. */
    @Override
    public String toString() {
        return client + (space == Space.OWN ? "-" : "~") + number;
    }
}
