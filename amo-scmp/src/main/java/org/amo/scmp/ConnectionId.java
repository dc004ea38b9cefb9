package org.amo.scmp;

import org.amo.base.ClientId;

/**
 * m.conn: the pair of module id and uid of section 2.2, chosen by the client without asking anybody. At most one message may
 * be under way on a connection at a time: of two that are reordered, the earlier one is refused. An id may be used again
 * when its message is done.
 *
 * <p>The upper four bits of the uid name the connection's retention class (section 2.4), so that a connection can never
 * change its class and be judged by a bound that others have raised.
 *
 * @param clientHigh the upper half of the {@link ClientId}
 * @param clientLow the lower half
 * @param uid unique among the client's connections
 */
public record ConnectionId(long clientHigh, long clientLow, int uid) {
    /** Uids of one class; the class is in the bits above. */
    public static final int UIDS_PER_CLASS = 1 << 28;

    public static ConnectionId of(ClientId client, int uid) {
        return new ConnectionId(client.high(), client.low(), uid);
    }

    /** A uid of a class: {@code number} counts from 0 to 2^28 - 1. */
    public static int uid(int retentionClass, int number) {
        if (retentionClass < 0 || retentionClass >= ScmpOptions.MAX_CLASSES || number < 0 || number >= UIDS_PER_CLASS) {
            throw new IllegalArgumentException("no such uid: retentionClass=" + retentionClass + " (0 to "
                    + (ScmpOptions.MAX_CLASSES - 1) + ") number=" + number + " (0 to " + (UIDS_PER_CLASS - 1) + ")");
        }
        return retentionClass << 28 | number;
    }

    /** 0 to 15. */
    public int retentionClass() {
        return uid >>> 28;
    }

    public ClientId client() {
        return new ClientId(clientHigh, clientLow);
    }

    @Override
    public String toString() {
        return client() + "/" + Integer.toUnsignedString(uid);
    }
}
