package org.amo.scmp;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;

/**
 * The bytes of all datagrams (docs/wire/scmp.md), without the seal that the shell may add. Writing begins at the buffer's
 * position and leaves it behind the last byte; a buffer of {@link #MAX_DATAGRAM} bytes is always enough. No state.
 */
public final class RpcDatagrams {
    /** Bytes that one UDP datagram over IPv4 can carry. */
    public static final int MAX_DATAGRAM = 65_507;

    /** Bytes of a seal, for which room is always left. */
    public static final int SEAL = Seal.BYTES;

    public static final int HEADER = 36;

    /** The largest body of a call or a reply: 65,455 bytes. */
    public static final int MAX_BODY = MAX_DATAGRAM - HEADER - SEAL;

    /** Every request is at least as large as the largest answer that is not a reply: REFUSED. */
    public static final int MIN_REQUEST = HEADER + 16;

    /** Beyond this (year 38505) timestamps are malformed, so that sums of times cannot overflow. */
    public static final long MAX_MICROS = 1L << 60;

    /** The version of datagrams in the clear, and of those under the server's own key. */
    public static final int SERVER_KEY = 1;

    /** The version of datagrams under the key of one client, which the upper half of the client id names. */
    public static final int CLIENT_KEY = 2;

    private static final int MAGIC = 0x5C;
    private static final byte[] NOTHING = {};
    private static final Datagram.Kind[] KINDS = Datagram.Kind.values();

    private RpcDatagrams() {}

    /** @throws IllegalArgumentException for a call that cannot be sent, with the limit */
    public static void checkCall(int service, int bodyBytes) {
        if (service < 0 || service > 0xFFFF) {
            throw new IllegalArgumentException("a service is a number from 0 to 65535: " + service);
        }
        if (bodyBytes > MAX_BODY) {
            throw new IllegalArgumentException("a call must fit one datagram: its arguments are " + bodyBytes
                    + " bytes, at most " + MAX_BODY + " are possible; send less, or several calls");
        }
    }

    /** @param roomForReplyBytes the datagram is padded until a reply of this size is not larger */
    public static void call(ByteBuffer out, Call call, int roomForReplyBytes) {
        int start = out.position();
        head(out, Datagram.Kind.CALL, call.service(), call.connection(), call.timestampMicros(), call.body().length);
        out.put(call.body());
        pad(out, start, roomForReplyBytes);
    }

    public static void truncatedCall(
            ByteBuffer out, ConnectionId connection, long timestampMicros, int roomForReplyBytes) {
        int start = out.position();
        head(out, Datagram.Kind.TRUNCATED_CALL, 0, connection, timestampMicros, 0);
        pad(out, start, roomForReplyBytes);
    }

    public static void replyAck(ByteBuffer out, ConnectionId connection, long timestampMicros) {
        int start = out.position();
        head(out, Datagram.Kind.REPLY_ACK, 0, connection, timestampMicros, 0);
        pad(out, start, 0);
    }

    public static void reply(ByteBuffer out, ConnectionId connection, long timestampMicros, Reply reply) {
        head(out, Datagram.Kind.REPLY, reply.failed() ? 1 : 0, connection, timestampMicros, reply.body().length);
        out.put(reply.body());
    }

    public static void ack(ByteBuffer out, ConnectionId connection, long timestampMicros) {
        head(out, Datagram.Kind.ACK, 0, connection, timestampMicros, 0);
    }

    public static void held(ByteBuffer out, ConnectionId connection, long timestampMicros, int replyBytes) {
        head(out, Datagram.Kind.HELD, 0, connection, timestampMicros, 4);
        out.putInt(replyBytes);
    }

    public static void refused(
            ByteBuffer out,
            ConnectionId connection,
            long timestampMicros,
            RefusalReason reason,
            long serverMicros,
            long boundMicros) {
        head(out, Datagram.Kind.REFUSED, reason.code(), connection, timestampMicros, 16);
        out.putLong(clamp(serverMicros));
        out.putLong(clamp(boundMicros));
    }

    /** The version that a datagram names, from the buffer's position on; 0 if it is too short to be one. */
    public static int version(ByteBuffer in) {
        return in.remaining() < HEADER ? 0 : (in.get(in.position() + 1) & 0xF0) >>> 4;
    }

    /** The upper half of the client id in a datagram of {@link #HEADER} bytes at least. */
    public static long clientHigh(ByteBuffer in) {
        return in.getLong(in.position() + 8);
    }

    /** Makes a datagram that was written at {@code start} one of {@link #CLIENT_KEY}. */
    public static void underClientKey(ByteBuffer out, int start) {
        out.put(start + 1, (byte) ((CLIENT_KEY << 4) | (out.get(start + 1) & 0x0F)));
    }

    private static long clamp(long micros) {
        return Math.max(0, Math.min(MAX_MICROS, micros));
    }

    /**
     * Decodes one datagram, from the buffer's position to its limit.
     *
     * @throws MalformedFrameException naming field, offset and value
     */
    public static Datagram decode(ByteBuffer in) {
        int length = in.remaining();
        if (length < HEADER) {
            throw malformed("length", 0, length);
        }
        int at = in.position();
        int magic = in.get(at) & 0xFF;
        int version = version(in);
        int kindCode = in.get(at + 1) & 0x0F;
        if (magic != MAGIC || (version != SERVER_KEY && version != CLIENT_KEY)) {
            throw malformed("magic and version", 0, in.getShort(at) & 0xFFFFL);
        }
        if (kindCode < 1 || kindCode > KINDS.length) {
            throw malformed("kind", 1, kindCode);
        }
        Datagram.Kind kind = KINDS[kindCode - 1];
        int code = in.getShort(at + 2) & 0xFFFF;
        ConnectionId connection = new ConnectionId(in.getLong(at + 8), in.getLong(at + 16), in.getInt(at + 4));
        long timestamp = in.getLong(at + 24);
        int body = in.getInt(at + 32);
        if (timestamp < 0 || timestamp > MAX_MICROS) {
            throw malformed("timestamp", 24, timestamp);
        }
        if (body < 0 || body > MAX_BODY || body > length - HEADER || !isBodyOf(kind, body)) {
            throw malformed("body length", 32, body);
        }
        if (!isCodeOf(kind, code)) {
            throw malformed("code", 2, code);
        }
        checkPadding(in, kind, at + HEADER + body, at + length, length);
        int bodyAt = at + HEADER;
        return switch (kind) {
            case CALL, REPLY -> {
                byte[] bytes = body == 0 ? NOTHING : new byte[body];
                in.get(bodyAt, bytes);
                yield new Datagram(kind, connection, timestamp, code, bytes, 0, 0);
            }
            case HELD -> {
                int size = in.getInt(bodyAt);
                if (size < 0 || size > MAX_BODY) {
                    throw malformed("reply size", HEADER, size);
                }
                yield new Datagram(kind, connection, timestamp, code, NOTHING, size, 0);
            }
            case REFUSED -> {
                long time = in.getLong(bodyAt);
                long bound = in.getLong(bodyAt + 8);
                if (time < 0 || time > MAX_MICROS) {
                    throw malformed("server time", HEADER, time);
                }
                if (bound < 0 || bound > MAX_MICROS) {
                    throw malformed("bound", HEADER + 8, bound);
                }
                yield new Datagram(kind, connection, timestamp, code, NOTHING, time, bound);
            }
            case TRUNCATED_CALL, REPLY_ACK, ACK -> new Datagram(kind, connection, timestamp, code, NOTHING, 0, 0);
        };
    }

    private static boolean isBodyOf(Datagram.Kind kind, int bytes) {
        return switch (kind) {
            case CALL, REPLY -> true;
            case HELD -> bytes == 4;
            case REFUSED -> bytes == 16;
            case TRUNCATED_CALL, REPLY_ACK, ACK -> bytes == 0;
        };
    }

    private static boolean isCodeOf(Datagram.Kind kind, int code) {
        return switch (kind) {
            case CALL -> true;
            case REPLY -> code <= 1;
            case REFUSED -> RefusalReason.ofCode(code).isPresent();
            case TRUNCATED_CALL, REPLY_ACK, ACK, HELD -> code == 0;
        };
    }

    private static void checkPadding(ByteBuffer in, Datagram.Kind kind, int from, int end, int length) {
        if (kind.isOfClient() ? length < MIN_REQUEST : from != end) {
            throw malformed("length", 0, length);
        }
        for (int i = from; i < end; i++) {
            if (in.get(i) != 0) {
                throw malformed("padding", i - in.position(), in.get(i));
            }
        }
    }

    private static void head(
            ByteBuffer out, Datagram.Kind kind, int code, ConnectionId connection, long timestampMicros, int body) {
        out.put((byte) MAGIC);
        out.put((byte) (SERVER_KEY << 4 | kind.code()));
        out.putShort((short) code);
        out.putInt(connection.uid());
        out.putLong(connection.clientHigh());
        out.putLong(connection.clientLow());
        out.putLong(timestampMicros);
        out.putInt(body);
    }

    private static void pad(ByteBuffer out, int start, int roomForReplyBytes) {
        int least = Math.max(MIN_REQUEST, HEADER + roomForReplyBytes);
        int end = Math.max(out.position(), start + least);
        if (end > out.limit()) {
            throw new BufferOverflowException();
        }
        while (out.position() < end) {
            out.put((byte) 0);
        }
    }

    private static MalformedFrameException malformed(String field, int offset, long value) {
        return new MalformedFrameException("scmp datagram: field " + field + " at offset " + offset + " is " + value);
    }
}
