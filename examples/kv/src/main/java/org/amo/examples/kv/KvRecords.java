package org.amo.examples.kv;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * Completion records of servers.
 *
 * @param servers that told them
 * @param live that a retry may ask for
 * @param garbage that the cleaners have not removed yet
 */
public record KvRecords(int servers, long live, long garbage) {
    static final KvRecords NONE = new KvRecords(0, 0, 0);

    private static final int QUESTION = 1;

    static byte[] question() {
        return new byte[] {QUESTION};
    }

    static boolean isQuestion(byte[] question) {
        return question.length == 1 && question[0] == QUESTION;
    }

    KvRecords plus(KvRecords other) {
        return new KvRecords(servers + other.servers, live + other.live, garbage + other.garbage);
    }

    byte[] encode() {
        WireWriter writer = new WireWriter(16);
        writer.varint(live);
        writer.varint(garbage);
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException for bytes that {@link #encode} did not write */
    static KvRecords decode(byte[] bytes) {
        WireReader reader = new WireReader("records", bytes);
        KvRecords records =
                new KvRecords(1, reader.varint("live", 0, Long.MAX_VALUE), reader.varint("garbage", 0, Long.MAX_VALUE));
        reader.end();
        return records;
    }
}
