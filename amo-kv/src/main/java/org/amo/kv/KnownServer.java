package org.amo.kv;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;

/**
 * A server as it last said, and when it did.
 *
 * @param store id of the store that has the calls of its ranges, or {@link Tablets#NO_STORE}
 */
record KnownServer(String id, String host, int port, String directory, String store, long heardMillis, boolean dead) {
    KnownServer heard(long millis) {
        return new KnownServer(id, host, port, directory, store, millis, false);
    }

    KnownServer died() {
        return new KnownServer(id, host, port, directory, store, heardMillis, true);
    }

    KnownServer with(String otherStore) {
        return new KnownServer(id, host, port, directory, otherStore, heardMillis, dead);
    }

    boolean hasAddressOf(KnownServer other) {
        return port == other.port && host.equals(other.host);
    }

    void write(WireWriter writer) {
        writer.text(id);
        writer.text(host);
        writer.varint(port);
        writer.text(directory);
        writer.text(store);
        writer.varint(heardMillis);
        writer.u8(dead ? 1 : 0);
    }

    /** @param hasStore false for bytes of a version that knew no ids of stores */
    static KnownServer read(WireReader reader, boolean hasStore) {
        return new KnownServer(
                reader.text("id", CoordinatorState.MAX_TEXT),
                reader.text("host", CoordinatorState.MAX_TEXT),
                (int) reader.varint("port", 0, 65_535),
                reader.text("directory", CoordinatorState.MAX_TEXT),
                hasStore ? reader.text("store", CoordinatorState.MAX_TEXT) : Tablets.NO_STORE,
                reader.varint("heard", 0, ClusterTime.MAX_MILLIS),
                reader.flag("dead"));
    }
}
