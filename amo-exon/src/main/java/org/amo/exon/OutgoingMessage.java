package org.amo.exon;

/** A message on its way, in pieces of one datagram each. One thread owns it. */
final class OutgoingMessage {
    /** What a message takes in memory beside its body, about. */
    static final int OVERHEAD = 256;

    final long number;
    final long deadlineMicros;
    final int pieces;
    private final byte[] body;
    private final int pieceBytes;

    /** Pieces that have a token, and pieces with an acknowledged token. */
    int bound;

    int acknowledged;

    /** Whether a piece may have left this node. */
    boolean left;

    /** Whether its outcome was told; its tokens count no more. */
    boolean done;

    OutgoingMessage(long number, byte[] body, long deadlineMicros, int pieceBytes) {
        this.number = number;
        this.body = body;
        this.deadlineMicros = deadlineMicros;
        this.pieceBytes = pieceBytes;
        this.pieces = Math.max(1, (body.length + pieceBytes - 1) / pieceBytes);
    }

    int bytes() {
        return body.length;
    }

    int pieceLength(int index) {
        return Math.min(pieceBytes, body.length - index * pieceBytes);
    }

    byte[] piece(int index) {
        if (pieces == 1) {
            return body;
        }
        int from = index * pieceBytes;
        return java.util.Arrays.copyOfRange(body, from, from + pieceLength(index));
    }
}
