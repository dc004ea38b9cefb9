package org.amo.exon;

import java.util.HexFormat;

/**
 * A node's logical name: 128 bits that stay the same wherever the node is reached (Kassam, Almeida and Shoker, section
 * I: "using logical node identifiers"). Its addresses are hints.
 *
 * <p>Ordered, since peers choose their names, and so many of one hash: a table finds one of these by the order.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record NodeId(long high, long low) implements Comparable<NodeId> {

    /** Reads the 32 hexadecimal digits that {@link #toString} writes. */
    public static NodeId parse(String text) {
        if (!text.matches("[0-9a-fA-F]{32}")) {
            throw new IllegalArgumentException("a node id has 32 hexadecimal digits: '" + text + "'");
        }
        return new NodeId(Long.parseUnsignedLong(text, 0, 16, 16), Long.parseUnsignedLong(text, 16, 32, 16));
    }

    @Override
    public int compareTo(NodeId other) {
        int order = Long.compareUnsigned(high, other.high);
        return order != 0 ? order : Long.compareUnsigned(low, other.low);
    }

    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
