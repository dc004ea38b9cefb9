package org.amo.replication.rpc;

import java.util.Arrays;
import java.util.Optional;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.client.Attempt;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.PathContext;
import org.amo.core.wire.RequestContext;
import org.amo.core.wire.RequestFields;

/** The frames of docs/wire/rpc.md, without their lengths and seals. */
final class RpcFrames {
    /**
     * Begins each direction of a connection: "AMOR", and the version. Versions 2 and 3 are left out: a client with TLS takes
     * the fifth byte for the major version of an SSLv2 record, and would wait for its rest.
     */
    static final byte[] PREAMBLE = {'A', 'M', 'O', 'R', 4};

    static final int SALT_BYTES = 16;

    /** Of a frame before the peer has proved anything. */
    static final int MAX_GREETING_BYTES = 1_024;

    /** Of a frame, with its seal. */
    static final int MAX_BYTES = Request.MAX_BODY_BYTES + RequestContext.MAX_BYTES + 64;

    static final int HELLO = 1;
    static final int WELCOME = 2;
    static final int REFUSED = 3;
    static final int REQUEST = 4;
    static final int FINISHED = 5;
    static final int ANSWER = 6;
    static final int STATE = 7;
    static final int DRAINING = 8;
    static final int ASK = 9;
    static final int TOLD = 10;
    static final int OPERATE = 11;
    static final int OPERATED = 12;
    static final int READ = 13;
    static final int READ_ANSWER = 14;

    /** A question by which a client finds out whether a member reads {@link #READ}: one of an older version has no answer to it. */
    private static final int READS_ID = 0x414D5002;

    /** The answer to it, if the member does. */
    private static final byte[] READS_VERSION = {1};

    /** Of an operator's question and its argument, each. */
    static final int MAX_OPERATE_BYTES = 4_096;

    /** Of the answer to one. */
    static final int MAX_OPERATED_BYTES = 1 << 18;

    private static final byte[] NOTHING = {};
    /** Of the name of a group or a member. */
    static final int MAX_NAME_BYTES = 256;

    private static final int MAX_TEXT_BYTES = 600;

    /** Of the age and the time of a read: an hour. */
    static final long MAX_READ_MILLIS = 3_600_000;

    private static final int READ_RESULT = 0;
    private static final int READ_REFUSED = 1;
    private static final int READ_TO_BE_ORDERED = 2;

    private RpcFrames() {}

    /**
     * The client's first frame.
     *
     * @param proof empty when the client has no secret
     */
    record Hello(String group, byte[] salt, byte[] proof) {}

    /** The server's first frame, if it takes the client. */
    record Welcome(byte[] salt, byte[] proof) {}

    /** One attempt of a request, as the server reads it. */
    record Arrived(long copy, boolean oneway, RequestContext context, byte[] body) {}

    /** The answer to one attempt, as the client reads it. */
    record Answered(long copy, Answer answer) {}

    /** A question to this member alone. */
    record Asked(long copy, byte[] question) {}

    /**
     * The answer to one.
     *
     * @param answer empty if the member has none
     */
    record Told(long copy, Optional<byte[]> answer) {}

    /** A question of an operator to this member. */
    record Operate(long copy, String question, String argument) {}

    /**
     * The answer to one.
     *
     * @param answer empty if the member knows no such question
     */
    record Operated(long copy, Optional<String> answer) {}

    /**
     * The state of the group, as clients are told it.
     *
     * @param leader empty when none is known
     * @param upperMillis timestamps up to it are refused
     */
    record State(String leader, long upperMillis) {}

    static byte[] hello(Hello hello) {
        WireWriter writer = new WireWriter(64);
        writer.u8(HELLO);
        writer.text("group", hello.group(), MAX_NAME_BYTES);
        writer.raw(hello.salt(), 0, SALT_BYTES);
        writer.blob("proof", hello.proof(), GroupKey.PROOF_BYTES);
        return writer.toBytes();
    }

    static Hello readHello(byte[] frame) {
        WireReader reader = begin("hello", HELLO, frame);
        Hello hello = new Hello(
                reader.text("group", MAX_NAME_BYTES), salt(reader), reader.blob("proof", GroupKey.PROOF_BYTES));
        reader.end();
        return hello;
    }

    static byte[] welcome(Welcome welcome) {
        WireWriter writer = new WireWriter(64);
        writer.u8(WELCOME);
        writer.raw(welcome.salt(), 0, SALT_BYTES);
        writer.blob("proof", welcome.proof(), GroupKey.PROOF_BYTES);
        return writer.toBytes();
    }

    static Welcome readWelcome(byte[] frame) {
        WireReader reader = begin("welcome", WELCOME, frame);
        Welcome welcome = new Welcome(salt(reader), reader.blob("proof", GroupKey.PROOF_BYTES));
        reader.end();
        return welcome;
    }

    /** @param lasting it is of no use to try again */
    static byte[] refused(boolean lasting, String why) {
        WireWriter writer = new WireWriter(64 + why.length());
        writer.u8(REFUSED);
        writer.u8(lasting ? 1 : 0);
        writer.text(why.substring(0, Math.min(why.length(), MAX_TEXT_BYTES / 3)));
        return writer.toBytes();
    }

    static RpcRefusal readRefused(byte[] frame) {
        WireReader reader = begin("refused", REFUSED, frame);
        RpcRefusal refusal =
                new RpcRefusal(RpcRefusal.Kind.TOLD, reader.flag("lasting"), reader.text("why", MAX_TEXT_BYTES));
        reader.end();
        return refusal;
    }

    static byte[] request(ClientId client, Attempt copy) {
        RequestContext.Call call =
                new RequestContext.Call(copy.id().number(), copy.timestampMillis(), copy.deadlineMillis());
        byte[] context = new RequestContext(client, Optional.of(call), copy.finished()).encode();
        WireWriter writer = new WireWriter(2
                + WireWriter.varintSize(copy.copy())
                + WireWriter.varintSize(context.length)
                + context.length
                + copy.body().length);
        writer.u8(REQUEST);
        writer.varint(copy.copy());
        writer.u8(copy.oneway() ? 1 : 0);
        writer.blob("context", context, RequestContext.MAX_BYTES);
        writer.raw(checked("the body of a request", copy.body(), Request.MAX_BODY_BYTES), 0, copy.body().length);
        return writer.take();
    }

    static Arrived readRequest(byte[] frame) {
        WireReader reader = begin("request", REQUEST, frame);
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        boolean oneway = reader.flag("oneway");
        RequestContext context = RequestContext.decode(reader.blob("context", RequestContext.MAX_BYTES));
        if (context.call().isEmpty()) {
            throw new MalformedFrameException("request: its context has no call");
        }
        if (reader.remaining() > Request.MAX_BODY_BYTES) {
            throw reader.malformed("body length", reader.remaining());
        }
        return new Arrived(copy, oneway, context, rest(frame, reader));
    }

    static byte[] finished(ClientId client, FinishedNumbers finished) {
        byte[] context = new RequestContext(client, Optional.empty(), finished).encode();
        WireWriter writer = new WireWriter(8 + context.length);
        writer.u8(FINISHED);
        writer.raw(context, 0, context.length);
        return writer.toBytes();
    }

    static RequestContext readFinished(byte[] frame) {
        return RequestContext.decode(rest(frame, begin("finished", FINISHED, frame)));
    }

    static byte[] answer(long copy, Answer answer) {
        WireWriter writer = new WireWriter(
                1 + WireWriter.varintSize(copy) + RequestFields.ANSWER_HEAD_BYTES + answer.reply().length);
        writer.u8(ANSWER);
        writer.varint(copy);
        RequestFields.writeAnswerHead(writer, answer);
        writer.raw(checked("a reply", answer.reply(), Answer.MAX_REPLY_BYTES), 0, answer.reply().length);
        return writer.take();
    }

    static Answered readAnswer(byte[] frame) {
        WireReader reader = begin("answer", ANSWER, frame);
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        Answer head = RequestFields.readAnswerHead(reader);
        if (reader.remaining() > Answer.MAX_REPLY_BYTES) {
            throw reader.malformed("reply length", reader.remaining());
        }
        if (head.kind() == Answer.Kind.REPLY) {
            head = Answer.reply(rest(frame, reader), head.orderedTimeMillis(), head.upperMillis());
        } else {
            reader.end();
        }
        return new Answered(copy, head);
    }

    static byte[] state(State state) {
        WireWriter writer = new WireWriter(48);
        writer.u8(STATE);
        writer.text("leader", state.leader(), MAX_NAME_BYTES);
        writer.i64(state.upperMillis());
        return writer.toBytes();
    }

    static State readState(byte[] frame) {
        WireReader reader = begin("state", STATE, frame);
        State state = new State(reader.text("leader", MAX_NAME_BYTES), reader.i64("upper"));
        reader.end();
        return state;
    }

    static byte[] draining() {
        return new byte[] {DRAINING};
    }

    static byte[] ask(long copy, byte[] question) {
        WireWriter writer = new WireWriter(16 + question.length);
        writer.u8(ASK);
        writer.varint(copy);
        writer.raw(checked("a question", question, RpcQuestions.MAX_BYTES), 0, question.length);
        return writer.toBytes();
    }

    static Asked readAsk(byte[] frame) {
        WireReader reader = begin("ask", ASK, frame);
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        return new Asked(copy, shortRest(frame, reader));
    }

    /**
     * The path of the next request on this connection, in a question: a member of an older version has no answer to it, and reads on.
     */
    static byte[] path(long copy, CallPath path) {
        byte[] context = PathContext.encode(path);
        WireWriter question = new WireWriter(4 + context.length);
        question.i32(PathContext.CONTEXT_ID);
        question.raw(context, 0, context.length);
        return ask(copy, question.toBytes());
    }

    /** The path that a question tells; empty if the question is one for the service. */
    static Optional<CallPath> readPath(byte[] question) {
        WireReader reader = new WireReader("path", question);
        if (question.length < 4 || reader.i32("id") != PathContext.CONTEXT_ID) {
            return Optional.empty();
        }
        return Optional.of(PathContext.decode(rest(question, reader)));
    }

    static byte[] told(long copy, Optional<byte[]> answer) {
        byte[] bytes = answer.orElse(NOTHING);
        WireWriter writer = new WireWriter(16 + bytes.length);
        writer.u8(TOLD);
        writer.varint(copy);
        writer.u8(answer.isPresent() ? 1 : 0);
        writer.raw(checked("the answer to a question", bytes, RpcQuestions.MAX_BYTES), 0, bytes.length);
        return writer.toBytes();
    }

    static Told readTold(byte[] frame) {
        WireReader reader = begin("told", TOLD, frame);
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        if (reader.flag("answered")) {
            return new Told(copy, Optional.of(shortRest(frame, reader)));
        }
        reader.end();
        return new Told(copy, Optional.empty());
    }

    static byte[] operate(long copy, String question, String argument) {
        WireWriter writer = new WireWriter(32 + argument.length());
        writer.u8(OPERATE);
        writer.varint(copy);
        writer.text("question", question, MAX_OPERATE_BYTES);
        writer.text("argument", argument, MAX_OPERATE_BYTES);
        return writer.toBytes();
    }

    static Operate readOperate(byte[] frame) {
        WireReader reader = begin("operate", OPERATE, frame);
        Operate operate = new Operate(
                reader.varint("copy", 1, Long.MAX_VALUE),
                reader.text("question", MAX_OPERATE_BYTES),
                reader.text("argument", MAX_OPERATE_BYTES));
        reader.end();
        return operate;
    }

    static byte[] operated(long copy, Optional<String> answer) {
        WireWriter writer = new WireWriter(32 + answer.map(String::length).orElse(0));
        writer.u8(OPERATED);
        writer.varint(copy);
        writer.u8(answer.isPresent() ? 1 : 0);
        answer.ifPresent(text -> writer.text("answer", text, MAX_OPERATED_BYTES));
        return writer.toBytes();
    }

    static Operated readOperated(byte[] frame) {
        WireReader reader = begin("operated", OPERATED, frame);
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        Optional<String> answer =
                reader.flag("answered") ? Optional.of(reader.text("answer", MAX_OPERATED_BYTES)) : Optional.empty();
        reader.end();
        return new Operated(copy, answer);
    }

    /** A read on its way, as the member reads it. */
    record ReadArrived(long copy, long mostAgeMillis, long after, long leftMillis, byte[] body) {}

    /** The answer to one, as the client reads it. */
    record ReadAnswered(long copy, ReadAnswer answer) {}

    static byte[] takesReads() {
        WireWriter writer = new WireWriter(4);
        writer.i32(READS_ID);
        return writer.toBytes();
    }

    /** The answer to a question if it is {@link #takesReads}. */
    static Optional<byte[]> answerToTakesReads(byte[] question) {
        return Arrays.equals(question, takesReads()) ? Optional.of(READS_VERSION) : Optional.empty();
    }

    static byte[] read(long copy, Read read) {
        byte[] body = checked("the body of a read", read.body(), Request.MAX_BODY_BYTES);
        WireWriter writer = new WireWriter(40 + body.length);
        writer.u8(READ);
        writer.varint(copy);
        writer.varint(read.mostAgeMillis());
        writer.varint(read.after());
        writer.varint(read.leftMillis());
        writer.raw(body, 0, body.length);
        return writer.toBytes();
    }

    static ReadArrived readRead(byte[] frame) {
        WireReader reader = begin("read", READ, frame);
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        long mostAgeMillis = reader.varint("age", 0, MAX_READ_MILLIS);
        long after = reader.varint("after", 0, Long.MAX_VALUE);
        long leftMillis = reader.varint("time", 1, MAX_READ_MILLIS);
        if (reader.remaining() > Request.MAX_BODY_BYTES) {
            throw reader.malformed("body length", reader.remaining());
        }
        return new ReadArrived(copy, mostAgeMillis, after, leftMillis, rest(frame, reader));
    }

    static byte[] readAnswer(long copy, ReadAnswer answer) {
        byte[] result = checked("the result of a read", answer.result(), Answer.MAX_REPLY_BYTES);
        WireWriter writer = new WireWriter(32 + answer.why().length() + result.length);
        writer.u8(READ_ANSWER);
        writer.varint(copy);
        writer.u8(
                switch (answer.kind()) {
                    case RESULT -> READ_RESULT;
                    case REFUSED -> READ_REFUSED;
                    case TO_BE_ORDERED -> READ_TO_BE_ORDERED;
                });
        if (answer.kind() == ReadAnswer.Kind.RESULT) {
            writer.varint(answer.position());
            writer.raw(result, 0, result.length);
        } else {
            writer.text(answer.why().substring(0, Math.min(answer.why().length(), MAX_TEXT_BYTES / 3)));
        }
        return writer.toBytes();
    }

    static ReadAnswered readReadAnswer(byte[] frame) {
        WireReader reader = begin("read answer", READ_ANSWER, frame);
        long copy = reader.varint("copy", 1, Long.MAX_VALUE);
        int outcome = reader.u8("outcome");
        if (outcome == READ_RESULT) {
            long position = reader.varint("position", 0, Long.MAX_VALUE);
            if (reader.remaining() > Answer.MAX_REPLY_BYTES) {
                throw reader.malformed("result length", reader.remaining());
            }
            return new ReadAnswered(copy, ReadAnswer.result(position, rest(frame, reader)));
        }
        if (outcome != READ_REFUSED && outcome != READ_TO_BE_ORDERED) {
            throw reader.malformed("outcome", outcome);
        }
        String why = reader.text("why", MAX_TEXT_BYTES);
        reader.end();
        return new ReadAnswered(copy, outcome == READ_REFUSED ? ReadAnswer.refused(why) : ReadAnswer.toBeOrdered(why));
    }

    private static byte[] checked(String field, byte[] bytes, int most) {
        if (bytes.length > most) {
            throw new FrameLimitException(field, bytes.length, most);
        }
        return bytes;
    }

    private static byte[] shortRest(byte[] frame, WireReader reader) {
        if (reader.remaining() > RpcQuestions.MAX_BYTES) {
            throw reader.malformed("length", reader.remaining());
        }
        return rest(frame, reader);
    }

    /** The kind of a frame; 0 for an empty one. */
    static int kind(byte[] frame) {
        return frame.length == 0 ? 0 : frame[0];
    }

    private static WireReader begin(String name, int kind, byte[] frame) {
        WireReader reader = new WireReader(name, frame);
        int found = reader.u8("kind");
        if (found != kind) {
            throw reader.malformed("kind", found);
        }
        return reader;
    }

    private static byte[] salt(WireReader reader) {
        byte[] salt = new byte[SALT_BYTES];
        for (int i = 0; i < SALT_BYTES; i++) {
            salt[i] = (byte) reader.u8("salt");
        }
        return salt;
    }

    private static byte[] rest(byte[] frame, WireReader reader) {
        return Arrays.copyOfRange(frame, reader.position(), frame.length);
    }
}
