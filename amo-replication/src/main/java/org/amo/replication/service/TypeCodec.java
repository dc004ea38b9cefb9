package org.amo.replication.service;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads values of one Java type. Equal values give equal bytes at every member.
 *
 * @param schema describes the written form in words, so that two sides can tell whether they mean the same
 */
record TypeCodec(String schema, Writer writer, Reader reader) {
    /** Deeper values are refused, before the stack is. */
    static final int MAX_DEPTH = 100;

    /** Writes one value. */
    interface Writer {
        void write(WireWriter to, @Nullable Object value, int depth);
    }

    /** Reads one value. */
    interface Reader {
        @Nullable
        Object read(WireReader from, int depth);
    }

    void write(WireWriter to, @Nullable Object value) {
        writer.write(to, value, 0);
    }

    @Nullable
    Object read(WireReader from) {
        return reader.read(from, 0);
    }

    /** As a part of the schema of a value that holds this one under a name. */
    String named(String name) {
        return name + ' ' + schema + ';';
    }

    static void checkDepth(int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("a value nests deeper than " + MAX_DEPTH);
        }
    }
}
