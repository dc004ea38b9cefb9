package org.amo.kv;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/** A backup's address, and whether it was heard of lately, in the coordinator's reply to a server. */
record BackupPlace(String id, String host, int port, boolean live) {
    static byte[] encode(List<BackupPlace> places) {
        WireWriter writer = new WireWriter(256);
        places.forEach(each -> {
            writer.text(each.id());
            writer.text(each.host());
            writer.varint(each.port());
            writer.u8(each.live() ? 1 : 0);
        });
        return writer.toBytes();
    }

    static List<BackupPlace> decode(byte[] bytes) {
        WireReader reader = new WireReader("backups", bytes);
        List<BackupPlace> places = new ArrayList<>();
        while (reader.remaining() > 0) {
            places.add(new BackupPlace(
                    reader.text("id", BackupTable.MAX_TEXT),
                    reader.text("host", BackupTable.MAX_TEXT),
                    (int) reader.varint("port", 1, 65_535),
                    reader.flag("live")));
        }
        return places;
    }
}
