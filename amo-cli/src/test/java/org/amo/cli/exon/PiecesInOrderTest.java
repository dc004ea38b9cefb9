package org.amo.cli.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PiecesInOrderTest {
    private static final int PIECE = FileOffer.PIECE_BYTES;

    private final PiecesInOrder pieces =
            new PiecesInOrder(new FileOffer("file", 3L * PIECE + 1, new byte[FileOffer.HASH_BYTES]), 0);

    @Test
    void thePositionStopsAtTheFirstGap() {
        pieces.done(PIECE);
        pieces.done(3 * PIECE);
        assertEquals(0, pieces.position());
        pieces.done(0);
        assertEquals(2 * PIECE, pieces.position());
        assertTrue(pieces.isDone(3 * PIECE) && !pieces.isDone(2 * PIECE));
        assertFalse(pieces.isWhole());
        pieces.done(2 * PIECE);
        assertTrue(pieces.isWhole());
        assertEquals(3L * PIECE + 1, pieces.position());
    }

    @Test
    void noPieceIsInReachThatIsFarBeyondTheGap() {
        pieces.done(PIECE);
        assertTrue(pieces.isWithinReach(PiecesInOrder.MOST_AHEAD - PIECE));
        assertFalse(pieces.isWithinReach(PiecesInOrder.MOST_AHEAD));
    }
}
