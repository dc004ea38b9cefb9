package org.amo.replication.service;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * A request of a proxy with the metadata of its call: {@code 0xA2, count, keys and values}, and the request behind them. Without
 * metadata it is the request alone. The metadata is a part of the body, so that each attempt and each member has the same.
 *
 * @param request as {@link MethodTable} writes it
 */
record Envelope(Map<String, String> metadata, byte[] request) {
    static final int MAX_ENTRIES = 64;
    static final int MAX_BYTES = 16 << 10;
    private static final int MAGIC = 0xA2;

    /** @throws IllegalArgumentException in one line if there is metadata, and no proxy has written the request */
    byte[] toBytes() {
        if (metadata.isEmpty()) {
            return request;
        }
        if (!MethodTable.isOfProxy(request)) {
            throw new IllegalArgumentException(
                    "metadata goes with the calls of a proxy; this request is of another form");
        }
        WireWriter writer = new WireWriter(request.length + 256);
        writer.u8(MAGIC);
        writer.varint(metadata.size());
        new TreeMap<>(metadata).forEach((key, value) -> {
            writer.text(key);
            writer.text(value);
        });
        writer.raw(request, 0, request.length);
        return writer.toBytes();
    }

    /** The parts of a request's body. One that is no envelope, or a damaged one, is the request itself, and has no metadata. */
    static Envelope of(byte[] body) {
        if (body.length == 0 || (body[0] & 0xFF) != MAGIC) {
            return new Envelope(Map.of(), body);
        }
        try {
            WireReader reader = new WireReader("metadata", body);
            reader.u8("magic");
            // In one order at all members, however they were written: a service may iterate over it.
            Map<String, String> metadata = new TreeMap<>();
            for (long left = reader.varint("count", 1, MAX_ENTRIES); left > 0; left--) {
                String key = reader.text("key", MAX_BYTES);
                metadata.put(key, reader.text("value", MAX_BYTES));
            }
            return new Envelope(
                    Collections.unmodifiableMap(metadata), Arrays.copyOfRange(body, reader.position(), body.length));
        } catch (MalformedFrameException e) {
            return new Envelope(Map.of(), body);
        }
    }
}
