package org.amo.replication.order.dpg;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The content of a history: the log before a mark, for the member that set the mark. docs/wire/dpg.md.
 *
 * @param mark that it answers
 * @param entries all before the mark
 * @param unfinished entries that had begun there and come whole behind the mark
 */
record DpgHistory(long mark, List<byte[]> entries, Fragments unfinished) {

    byte[] encode() {
        WireWriter writer = new WireWriter(1_024);
        writer.i64(mark);
        writer.varint(entries.size());
        entries.forEach(writer::blob);
        unfinished.write(writer);
        return writer.toBytes();
    }

    /** @throws MalformedFrameException for content that {@link #encode} did not write */
    static DpgHistory decode(byte[] content) {
        WireReader reader = new WireReader("history", content);
        long mark = reader.i64("mark");
        int count = (int) reader.varint("entries", 0, reader.remaining());
        List<byte[]> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(reader.blob("entry", Fragments.MOST_ENTRY_BYTES));
        }
        Fragments unfinished = Fragments.read(reader);
        reader.end();
        return new DpgHistory(mark, entries, unfinished);
    }
}
