package org.amo.core.wire;

import java.util.List;
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

    // Frozen: a value's number on the wire is its place here. Only append.
    private static final List<Answer.Kind> KINDS = List.of(Answer.Kind.REPLY, Answer.Kind.REFUSED, Answer.Kind.UNKNOWN);
    private static final List<Refusal> REFUSALS =
            List.of(Refusal.ID_REUSED, Refusal.STALE, Refusal.EXPIRED, Refusal.TOO_EARLY, Refusal.OVERLOADED);

    private AnswerContext() {}

    /** The bytes for an answer; its reply is not among them. */
    public static byte[] encode(Answer answer) {
        WireWriter writer = new WireWriter(24);
        writer.u8(1);
        writer.u8(KINDS.indexOf(answer.kind()));
        writer.u8(answer.refusal().map(refusal -> REFUSALS.indexOf(refusal) + 1).orElse(0));
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
        if (kind >= KINDS.size()) {
            throw reader.malformed("kind", kind);
        }
        int refusal = reader.u8("refusal");
        boolean refused = KINDS.get(kind) == Answer.Kind.REFUSED;
        if (refusal > REFUSALS.size() || refused != (refusal > 0)) {
            throw reader.malformed("refusal", refusal);
        }
        long orderedTime = reader.i64("orderedTime");
        long upper = reader.i64("upper");
        reader.end();
        return new Answer(
                KINDS.get(kind),
                refused ? Optional.of(REFUSALS.get(refusal - 1)) : Optional.empty(),
                new byte[0],
                orderedTime,
                upper);
    }
}
