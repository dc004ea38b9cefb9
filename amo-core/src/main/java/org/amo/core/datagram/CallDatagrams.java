package org.amo.core.datagram;

import java.util.Arrays;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.client.Attempt;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.core.wire.RequestFields;

/** The datagrams of docs/wire/first-call.md: their heads, and their contents without seals. Any thread. */
public final class CallDatagrams {
    /** Of a group's name. */
    public static final int MAX_NAME_BYTES = 256;

    /** Of a datagram: what every network carries whole. */
    public static final int MAX_BYTES = 1_200;

    /** A call is padded to that length, so that the reply may have {@link #MAX_BYTES}. */
    public static final int LEAST_CALL_BYTES = MAX_BYTES / CallDatagrams.MOST_TIMES;

    /** A member sends at most so many times the bytes that it got, since it does not know who sent them. */
    public static final int MOST_TIMES = 3;

    /** The most bytes of a request's body. The other fields take 171 with the longest name of a group and no ranges. */
    public static final int MAX_BODY_BYTES = 1_000;

    public static final int CALL = 1;
    public static final int FINISHED = 2;
    public static final int ANSWER = 3;

    public static final int SALT_BYTES = 16;

    private static final int MAGIC = 0x414D_4F55; // "AMOU"
    private static final int VERSION = 1;
    private static final int HEAD_BYTES = 4 + 3 + 16 + Long.BYTES;
    private static final byte[] NO_SALT = {};

    /** The forms of an answer. */
    private static final int ANSWERED = 0;

    private static final int BY_CONNECTION = 1;
    private static final int ELSEWHERE = 2;

    private CallDatagrams() {}

    /**
     * The open part of a datagram, which the seal covers.
     *
     * @param client the sender of a call, or the receiver of an answer
     * @param number of the datagram: no two under one key have the same
     * @param salt of the member's process, in an answer
     */
    public record Head(int kind, boolean sealed, ClientId client, long number, byte[] salt) {
        public int bytes() {
            return HEAD_BYTES + salt.length;
        }

        /** The head's bytes. */
        public byte[] encode() {
            WireWriter writer = new WireWriter(bytes());
            writer.i32(MAGIC);
            writer.u8(VERSION);
            writer.u8(kind);
            writer.u8(sealed ? 1 : 0);
            writer.clientId(client);
            writer.i64(number);
            writer.raw(salt, 0, salt.length);
            return writer.take();
        }
    }

    /** One attempt of a request, as the member reads it. */
    public record Called(String group, long copy, boolean oneway, RequestContext context, byte[] body) {}

    /** Acknowledgements, as the member reads them. */
    public record Acknowledged(String group, long timestampMillis, RequestContext context) {}

    /** The form of the answer to an attempt. */
    public enum Form {
        /** The answer is in it. */
        ANSWERED,
        /** It does not fit; the same attempt is answered over a connection. */
        BY_CONNECTION,
        /** The member takes no calls any more. */
        ELSEWHERE
    }

    /**
     * The answer to an attempt, as the client reads it.
     *
     * @param answer present in form ANSWERED
     */
    public record Answered(Form form, long copy, Optional<Answer> answer) {}

    /** Whether a datagram of this protocol may have so many bytes. */
    public static boolean hasLength(int bytes) {
        return bytes >= HEAD_BYTES && bytes <= MAX_BYTES;
    }

    /** The head; empty if it is of another protocol, or of another version of this one. */
    public static Optional<Head> readHead(byte[] datagram) {
        WireReader reader = new WireReader("call datagram", datagram);
        if (reader.i32("magic") != MAGIC || reader.u8("version") != VERSION) {
            return Optional.empty();
        }
        int kind = reader.u8("kind");
        if (kind < CALL || kind > ANSWER) {
            throw reader.malformed("kind", kind);
        }
        boolean sealed = reader.flag("sealed");
        ClientId client = reader.clientId("client");
        long number = reader.i64("number");
        byte[] salt = NO_SALT;
        if (kind == ANSWER) {
            reader.need("salt", SALT_BYTES);
            salt = Arrays.copyOfRange(datagram, reader.position(), reader.position() + SALT_BYTES);
        }
        return Optional.of(new Head(kind, sealed, client, number, salt));
    }

    /** @param least the content is padded to that length */
    public static byte[] call(String group, Attempt attempt, FinishedNumbers finished, int least) {
        RequestContext.Call call =
                new RequestContext.Call(attempt.id().number(), attempt.timestampMillis(), attempt.deadlineMillis());
        WireWriter writer = new WireWriter(MAX_BYTES);
        writer.text("group", group, MAX_NAME_BYTES);
        writer.varint(attempt.copy());
        writer.u8(attempt.oneway() ? 1 : 0);
        writer.blob(
                "context",
                new RequestContext(attempt.id().client(), Optional.of(call), finished).encode(),
                RequestContext.MAX_BYTES);
        writer.blob("body", attempt.body(), MAX_BODY_BYTES);
        int length = Math.max(least, writer.size());
        return Arrays.copyOf(writer.take(), length);
    }

    public static Called readCall(byte[] content) {
        WireReader reader = new WireReader("call", content);
        String group = reader.text("group", MAX_NAME_BYTES);
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        boolean oneway = reader.flag("oneway");
        RequestContext context = RequestContext.decode(reader.blob("context", MAX_BYTES));
        if (context.call().isEmpty()) {
            throw new MalformedFrameException("call: its context has no call");
        }
        byte[] body = reader.blob("body", MAX_BODY_BYTES);
        while (reader.remaining() > 0) {
            int padding = reader.u8("padding");
            if (padding != 0) {
                throw reader.malformed("padding", padding);
            }
        }
        return new Called(group, copy, oneway, context, body);
    }

    public static byte[] finished(String group, ClientId client, long timestampMillis, FinishedNumbers finished) {
        byte[] context = new RequestContext(client, Optional.empty(), finished).encode();
        WireWriter writer = new WireWriter(64);
        writer.text("group", group, MAX_NAME_BYTES);
        writer.i64(timestampMillis);
        writer.blob("context", context, RequestContext.MAX_BYTES);
        return writer.toBytes();
    }

    public static Acknowledged readFinished(byte[] content) {
        WireReader reader = new WireReader("finished", content);
        Acknowledged acknowledged = new Acknowledged(
                reader.text("group", MAX_NAME_BYTES),
                reader.i64("timestamp"),
                RequestContext.decode(reader.blob("context", MAX_BYTES)));
        reader.end();
        return acknowledged;
    }

    public static byte[] answer(long copy, Answer answer) {
        WireWriter writer = begin(ANSWERED, copy, RequestFields.ANSWER_HEAD_BYTES + answer.reply().length);
        RequestFields.writeAnswerHead(writer, answer);
        writer.raw(answer.reply(), 0, answer.reply().length);
        return writer.take();
    }

    /** The answer is too long for a datagram. */
    public static byte[] byConnection(long copy) {
        return begin(BY_CONNECTION, copy, 0).toBytes();
    }

    /** The member takes no calls any more. */
    public static byte[] elsewhere(long copy) {
        return begin(ELSEWHERE, copy, 0).toBytes();
    }

    /** The most bytes of {@link #answer} beside the reply. */
    public static int answerBytes(long copy) {
        return 1 + WireWriter.varintSize(copy) + RequestFields.ANSWER_HEAD_BYTES;
    }

    private static WireWriter begin(int form, long copy, int more) {
        WireWriter writer = new WireWriter(1 + WireWriter.varintSize(copy) + more);
        writer.u8(form);
        writer.varint(copy);
        return writer;
    }

    public static Answered readAnswer(byte[] content) {
        WireReader reader = new WireReader("answer", content);
        int form = reader.u8("form");
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        if (form == BY_CONNECTION || form == ELSEWHERE) {
            reader.end();
            return new Answered(form == BY_CONNECTION ? Form.BY_CONNECTION : Form.ELSEWHERE, copy, Optional.empty());
        }
        if (form != ANSWERED) {
            throw reader.malformed("form", form);
        }
        Answer head = RequestFields.readAnswerHead(reader);
        if (head.kind() == Answer.Kind.REPLY) {
            byte[] reply = Arrays.copyOfRange(content, reader.position(), content.length);
            return new Answered(Form.ANSWERED, copy, Optional.of(head.withReply(reply)));
        }
        reader.end();
        return new Answered(Form.ANSWERED, copy, Optional.of(head));
    }
}
