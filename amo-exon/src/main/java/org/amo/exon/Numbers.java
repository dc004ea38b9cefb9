package org.amo.exon;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * How slots and incarnations are written. In a datagram that names both nodes they stand as they are. In a short one both
 * sides know both lives, and a number stands as its distance from the clock's first value of the life that it belongs to:
 * three or four bytes instead of seven.
 *
 * @param sender the incarnation of the node that sends the datagram, or 0 for numbers as they are
 * @param receiver the incarnation of the node that it goes to, or 0
 */
record Numbers(long sender, long receiver) {
    /** As they are. */
    static final Numbers PLAIN = new Numbers(0, 0);

    /** The same two lives, for the datagrams that come back. */
    Numbers ofTheOtherSide() {
        return new Numbers(/* sender= */ receiver, /* receiver= */ sender);
    }

    /** A number of the sender's clock. */
    void writeSenders(long number, WireWriter writer) {
        write(number, sender, writer);
    }

    /** A number of the receiver's clock. */
    void writeReceivers(long number, WireWriter writer) {
        write(number, receiver, writer);
    }

    long readSenders(String field, WireReader reader) {
        return read(field, sender, reader);
    }

    long readReceivers(String field, WireReader reader) {
        return read(field, receiver, reader);
    }

    private static void write(long number, long base, WireWriter writer) {
        long distance = number - base;
        // Zigzag: numbers left from a former life lie below the base.
        writer.varint(base == 0 ? number : distance << 1 ^ distance >> 63);
    }

    private static long read(String field, long base, WireReader reader) {
        if (base == 0) {
            return reader.varint(field, 1, ExonCodec.MAX_NUMBER);
        }
        long coded = reader.varint(field, 0, ExonCodec.MAX_NUMBER);
        long number = base + (coded >>> 1 ^ -(coded & 1));
        if (number < 1 || number > ExonCodec.MAX_NUMBER) {
            throw reader.malformed(field, number);
        }
        return number;
    }
}
