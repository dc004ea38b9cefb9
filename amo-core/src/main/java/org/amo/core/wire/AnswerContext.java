package org.amo.core.wire;

import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;

/**
 * amo's own service context of a CORBA reply (docs/wire/contexts.md): what kind of answer it is, and the
 * group's time and bound. Its body is the reply itself.
 */
public final class AnswerContext {
    /** Id of this service context. */
    public static final int CONTEXT_ID = 0x414D_4F02;

    private AnswerContext() {}

    /** The bytes for an answer; its reply is not among them. */
    public static byte[] encode(Answer answer) {
        WireWriter writer = new WireWriter(24);
        writer.u8(1);
        writer.u8(answer.kind().ordinal());
        writer.u8(answer.refusal().map(refusal -> refusal.ordinal() + 1).orElse(0));
        writer.i64(answer.orderedTimeMillis());
        writer.i64(answer.upperMillis());
        return writer.toBytes();
    }

    /**
     * The answer, with an empty reply.
     *
     * @throws MalformedFrameException naming the field that is wrong
     */
    public static Answer decode(byte[] bytes) {
        WireReader reader = new WireReader("answer context", bytes);
        int version = reader.u8("version");
        if (version != 1) {
            throw reader.malformed("version", version);
        }
        int kind = reader.u8("kind");
        if (kind >= Answer.Kind.values().length) {
            throw reader.malformed("kind", kind);
        }
        int refusal = reader.u8("refusal");
        boolean refused = kind == Answer.Kind.REFUSED.ordinal();
        if (refusal > Refusal.values().length || refused != refusal > 0) {
            throw reader.malformed("refusal", refusal);
        }
        long orderedTime = reader.i64("orderedTime");
        long upper = reader.i64("upper");
        reader.end();
        return new Answer(
                Answer.Kind.values()[kind],
                refused ? Optional.of(Refusal.values()[refusal - 1]) : Optional.empty(),
                new byte[0],
                orderedTime,
                upper);
    }
}
