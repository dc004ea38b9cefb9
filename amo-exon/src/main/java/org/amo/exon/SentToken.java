package org.amo.exon;

import org.amo.exon.Frame.Token;

/** tok[s] of the paper: a piece of a message in a slot, kept until it is acknowledged. One thread owns it. */
final class SentToken {
    final OutgoingMessage message;
    final int index;
    final long slot;

    /** r: the incarnation of the slot. The paper sends the current rck instead (line 90), and messages double. */
    final long incarnation;

    /** Of its last transmission. */
    long packet;

    long sentMicros;

    /** Of the transmission before. */
    long sentBeforeMicros;

    /** Whether its last transmission but one counted as lost. */
    boolean countedLost;

    int bytes;
    long deliveredAtSend;
    long deliveredMicrosAtSend;
    long firstSentMicrosAtSend;
    boolean limitedAtSend;

    int transmissions;
    boolean inFlight;
    boolean gone;

    /** Whether the peer has got it, and has not said that it is delivered. */
    boolean arrived;

    SentToken(OutgoingMessage message, int index, long slot, long incarnation) {
        this.message = message;
        this.index = index;
        this.slot = slot;
        this.incarnation = incarnation;
    }

    Token frame(long currentIncarnation) {
        return new Token(currentIncarnation, slot, index, message.pieces, message.piece(index));
    }

    /** Whether it need not be sent again because of loss. */
    boolean settled() {
        return gone || arrived;
    }

    int length() {
        return message.pieceLength(index);
    }
}
