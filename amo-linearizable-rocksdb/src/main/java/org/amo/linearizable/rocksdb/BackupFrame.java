package org.amo.linearizable.rocksdb;

import java.util.Arrays;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * A request of a store to a backup; docs/wire/store-backup.md.
 *
 * @param server whose log it is about
 * @param epoch of the sender
 * @param number APPEND: the position of the write; READ: the epoch of the log; else 0
 * @param payload PART, APPEND: changes; READ: the last row that the sender has; else empty
 */
record BackupFrame(Kind kind, String server, long epoch, long number, byte[] payload) {
    static final int MAX_NAME = 255;

    private static final int VERSION = 1;
    private static final byte[] NOTHING = {};

    /** Kinds of requests, with their numbers in the format. */
    enum Kind {
        /** From now on the backup refuses older epochs. */
        SEAL(0),
        /** Begins the log of the epoch, and seals. */
        BEGIN(1),
        /** A part of the state with which the log begins. */
        PART(2),
        /** The state is complete. */
        READY(3),
        /** A write. */
        APPEND(4),
        /** Asks whether the epoch is still the newest one, and the log complete. */
        CONFIRM(5),
        /** Reads the next rows of a complete log. */
        READ(6),
        /** Removes the logs of older epochs. */
        PRUNE(7);

        private static final List<Kind> ALL = List.of(values());

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    /** The outcome of a request, with its number in the format. */
    enum Status {
        OK(0),
        /** The backup has heard of a newer epoch. */
        FENCED(1),
        /** The backup does not hold that log completely up to there. */
        MISSING(2),
        /** The request is none. */
        MALFORMED(3);

        private static final List<Status> ALL = List.of(values());

        private final int code;

        Status(int code) {
            this.code = code;
        }
    }

    /**
     * A backup's answer.
     *
     * @param number FENCED: the newer epoch; READ: 1 at the end, else 0; else the highest position that the backup holds without a
     *     gap, or 0
     * @param payload READ: changes
     */
    record Answer(Status status, long number, byte[] payload) {
        static Answer of(Status status, long number) {
            return new Answer(status, number, NOTHING);
        }

        byte[] encode() {
            WireWriter writer = new WireWriter(16 + payload.length);
            writer.u8(status.code);
            writer.varint(number);
            writer.raw(payload, 0, payload.length);
            return writer.toBytes();
        }

        static Answer decode(byte[] bytes) {
            WireReader reader = new WireReader("answer of a backup", bytes);
            int status = reader.u8("status");
            if (status >= Status.ALL.size()) {
                throw reader.malformed("status", status);
            }
            long number = reader.varint("number", 0, Long.MAX_VALUE);
            return new Answer(Status.ALL.get(status), number, rest(reader, bytes));
        }
    }

    static BackupFrame of(Kind kind, String server, long epoch) {
        return new BackupFrame(kind, server, epoch, 0, NOTHING);
    }

    byte[] encode() {
        WireWriter writer = new WireWriter(32 + server.length() + payload.length);
        writer.u8(VERSION);
        writer.u8(kind.code);
        writer.text("server", server, MAX_NAME);
        writer.varint(epoch);
        writer.varint(number);
        writer.raw(payload, 0, payload.length);
        return writer.toBytes();
    }

    static BackupFrame decode(byte[] bytes) {
        WireReader reader = new WireReader("request to a backup", bytes);
        reader.version(VERSION);
        int kind = reader.u8("kind");
        if (kind >= Kind.ALL.size()) {
            throw reader.malformed("kind", kind);
        }
        String server = reader.text("server", MAX_NAME);
        long epoch = reader.varint("epoch", 1, Long.MAX_VALUE);
        long number = reader.varint("number", 0, Long.MAX_VALUE);
        return new BackupFrame(Kind.ALL.get(kind), server, epoch, number, rest(reader, bytes));
    }

    private static byte[] rest(WireReader reader, byte[] bytes) {
        return Arrays.copyOfRange(bytes, reader.position(), bytes.length);
    }
}
