package org.amo.exon.udp;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.exon.NodeId;
import org.jspecify.annotations.Nullable;

/** Reads and writes the datagrams of encrypted nodes, byte by byte as in docs/wire/exon.md. */
final class SecureFrame {
    static final int FIRST = 0xF1;
    static final int SECOND = 0xF2;
    static final int RECORD = 0xF3;
    static final int NOTICE = 0xF4;

    /** Most bytes that a record adds to its content. */
    static final int OVERHEAD = 1 + 4 + 9 + 1 + AeadKey.TAG;

    /** What the initiator's payload holds. */
    static final int OPENING_BYTES = 4 + 8 + 4;

    private static final int IDS_END = 1 + 16 + 16;
    private static final int SECOND_HEAD = 1 + 4;
    private static final int LEAST_RECORD = 1 + AeadKey.TAG;

    private SecureFrame() {}

    /**
     * The outside of a datagram.
     *
     * @param form its first byte
     * @param to the receiver's id; first messages only
     * @param from the sender's id; first messages only
     * @param index the receiver's name of the handshake or session, or the sender's in a notice; not of first messages
     * @param number of the record, or of the record that a notice answers
     * @param bodyAt where the handshake's message, or the ciphertext, begins
     */
    record Outside(int form, @Nullable NodeId to, @Nullable NodeId from, int index, long number, int bodyAt) {}

    /**
     * The payload of a first message.
     *
     * @param index the initiator's name of the session
     * @param incarnation the initiator's
     * @param attempt its handshakes in that life, rising
     */
    record Opening(int index, long incarnation, int attempt) {
        boolean isAfter(@Nullable Opening other) {
            return other == null
                    || incarnation > other.incarnation
                    || (incarnation == other.incarnation && attempt > other.attempt);
        }

        byte[] toBytes() {
            return ByteBuffer.allocate(OPENING_BYTES)
                    .putInt(index)
                    .putLong(incarnation)
                    .putInt(attempt)
                    .array();
        }

        static Opening of(byte[] payload) {
            ByteBuffer buffer = ByteBuffer.wrap(payload);
            return new Opening(buffer.getInt(), buffer.getLong(), buffer.getInt());
        }
    }

    /** Reads the outside of a datagram; its body is not looked at. */
    static Outside read(byte[] datagram) {
        WireReader reader = new WireReader("secure exon datagram", datagram);
        int form = reader.u8("form");
        switch (form) {
            case FIRST -> {
                NodeId to = new NodeId(reader.i64("to"), reader.i64("to"));
                NodeId from = new NodeId(reader.i64("from"), reader.i64("from"));
                exactly(NoiseHandshake.OVERHEAD + OPENING_BYTES, reader);
                return new Outside(form, to, from, 0, 0, IDS_END);
            }
            case SECOND -> {
                int index = reader.i32("index");
                exactly(NoiseHandshake.OVERHEAD + 4, reader);
                return new Outside(form, null, null, index, 0, SECOND_HEAD);
            }
            case RECORD, NOTICE -> {
                int index = reader.i32("index");
                long number = reader.varint("number", 0, Long.MAX_VALUE);
                if (form == NOTICE) {
                    reader.end();
                } else {
                    reader.need("ciphertext", LEAST_RECORD);
                }
                return new Outside(form, null, null, index, number, reader.position());
            }
            default -> throw reader.malformed("form", form);
        }
    }

    private static void exactly(int length, WireReader reader) {
        if (reader.remaining() != length) {
            throw reader.malformed("length", reader.remaining());
        }
    }

    /** The first bytes of a first message, which the handshake covers. */
    static byte[] firstHead(NodeId to, NodeId from) {
        WireWriter writer = new WireWriter(IDS_END);
        writer.u8(FIRST);
        writer.i64(to.high());
        writer.i64(to.low());
        writer.i64(from.high());
        writer.i64(from.low());
        return writer.toBytes();
    }

    static byte[] secondHead(int index) {
        WireWriter writer = new WireWriter(SECOND_HEAD);
        writer.u8(SECOND);
        writer.i32(index);
        return writer.toBytes();
    }

    static byte[] recordHead(int index, long number) {
        return head(RECORD, index, number);
    }

    /** Says that no session has the name that a record gave. */
    static byte[] notice(Outside unknown) {
        return head(NOTICE, unknown.index, unknown.number);
    }

    private static byte[] head(int form, int index, long number) {
        WireWriter writer = new WireWriter(SECOND_HEAD + WireWriter.varintSize(number));
        writer.u8(form);
        writer.i32(index);
        writer.varint(number);
        return writer.toBytes();
    }

    static byte[] join(byte[] head, byte[] body) {
        byte[] both = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, both, head.length, body.length);
        return both;
    }
}
