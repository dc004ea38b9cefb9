package org.amo.base;

import java.util.HexFormat;

/**
 * Identifies one incarnation of a client process: 128 random bits, drawn anew at every start, so that a restarted client can
 * never meet the records of its former life. Any process that knows the id can send requests in the client's name: it is a
 * secret of the client and the group.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record ClientId(long high, long low) implements Comparable<ClientId> {

    /** Reads the 32 hexadecimal digits that {@link #toString} writes. */
    public static ClientId parse(String text) {
        if (text.length() != 32) {
            throw new IllegalArgumentException("a client id has 32 hexadecimal digits: '" + text + "'");
        }
        return new ClientId(HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
    }

    @Override
    public int compareTo(ClientId other) {
        int order = Long.compareUnsigned(high, other.high);
        return order != 0 ? order : Long.compareUnsigned(low, other.low);
    }

    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
