package org.amo.cli.exon;

import java.util.HashSet;
import java.util.Set;

/**
 * The pieces of a file that are done, in whichever order they came. One thread owns it.
 *
 * <p>Memory is a number for each piece beyond the first gap; so a sender keeps its pieces within {@link #MOST_AHEAD} of the gap,
 * and a receiver takes none beyond.
 */
final class PiecesInOrder {
    /** From the first gap on, in bytes. */
    static final long MOST_AHEAD = 32L << 20;

    private final FileOffer offer;

    /** Invariant: every byte below it is done, and if it is not the end, the piece that begins here is not. */
    private long position;

    private final Set<Long> beyond = new HashSet<>();

    /** @param position where a piece begins, or the end of the file; all before is done */
    PiecesInOrder(FileOffer offer, long position) {
        this.offer = offer;
        this.position = position;
    }

    /** Where the first piece begins that is not done; the file's length if there is none. */
    long position() {
        return position;
    }

    /** Whether a piece may be sent, or taken, which begins there. */
    boolean isWithinReach(long offset) {
        return offset < position + MOST_AHEAD;
    }

    boolean isDone(long offset) {
        return offset < position || beyond.contains(offset);
    }

    /** The piece that begins there is done. */
    void done(long offset) {
        if (isDone(offset)) {
            return;
        }
        beyond.add(offset);
        while (beyond.remove(position)) {
            position += offer.pieceBytes(position);
        }
    }

    boolean isWhole() {
        return position == offer.length();
    }
}
