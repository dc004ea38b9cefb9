package org.amo.kv;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.rpclog.KeyRange;

/**
 * The coordinator's reply to a client's request for the map.
 *
 * @param version rises with each change
 * @param places in the order of the ranges; empty until the ranges are dealt
 */
record TabletMap(long version, List<Place> places) {
    /** Where a range is served. */
    record Place(KeyRange range, String host, int port) {
        String address() {
            return host + ":" + port;
        }
    }

    byte[] encode() {
        WireWriter writer = new WireWriter(16 + 64 * places.size());
        writer.varint(version);
        writer.varint(places.size());
        places.forEach(each -> {
            writeRange(writer, each.range());
            writer.text(each.host());
            writer.varint(each.port());
        });
        return writer.toBytes();
    }

    static TabletMap decode(byte[] bytes) {
        WireReader reader = new WireReader("map", bytes);
        long version = reader.varint("version", 0, Long.MAX_VALUE);
        List<Place> places = new ArrayList<>();
        for (long left = reader.varint("tablets", 0, reader.remaining()); left > 0; left--) {
            KeyRange range = readRange(reader);
            String host = reader.text("host", CoordinatorState.MAX_TEXT);
            places.add(new Place(range, host, (int) reader.varint("port", 1, 65_535)));
        }
        reader.end();
        return new TabletMap(version, places);
    }

    static void writeRange(WireWriter writer, KeyRange range) {
        writer.i64(range.table());
        writer.i64(range.first());
        writer.i64(range.last());
    }

    static KeyRange readRange(WireReader reader) {
        long table = reader.i64("table");
        long first = reader.i64("first");
        long last = reader.i64("last");
        if (Long.compareUnsigned(first, last) > 0) {
            throw reader.malformed("end of a range", last);
        }
        return new KeyRange(table, first, last);
    }
}
