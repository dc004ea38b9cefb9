package org.amo.core.replica;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Splits outcomes that one entry cannot carry, and joins the pieces of their updates (docs/decisions/0098-large-outcomes.md). Each piece
 * names the digest of the pieces before it, which begins with the process that cut them: a piece of another process never continues it.
 */
final class OutcomePieces {
    /** Of replies and update together: a larger outcome goes into several entries. */
    static final int MOST_WHOLE_BYTES = OrderedEntry.MAX_BODY_BYTES;

    /** Longer ones would delay the other entries, and shorter ones would each wait for the order. */
    static final int PIECE_BYTES = 8 << 20;

    private OutcomePieces() {}

    /** The digest before the first piece. */
    static long beginning(Place first, long base, long incarnation) {
        return Digest.mix(Digest.mix(Digest.mix(base, first.position()), first.index()), incarnation);
    }

    /** The digest behind a piece. */
    static long behind(long before, byte[] piece) {
        return Digest.mix(before, piece);
    }

    /**
     * The outcomes of the entries that carry one together, in their order: all but the last have no replies. The outcome alone if one entry
     * carries it.
     *
     * @param whole in one piece
     * @param incarnation of the process that has executed it
     * @param mostWholeBytes of replies and update in one entry
     * @param pieceBytes of a piece
     */
    static List<RunOutcome> split(RunOutcome whole, long incarnation, int mostWholeBytes, int pieceBytes) {
        byte[] update = whole.update();
        if (whole.bytes() <= mostWholeBytes || update.length == 0) {
            return List.of(whole);
        }
        long besideReplies = mostWholeBytes - (whole.bytes() - update.length);
        long before = beginning(whole.first(), whole.base(), incarnation);
        List<RunOutcome> entries = new ArrayList<>();
        int from = 0;
        while (update.length - from > Math.min(pieceBytes, besideReplies) && from < update.length) {
            byte[] piece = Arrays.copyOfRange(update, from, (int) Math.min(update.length, (long) from + pieceBytes));
            entries.add(RunOutcome.inPieces(whole.first(), whole.base(), List.of(), piece, before));
            before = behind(before, piece);
            from += piece.length;
        }
        byte[] rest = Arrays.copyOfRange(update, from, update.length);
        entries.add(RunOutcome.inPieces(whole.first(), whole.base(), whole.replies(), rest, before));
        return entries;
    }

    /** The update of which these are the pieces. */
    static byte[] join(List<byte[]> pieces, byte[] last) {
        if (pieces.isEmpty()) {
            return last;
        }
        int length =
                last.length + pieces.stream().mapToInt(piece -> piece.length).sum();
        byte[] update = new byte[length];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, update, at, piece.length);
            at += piece.length;
        }
        System.arraycopy(last, 0, update, at, last.length);
        return update;
    }
}
