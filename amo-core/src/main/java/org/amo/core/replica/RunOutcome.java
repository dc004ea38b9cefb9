package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The outcome of a run of requests in a group of style passive: the replies, and the update of the servant's state behind
 * the run (docs/decisions/0091-warm-passive.md). The entry that starts such a group carries one without replies.
 *
 * @param first place of the run; the others follow it in the order of the log, in the same entry
 * @param base hash of the chain of accepted outcomes that the run rests on
 * @param replies one a place
 * @param update brings the state before the run to the state behind it
 */
record RunOutcome(Place first, long base, List<Reply> replies, byte[] update) {
    private static final int LEAST_REPLY_BYTES = 2;

    /**
     * A reply of a run.
     *
     * @param skipped whether the request did not run, because the group skips it
     */
    record Reply(byte[] bytes, boolean skipped) {}

    /** In the entry that starts a group of style passive. */
    static final RunOutcome BEGINNING = new RunOutcome(new Place(0, 0), 0, List.of(), new byte[0]);

    /** The hash of the chain with this outcome at its end: it stands for all outcomes so far. */
    long hash() {
        long hash = Digest.mix(Digest.mix(Digest.mix(base, first.position()), first.index()), replies.size());
        for (Reply reply : replies) {
            hash = Digest.mix(Digest.mix(hash, reply.skipped() ? 1 : 0), reply.bytes());
        }
        return Digest.mix(hash, update);
    }

    /** Of its replies and its update. */
    long bytes() {
        return update.length
                + replies.stream().mapToLong(reply -> reply.bytes().length).sum();
    }

    void write(WireWriter writer) {
        writer.varint(first.position());
        writer.varint(first.index());
        writer.i64(base);
        writer.varint(replies.size());
        for (Reply reply : replies) {
            writer.u8(reply.skipped() ? 1 : 0);
            writer.blob(reply.bytes());
        }
        writer.blob(update);
    }

    static RunOutcome read(WireReader reader) {
        Place first = ExecutionReport.place(reader);
        long base = reader.i64("base");
        int count = (int) reader.varint("replies", 0, reader.remaining() / LEAST_REPLY_BYTES);
        List<Reply> replies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            boolean skipped = reader.flag("skipped");
            replies.add(new Reply(reader.blob("reply", OrderedEntry.MAX_BODY_BYTES), skipped));
        }
        return new RunOutcome(first, base, replies, reader.blob("update", OrderedEntry.MAX_BODY_BYTES));
    }
}
