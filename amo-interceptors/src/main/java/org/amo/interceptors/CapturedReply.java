package org.amo.interceptors;

import java.util.Locale;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Answer;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UNKNOWN;

/**
 * A servant's outcome for a request, as the replicas keep it (docs/wire/corba-body.md). Byte-identical at every
 * member: it holds no message of an exception, since those name hosts, threads and addresses.
 *
 * @param kind which of the three
 * @param body result and out arguments, or the user exception with its id first; big-endian, aligned from its start
 * @param exceptionId repository id of a system exception, else empty
 * @param minor of a system exception
 * @param completed of a system exception: 0 yes, 1 no, 2 maybe
 */
public record CapturedReply(Kind kind, byte[] body, String exceptionId, int minor, int completed) {

    /** The outcomes of an invocation. */
    public enum Kind {
        NORMAL(0),
        USER_EXCEPTION(1),
        SYSTEM_EXCEPTION(2);

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    private static final int VERSION = 1;
    private static final int MAX_BYTES = Answer.MAX_REPLY_BYTES;
    private static final int MAX_ID = 256;
    private static final byte[] NOTHING = {};
    private static final String CORBA = "org.omg.CORBA.";

    public static CapturedReply normal(byte[] body) {
        return new CapturedReply(Kind.NORMAL, body, "", 0, 0);
    }

    public static CapturedReply userException(byte[] body) {
        return new CapturedReply(Kind.USER_EXCEPTION, body, "", 0, 0);
    }

    public static CapturedReply systemException(SystemException exception) {
        int completed = exception.completed == null ? CompletionStatus._COMPLETED_MAYBE : exception.completed.value();
        return new CapturedReply(
                Kind.SYSTEM_EXCEPTION,
                NOTHING,
                "IDL:omg.org/CORBA/" + standardName(exception.getClass()) + ":1.0",
                exception.minor,
                completed);
    }

    /** A system exception of the application's own making travels as the standard one it extends. */
    private static String standardName(Class<?> type) {
        for (Class<?> next = type; next != SystemException.class; next = next.getSuperclass()) {
            if (next.getName().startsWith(CORBA)) {
                return next.getSimpleName();
            }
        }
        return "UNKNOWN";
    }

    /** The system exception that {@link #exceptionId} names; UNKNOWN when this ORB has none of that name. */
    public SystemException toSystemException() {
        SystemException exception = instance();
        exception.minor = minor;
        exception.completed = CompletionStatus.from_int(completed);
        return exception;
    }

    private SystemException instance() {
        String name = exceptionId.replaceFirst("^IDL:omg.org/CORBA/", "").replaceFirst(":1.0$", "");
        if (!name.toUpperCase(Locale.ROOT).equals(name)) {
            return new UNKNOWN();
        }
        try {
            return Class.forName(CORBA + name, true, SystemException.class.getClassLoader())
                    .asSubclass(SystemException.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | ClassCastException e) {
            return new UNKNOWN();
        }
    }

    /**
     * The reply's bytes.
     *
     * @throws FrameLimitException when a part is longer than {@link #decode} accepts
     */
    public byte[] encode() {
        WireWriter writer = new WireWriter(16 + body.length + exceptionId.length());
        writer.u8(VERSION);
        writer.u8(kind.code);
        if (kind == Kind.SYSTEM_EXCEPTION) {
            writer.text("exception id", exceptionId, MAX_ID);
            writer.i32(minor);
            writer.u8(completed);
        } else {
            writer.blob("reply", body, MAX_BYTES);
        }
        if (writer.size() > MAX_BYTES) {
            throw new FrameLimitException("CORBA reply", writer.size(), MAX_BYTES);
        }
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException naming the field that is wrong */
    public static CapturedReply decode(byte[] bytes) {
        WireReader reader = new WireReader("CORBA reply", bytes);
        if (bytes.length > MAX_BYTES) {
            throw reader.malformed("length", bytes.length);
        }
        reader.version(VERSION);
        int kind = reader.u8("kind");
        CapturedReply reply =
                switch (kind) {
                    case 0 -> normal(reader.blob("body", MAX_BYTES));
                    case 1 -> userException(reader.blob("body", MAX_BYTES));
                    case 2 -> systemException(reader);
                    default -> throw reader.malformed("kind", kind);
                };
        reader.end();
        return reply;
    }

    private static CapturedReply systemException(WireReader reader) {
        String id = reader.text("exception id", MAX_ID);
        int minor = reader.i32("minor");
        int completed = reader.u8("completed");
        if (completed > CompletionStatus._COMPLETED_MAYBE) {
            throw reader.malformed("completed", completed);
        }
        return new CapturedReply(Kind.SYSTEM_EXCEPTION, NOTHING, id, minor, completed);
    }
}
