package org.amo.kv;

import java.util.Arrays;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The single result of a call, however many attempts there were.
 *
 * @param status how it ended
 * @param version of the object after the call, or of its deletion; of a condition that failed, the version that stands; 0 if there is
 *     no object
 * @param value of a read, the new one of an increment (8 bytes, big-endian), or the answer of a named operation; empty otherwise. Not
 *     copied
 */
public record KvResult(Status status, long version, byte[] value) {
    private static final byte[] NOTHING = {};

    /** A status stands for itself by its place here. */
    private static final List<Status> BY_CODE =
            List.of(Status.DONE, Status.CONDITION_FAILED, Status.NOT_A_NUMBER, Status.ABSENT, Status.FAILED);

    /** How a call ended. */
    public enum Status {
        /** As it was asked for; of a write, it is durable. */
        DONE,
        /** Of a conditional write: the object had another version. Nothing was written. */
        CONDITION_FAILED,
        /** Of an increment: the object is no number. Nothing was written. */
        NOT_A_NUMBER,
        /** Of a read: there is no such object. */
        ABSENT,
        /** Of a named operation: the server has none of that name, or it threw. Nothing was written. */
        FAILED
    }

    static KvResult of(Status status, long version) {
        return new KvResult(status, version, NOTHING);
    }

    /**
     * The number after an increment.
     *
     * @throws org.amo.base.wire.MalformedFrameException if the value has not 8 bytes
     */
    public long number() {
        return new WireReader("number", value).i64("number");
    }

    byte[] encode() {
        WireWriter writer = new WireWriter(11 + value.length);
        writer.u8(BY_CODE.indexOf(status));
        writer.varint(version);
        writer.raw(value, 0, value.length);
        return writer.toBytes();
    }

    static KvResult decode(byte[] bytes) {
        WireReader reader = new WireReader("result", bytes);
        int code = reader.u8("status");
        if (code >= BY_CODE.size()) {
            throw reader.malformed("status", code);
        }
        long version = reader.varint("version", 0, Long.MAX_VALUE);
        byte[] value = Arrays.copyOfRange(bytes, reader.position(), bytes.length);
        return new KvResult(BY_CODE.get(code), version, value);
    }
}
