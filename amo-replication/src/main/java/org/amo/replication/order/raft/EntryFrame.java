package org.amo.replication.order.raft;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jgroups.protocols.raft.InternalCommand;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.util.Util;

/** How an entry lies in the RAFT log: the caller's bytes, then their CRC32C (4 bytes, big endian). */
final class EntryFrame {
    private static final int CHECKSUM_LENGTH = Integer.BYTES;
    private static final byte[] NO_OPERATION = noOperation();

    private EntryFrame() {}

    static byte[] wrap(byte[] entry) {
        byte[] framed = Arrays.copyOf(entry, entry.length + CHECKSUM_LENGTH);
        ByteBuffer.wrap(framed).putInt(entry.length, checksum(entry, 0, entry.length));
        return framed;
    }

    static boolean isWhole(byte[] data, int offset, int length) {
        int entryLength = length - CHECKSUM_LENGTH;
        return entryLength >= 0
                && ByteBuffer.wrap(data).getInt(offset + entryLength) == checksum(data, offset, entryLength);
    }

    static byte[] unwrap(byte[] data, int offset, int length) {
        return Arrays.copyOfRange(data, offset, offset + length - CHECKSUM_LENGTH);
    }

    static boolean isWhole(LogEntry entry) {
        byte[] data = entry.command();
        if (data == null) {
            return false;
        }
        return entry.internal()
                ? Arrays.equals(
                        data, entry.offset(), entry.offset() + entry.length(), NO_OPERATION, 0, NO_OPERATION.length)
                : isWhole(data, entry.offset(), entry.length());
    }

    /** The only internal entry that amo writes: what a new leader commits first. */
    static byte[] internalNoOperation() {
        return NO_OPERATION.clone();
    }

    private static int checksum(byte[] data, int offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(data, offset, length);
        return (int) checksum.getValue();
    }

    private static byte[] noOperation() {
        try {
            return Util.streamableToByteBuffer(new InternalCommand(InternalCommand.Type.noop, ""));
        } catch (Exception e) {
            throw new IllegalStateException("cannot encode RAFT's no-operation", e);
        }
    }
}
