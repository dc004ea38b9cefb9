package org.amo.kv;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.rpclog.KeyRange;

/**
 * The coordinator's reply to a server's heartbeat.
 *
 * @param settings of the cluster
 * @param dealt whether there were enough servers once
 * @param owned ranges that it serves
 * @param inherited tablets that it is to recover
 * @param handOvers tablets that it is to hand over
 */
record Orders(
        KvSettings settings,
        boolean dealt,
        List<KeyRange> owned,
        List<Inheritance> inherited,
        List<HandOver> handOvers) {
    /**
     * A tablet of a dead server, or one that moves here.
     *
     * @param directory with its data
     * @param store id of the store that has its calls; empty if the coordinator does not know it
     */
    record Inheritance(int number, long epoch, KeyRange range, String directory, Optional<String> store) {}

    /**
     * A tablet of the server that moves to another one.
     *
     * @param done whether the coordinator knows its copy already
     */
    record HandOver(int number, long epoch, KeyRange range, boolean done) {}

    byte[] encode() {
        WireWriter writer = new WireWriter(256);
        settings.write(writer);
        writer.u8(dealt ? 1 : 0);
        writer.varint(owned.size());
        owned.forEach(range -> TabletMap.writeRange(writer, range));
        writer.varint(inherited.size());
        inherited.forEach(each -> {
            writer.varint(each.number());
            writer.varint(each.epoch());
            TabletMap.writeRange(writer, each.range());
            writer.text(each.directory());
            writer.text(each.store().orElse(Tablets.NO_STORE));
        });
        writer.varint(handOvers.size());
        handOvers.forEach(each -> {
            writer.varint(each.number());
            writer.varint(each.epoch());
            TabletMap.writeRange(writer, each.range());
            writer.u8(each.done() ? 1 : 0);
        });
        return writer.toBytes();
    }

    static Orders decode(byte[] bytes) {
        WireReader reader = new WireReader("orders", bytes);
        KvSettings settings = KvSettings.read(reader);
        boolean dealt = reader.flag("dealt");
        List<KeyRange> owned = new ArrayList<>();
        for (long left = reader.varint("owned", 0, reader.remaining()); left > 0; left--) {
            owned.add(TabletMap.readRange(reader));
        }
        List<Inheritance> inherited = new ArrayList<>();
        for (long left = reader.varint("inherited", 0, reader.remaining()); left > 0; left--) {
            inherited.add(new Inheritance(
                    (int) reader.varint("number", 0, KvSettings.MAX_TABLETS),
                    reader.varint("epoch", 0, Long.MAX_VALUE),
                    TabletMap.readRange(reader),
                    reader.text("directory", CoordinatorState.MAX_TEXT),
                    Optional.of(reader.text("store", CoordinatorState.MAX_TEXT))
                            .filter(store -> !store.equals(Tablets.NO_STORE))));
        }
        List<HandOver> handOvers = new ArrayList<>();
        for (long left = reader.varint("hand-overs", 0, reader.remaining()); left > 0; left--) {
            handOvers.add(new HandOver(
                    (int) reader.varint("number", 0, KvSettings.MAX_TABLETS),
                    reader.varint("epoch", 0, Long.MAX_VALUE),
                    TabletMap.readRange(reader),
                    reader.flag("done")));
        }
        reader.end();
        return new Orders(settings, dealt, owned, inherited, handOvers);
    }
}
