package org.amo.replication.order.raft;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jgroups.protocols.raft.LogEntry;

/**
 * One entry as it lies in the file of the log ({@code docs/wire/raft-log.md}). The checksum covers every field, and each
 * record names the checksum of the one before it, so a record of another place or of an older tail does not fit.
 *
 * @param index in RAFT's log
 * @param forced the last index that was on disk, as far as the log forces at all, before this record was written
 * @param before checksum of the record before; 0 for the first of a log
 * @param checksum of this record
 * @param entry the content, for RAFT
 */
record LogRecord(long index, long forced, int before, int checksum, LogEntry entry) {
    /** Bytes in front of the data. */
    static final int HEAD = 42;

    private static final int MAGIC = 0x616d6f52;
    private static final int VERSION = 1;
    private static final int LENGTH_AT = 6;
    private static final int CHECKSUM_AT = HEAD - Integer.BYTES;

    /** Bytes that a record of this entry takes. */
    static long size(LogEntry entry) {
        return (long) HEAD + entry.length();
    }

    /** Writes a record at the position of the buffer. @return its checksum */
    static int write(ByteBuffer out, long index, long forced, int before, LogEntry entry) {
        int checksum = writeHead(out, index, forced, before, entry);
        if (entry.length() > 0) {
            out.put(entry.command(), entry.offset(), entry.length());
        }
        return checksum;
    }

    /** Writes the {@value #HEAD} bytes in front of the entry's data. @return the checksum of the record */
    static int writeHead(ByteBuffer out, long index, long forced, int before, LogEntry entry) {
        int start = out.position();
        out.putInt(MAGIC).put((byte) VERSION).put((byte) (entry.internal() ? 1 : 0));
        out.putInt(entry.length()).putLong(index).putLong(entry.term()).putLong(forced);
        out.putInt(before);
        CRC32C crc = checksumOfHead(out, start);
        if (entry.length() > 0) {
            crc.update(entry.command(), entry.offset(), entry.length());
        }
        int checksum = (int) crc.getValue();
        out.putInt(checksum);
        return checksum;
    }

    /** Whether a record could begin with these bytes. */
    static boolean mayBegin(ByteBuffer bytes, int at) {
        return bytes.getInt(at) == MAGIC;
    }

    /** The data's length as the head tells it, unchecked; at least {@link #HEAD} bytes must be there. */
    static int claimedLength(ByteBuffer bytes, int at) {
        return bytes.getInt(at + LENGTH_AT);
    }

    /** The record that lies there; empty if it is not whole. */
    static Optional<LogRecord> read(ByteBuffer bytes, int at, int limit) {
        if (limit - at < HEAD || !mayBegin(bytes, at) || bytes.get(at + Integer.BYTES) != VERSION) {
            return Optional.empty();
        }
        int length = claimedLength(bytes, at);
        byte kind = bytes.get(at + Integer.BYTES + 1);
        if (length < 0 || length > limit - at - HEAD || (kind != 0 && kind != 1)) {
            return Optional.empty();
        }
        int checksum = claimedChecksum(bytes, at);
        if (checksum != checksum(bytes, at, length)) {
            return Optional.empty();
        }
        int next = at + LENGTH_AT + Integer.BYTES;
        byte[] data = new byte[length];
        bytes.get(at + HEAD, data);
        LogEntry entry = new LogEntry(bytes.getLong(next + Long.BYTES), data).internal(kind == 1);
        return Optional.of(new LogRecord(
                bytes.getLong(next),
                bytes.getLong(next + 2 * Long.BYTES),
                bytes.getInt(next + 3 * Long.BYTES),
                checksum,
                entry));
    }

    /** The checksum as the head tells it. */
    static int claimedChecksum(ByteBuffer bytes, int at) {
        return bytes.getInt(at + CHECKSUM_AT);
    }

    /** To be updated with the data. */
    static CRC32C checksumOfHead(ByteBuffer bytes, int start) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(start + CHECKSUM_AT).position(start));
        return crc;
    }

    private static int checksum(ByteBuffer bytes, int start, int length) {
        CRC32C crc = checksumOfHead(bytes, start);
        crc.update(bytes.duplicate().limit(start + HEAD + length).position(start + HEAD));
        return (int) crc.getValue();
    }
}
