package org.amo.linearizable.rocksdb;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.once.IdempotencyKey;
import org.amo.once.ResultStore.Completion;

/**
 * The rows of a {@link RocksResultStore}. docs/wire/rocksdb-records.md.
 *
 * @param completion that a retry gets
 * @param created the time that the key carries
 */
record OnceRow(Completion completion, Optional<Instant> created) {
    /** The row of the low-water mark. */
    static final byte[] MARK = {'m'};

    /** All rows of expiries begin with it. */
    static final byte[] FIRST_EXPIRY = {'e'};

    private static final int VERSION = 1;
    private static final int FINGERPRINT_BYTES = 32;
    private static final int EXPIRY_HEAD = 1 + Long.BYTES;

    /** The length keeps tenant and text apart. */
    static byte[] record(IdempotencyKey key) {
        byte[] tenant = key.tenantBytes();
        byte[] text = key.textBytes();
        return ByteBuffer.allocate(2 + tenant.length + text.length)
                .put((byte) 'r')
                .put((byte) tenant.length)
                .put(tenant)
                .put(text)
                .array();
    }

    /** The row that names a record for the cleaner: in the order of time. */
    static byte[] expiry(Instant expires, byte[] record) {
        return ByteBuffer.allocate(EXPIRY_HEAD + record.length)
                .put(FIRST_EXPIRY)
                .putLong(expires.toEpochMilli())
                .put(record)
                .array();
    }

    static boolean isExpired(byte[] expiry, Instant now) {
        return expiry[0] == FIRST_EXPIRY[0] && ByteBuffer.wrap(expiry).getLong(1) <= now.toEpochMilli();
    }

    static byte[] recordOf(byte[] expiry) {
        return Arrays.copyOfRange(expiry, EXPIRY_HEAD, expiry.length);
    }

    static byte[] time(Instant time) {
        return ByteBuffer.allocate(Long.BYTES).putLong(time.toEpochMilli()).array();
    }

    /** @param row of the mark; empty if no key has been removed */
    static Instant mark(Optional<byte[]> row) {
        return row.map(bytes -> Instant.ofEpochMilli(ByteBuffer.wrap(bytes).getLong()))
                .orElse(Instant.EPOCH);
    }

    byte[] encode() {
        byte[] reply = completion.reply().orElseThrow();
        WireWriter writer = new WireWriter(reply.length + 64);
        writer.u8(VERSION);
        writer.blob(completion.fingerprint());
        writer.u8(created.isPresent() ? 1 : 0);
        writer.i64(created.map(Instant::toEpochMilli).orElse(0L));
        writer.blob(reply);
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException for bytes that {@link #encode} did not write */
    static OnceRow decode(byte[] bytes) {
        WireReader reader = new WireReader("completion record", bytes);
        reader.version(VERSION);
        byte[] fingerprint = reader.blob("fingerprint", FINGERPRINT_BYTES);
        boolean isTimed = reader.flag("timed");
        long created = reader.i64("created");
        byte[] reply = reader.blob("reply", bytes.length);
        reader.end();
        return new OnceRow(
                new Completion(fingerprint, Optional.of(reply)),
                isTimed ? Optional.of(Instant.ofEpochMilli(created)) : Optional.empty());
    }
}
