package org.amo.replication.order.raft;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.amo.core.order.Member;
import org.jgroups.protocols.raft.InternalCommand;
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

    /** The bytes that follow the entry in its frame. */
    static byte[] checksumOf(byte[] entry) {
        return ByteBuffer.allocate(CHECKSUM_LENGTH)
                .putInt(checksum(entry, 0, entry.length))
                .array();
    }

    static boolean isWhole(byte[] data, int offset, int length) {
        int entryLength = length - CHECKSUM_LENGTH;
        return entryLength >= 0
                && ByteBuffer.wrap(data).getInt(offset + entryLength) == checksum(data, offset, entryLength);
    }

    static byte[] unwrap(byte[] data, int offset, int length) {
        return Arrays.copyOfRange(data, offset, offset + length - CHECKSUM_LENGTH);
    }

    /** A change of the members, as an internal entry; jgroups-raft reads it and does not look at the checksum. */
    static byte[] memberChange(boolean add, Member member) {
        InternalCommand.Type type = add ? InternalCommand.Type.addServer : InternalCommand.Type.removeServer;
        return wrap(encode(new InternalCommand(type, member.toString())));
    }

    /** The entry that a new leader commits first. */
    static byte[] internalNoOperation() {
        return NO_OPERATION.clone();
    }

    private static int checksum(byte[] data, int offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(data, offset, length);
        return (int) checksum.getValue();
    }

    private static byte[] noOperation() {
        return encode(new InternalCommand(InternalCommand.Type.noop, ""));
    }

    private static byte[] encode(InternalCommand command) {
        try {
            return Util.streamableToByteBuffer(command);
        } catch (Exception e) {
            throw new IllegalStateException("cannot encode RAFT's " + command, e);
        }
    }
}
