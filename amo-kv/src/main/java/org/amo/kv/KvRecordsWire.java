package org.amo.kv;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.kv.KvClient.Records;

/** The question of a server's completion records, and its answer. */
final class KvRecordsWire {
    private static final int QUESTION = 1;

    private KvRecordsWire() {}

    static byte[] question() {
        return new byte[] {QUESTION};
    }

    static boolean isQuestion(byte[] question) {
        return question.length == 1 && question[0] == QUESTION;
    }

    /** Of one server. */
    static byte[] encode(Records records) {
        WireWriter writer = new WireWriter(16);
        writer.varint(records.live());
        writer.varint(records.garbage());
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException for bytes that {@link #encode} did not write */
    static Records decode(byte[] bytes) {
        WireReader reader = new WireReader("records", bytes);
        Records records =
                new Records(1, reader.varint("live", 0, Long.MAX_VALUE), reader.varint("garbage", 0, Long.MAX_VALUE));
        reader.end();
        return records;
    }
}
