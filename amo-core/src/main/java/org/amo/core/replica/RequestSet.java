package org.amo.core.replica;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * A digest of the requests that a member has executed, in whatever order. If two members have equal ones, they have executed the same
 * requests.
 *
 * @param count of the requests
 * @param sum of a digest of each request's id, modulo 2^64
 */
record RequestSet(long count, long sum) {

    void write(WireWriter writer) {
        writer.varint(count);
        writer.i64(sum);
    }

    static RequestSet read(WireReader reader) {
        return new RequestSet(reader.varint("executed requests", 0, Long.MAX_VALUE), reader.i64("sum of requests"));
    }
}
