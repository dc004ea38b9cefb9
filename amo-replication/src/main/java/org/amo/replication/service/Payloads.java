package org.amo.replication.service;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.FatalErrors;
import org.amo.core.request.Answer;

/** Writes and reads the bytes of a reply in the ordered group: the handler's reply, or the exception that it threw. */
final class Payloads {
    private static final int REPLY = 0;
    private static final int THROWN = 1;
    private static final int SKIPPED = 2;
    private static final int THROWN_WITH_DATA = 3;
    private static final int MAX_TEXT = 1 << 16;
    private static final int MOST_ABOVE = 32;
    /** As Object.toString() writes it behind the name of a class or a loader. */
    private static final Pattern IDENTITY = Pattern.compile("(?<=[\\w$;\\]) ])@[0-9a-f]{1,8}(?![\\w.-])");

    private static final long FNV_PRIME = 0x100_0000_01B3L;

    private Payloads() {}

    /** @throws FrameLimitException when it is longer than the group carries */
    static byte[] reply(byte[] reply) {
        if (reply.length >= Answer.MAX_REPLY_BYTES) {
            throw new FrameLimitException("the reply", reply.length, Answer.MAX_REPLY_BYTES - 1);
        }
        byte[] bytes = new byte[reply.length + 1];
        bytes[0] = REPLY;
        System.arraycopy(reply, 0, bytes, 1, reply.length);
        return bytes;
    }

    /**
     * The reply for an exception of the handler: its class, its message and the classes above it. The bytes are the same at
     * every member, so they hold no stack trace, and no message that the virtual machine gives an exception of its own or does not.
     * Its messages may name objects by their identity, which is left out.
     */
    static byte[] thrown(Throwable thrown) {
        return thrown(THROWN, thrown).toBytes();
    }

    /**
     * The same with the data of its classes.
     *
     * @param most bytes of the reply; a longer one has no data
     */
    static byte[] thrownWithData(Exception thrown, int most) {
        WireWriter writer = thrown(THROWN_WITH_DATA, thrown);
        List<Class<?>> classes = above(thrown);
        classes.add(0, thrown.getClass());
        for (Class<?> type : classes) {
            Optional<ExceptionFields.Written> data = ExceptionFields.of(type).write(thrown);
            writer.u8(data.isPresent() ? 1 : 0);
            data.ifPresent(written -> {
                writer.i64(written.schema());
                writer.blob(written.bytes());
            });
        }
        return writer.size() <= most ? writer.toBytes() : thrown(thrown);
    }

    private static WireWriter thrown(int kind, Throwable thrown) {
        // The first use of a class that cannot be initialized throws another error than later uses, and a member that
        // was restarted meets its first use later than the others.
        boolean linkage = thrown instanceof LinkageError;
        String message = linkage ? "" : message(thrown);
        if (thrown instanceof Error || thrown instanceof ClassCastException) {
            message = IDENTITY.matcher(message).replaceAll("");
        }
        WireWriter writer = new WireWriter(64);
        writer.u8(kind);
        writer.text(
                "type",
                linkage ? LinkageError.class.getName() : thrown.getClass().getName(),
                MAX_TEXT);
        writer.text(message.substring(0, Math.min(message.length(), MAX_TEXT / 4)));
        List<Class<?>> above = linkage ? List.of() : above(thrown);
        writer.varint(above.size());
        above.forEach(type -> writer.text("type above", type.getName(), MAX_TEXT));
        return writer;
    }

    private static List<Class<?>> above(Throwable thrown) {
        List<Class<?>> above = new ArrayList<>();
        for (Class<?> type = thrown.getClass().getSuperclass();
                type != null && type != Throwable.class && above.size() < MOST_ABOVE;
                type = type.getSuperclass()) {
            above.add(type);
        }
        return above;
    }

    // Of the service, like the exception itself: whatever it throws is the same at every member.
    @SuppressWarnings("IllegalCatch")
    private static String message(Throwable thrown) {
        try {
            return ImplicitExceptions.message(thrown);
        } catch (Throwable e) {
            FatalErrors.in(e).ifPresent(error -> {
                throw error;
            });
            return "";
        }
    }

    /** The reply to a request that the group skipped. */
    static byte[] skipped() {
        return new byte[] {SKIPPED};
    }

    /**
     * @throws AmoServiceException when the handler threw
     * @throws AmoNotExecutedException when the group skipped the request
     */
    static byte[] open(byte[] bytes) {
        WireReader reader = new WireReader("reply", bytes);
        int kind = reader.u8("kind");
        if (kind == REPLY) {
            return Arrays.copyOfRange(bytes, 1, bytes.length);
        }
        if (kind == SKIPPED) {
            reader.end();
            throw new AmoNotExecutedException(
                    "the call did not run: it ended the members that tried to run it, so the group skipped it; look at"
                            + " their output for the cause before you call again",
                    Optional.empty());
        }
        if (kind != THROWN && kind != THROWN_WITH_DATA) {
            throw reader.malformed("kind", kind);
        }
        String type = reader.text("type", MAX_TEXT);
        String message = reader.text("message", MAX_TEXT);
        List<String> above = new ArrayList<>();
        for (long left = reader.varint("types above", 0, MOST_ABOVE); left > 0; left--) {
            above.add(reader.text("type above", MAX_TEXT));
        }
        Map<String, ExceptionFields.Written> data = new HashMap<>();
        if (kind == THROWN_WITH_DATA) {
            readData(reader, type, data);
            above.forEach(each -> readData(reader, each, data));
        }
        reader.end();
        throw new AmoServiceException(type, message, above, data);
    }

    private static void readData(WireReader reader, String type, Map<String, ExceptionFields.Written> into) {
        if (reader.flag("data")) {
            long schema = reader.i64("schema");
            into.put(type, new ExceptionFields.Written(schema, reader.blob("data", Answer.MAX_REPLY_BYTES)));
        }
    }

    /** FNV-1a of 64 bits over the bytes and their length, mixed once more, since FNV leaves the last ones in the low bits. */
    static long fingerprint(byte[] body) {
        long hash = 0xCBF2_9CE4_8422_2325L;
        for (byte next : body) {
            hash = (hash ^ (next & 0xFF)) * FNV_PRIME;
        }
        hash = (hash ^ body.length) * FNV_PRIME;
        hash = (hash ^ hash >>> 32) * 0x9E37_79B9_7F4A_7C15L;
        return hash ^ hash >>> 29;
    }
}
