package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The outcome of a run of requests in a group of style passive: the replies, and the update of the servant's state behind
 * the run (docs/decisions/0091-warm-passive.md). The entry that starts such a group carries one without replies.
 *
 * <p>The update of a large outcome stands in pieces, in several entries (docs/decisions/0098-large-outcomes.md). All but the last entry
 * have no replies, and the update there is one piece.
 *
 * <p>A run that the primary cannot give the update of is undone: its outcome has replies that say so, and changes no state.
 *
 * @param first place of the run; the others follow it in the order of the log, in the same entry
 * @param base hash of the chain of accepted outcomes that the run rests on
 * @param replies one a place
 * @param update brings the state before the run to the state behind it
 * @param before digest of the pieces that stand before this one; empty if the update is in one piece
 * @param undone whether the run changes no state: its update is empty and in one piece
 */
record RunOutcome(Place first, long base, List<Reply> replies, byte[] update, OptionalLong before, boolean undone) {
    private static final int IN_PIECES = 1;
    private static final int UNDONE = 2;
    private static final int LEAST_REPLY_BYTES = 2;

    /** In the entry that starts a group of style passive. */
    static final RunOutcome BEGINNING = new RunOutcome(new Place(0, 0), 0, List.of(), new byte[0]);

    /**
     * A reply of a run.
     *
     * @param skipped whether the request did not run, because the group skips it
     */
    record Reply(byte[] bytes, boolean skipped) {}

    /** With its update in one piece. */
    RunOutcome(Place first, long base, List<Reply> replies, byte[] update) {
        this(first, base, replies, update, OptionalLong.empty(), false);
    }

    /** With one piece of its update, and without replies if it is not the last one. */
    static RunOutcome inPieces(Place first, long base, List<Reply> replies, byte[] piece, long before) {
        return new RunOutcome(first, base, replies, piece, OptionalLong.of(before), false);
    }

    static RunOutcome undone(Place first, long base, List<Reply> replies) {
        return new RunOutcome(first, base, replies, new byte[0], OptionalLong.empty(), true);
    }

    /** The hash of the chain with this outcome at its end: it stands for all outcomes so far. */
    long hash() {
        long hash = Digest.mix(Digest.mix(Digest.mix(base, first.position()), first.index()), replies.size());
        for (Reply reply : replies) {
            hash = Digest.mix(Digest.mix(hash, reply.skipped() ? 1 : 0), reply.bytes());
        }
        hash = Digest.mix(hash, update);
        if (undone) {
            return Digest.mix(hash, UNDONE);
        }
        return before.isPresent() ? Digest.mix(hash, before.getAsLong()) : hash;
    }

    /** Whether it is in pieces, or undone. */
    boolean hasForm() {
        return before.isPresent() || undone;
    }

    /** Whether it is a piece of an update, and others follow. */
    boolean isPiece() {
        return before.isPresent() && replies.isEmpty();
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
        if (hasForm()) {
            writer.u8(undone ? UNDONE : IN_PIECES);
            before.ifPresent(writer::i64);
        }
    }

    /** @param hasForm whether it is in pieces or undone */
    static RunOutcome read(WireReader reader, boolean hasForm) {
        Place first = ExecutionReport.place(reader);
        long base = reader.i64("base");
        int count = (int) reader.varint("replies", 0, reader.remaining() / LEAST_REPLY_BYTES);
        List<Reply> replies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            boolean skipped = reader.flag("skipped");
            replies.add(new Reply(reader.blob("reply", OrderedEntry.MAX_BODY_BYTES), skipped));
        }
        byte[] update = reader.blob("update", OrderedEntry.MAX_BODY_BYTES);
        if (!hasForm) {
            return new RunOutcome(first, base, replies, update);
        }
        int form = reader.u8("form");
        if (form == IN_PIECES) {
            return inPieces(first, base, replies, update, reader.i64("pieces before"));
        }
        if (form != UNDONE || update.length > 0) {
            throw reader.malformed("form", form);
        }
        return undone(first, base, replies);
    }
}
