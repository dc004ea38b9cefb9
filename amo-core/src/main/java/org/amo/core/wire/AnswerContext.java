package org.amo.core.wire;

import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Answer;

/**
 * amo's own service context of a CORBA reply (docs/wire/contexts.md): the kind of answer, and the group's time and bound.
 * Its body is the reply itself.
 */
public final class AnswerContext {
    /** Id of this service context. */
    public static final int CONTEXT_ID = 0x414D_4F02;

    private static final int VERSION = 2;

    private AnswerContext() {}

    /** The bytes for an answer; its reply is not among them. */
    public static byte[] encode(Answer answer) {
        WireWriter writer = new WireWriter(24);
        writer.u8(VERSION);
        RequestFields.writeAnswerHead(writer, answer);
        return writer.toBytes();
    }

    /**
     * The answer, with an empty reply.
     *
     * @throws MalformedFrameException naming the field that is wrong
     */
    public static Answer decode(byte[] bytes) {
        WireReader reader = new WireReader("answer context", bytes);
        reader.version(VERSION);
        Answer answer = RequestFields.readAnswerHead(reader);
        reader.end();
        return answer;
    }
}
