package org.amo.core.reply;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/** The form of a live entry in a snapshot. */
final class LiveEntries {
    private LiveEntries() {}

    static void write(WireWriter writer, LiveEntry entry) {
        writer.i64(entry.timestampMillis());
        writer.i64(entry.expiresAtMillis());
        writer.i64(entry.fingerprint());
        writer.varint(entry.charge());
        writer.u8(entry.reply().isPresent() ? 1 : 0);
        entry.reply().ifPresent(writer::blob);
    }

    static LiveEntry read(WireReader reader) {
        LiveEntry entry =
                new LiveEntry(reader.i64("timestamp"), reader.i64("expiresAt"), reader.i64("fingerprint"), (int)
                        reader.varint("charge", 0, Integer.MAX_VALUE));
        return reader.flag("completed") ? entry.completed(reader.blob("reply", Integer.MAX_VALUE)) : entry;
    }
}
