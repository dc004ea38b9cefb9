package org.amo.exon.udp;

import org.amo.base.wire.ReplayWindow;
import org.amo.exon.udp.NoiseHandshake.Keys;
import org.amo.exon.udp.SecureFrame.Outside;
import org.jspecify.annotations.Nullable;

/**
 * The keys that two nodes agreed on in one handshake, the numbers of the records that left under them, and those that came. It is
 * never stored: no record of one session is good in another, nor after a restart of either side. One thread owns it.
 */
class SecureSession {
    /** Records that may be overtaken by later ones: 8,192, as many as a fast path holds. */
    private static final int WINDOW = 1 << 13;

    private final SecureLink link;
    private final boolean initiator;
    private final int index;
    private final int peersIndex;
    private final Keys keys;
    private final long bornMicros;
    private final ReplayWindow came = new ReplayWindow(WINDOW);

    // Invariant: rises with each record, so that no number is used twice under a key.
    private long nextNumber;
    private long sentBytes;

    /**
     * @param index this side's name of it
     * @param peersIndex the other side's
     */
    SecureSession(SecureLink link, boolean initiator, int index, int peersIndex, Keys keys, long nowMicros) {
        this.link = link;
        this.initiator = initiator;
        this.index = index;
        this.peersIndex = peersIndex;
        this.keys = keys;
        this.bornMicros = nowMicros;
    }

    SecureLink link() {
        return link;
    }

    int index() {
        return index;
    }

    int peersIndex() {
        return peersIndex;
    }

    byte[] seal(int kind, byte[] content) {
        byte[] head = SecureFrame.recordHead(peersIndex, nextNumber);
        byte[] record = keys.out().seal(nextNumber, head, new byte[] {(byte) kind}, content);
        nextNumber++;
        sentBytes += record.length;
        return record;
    }

    /** Whether no record of that number has been taken, nor is it too old to tell. */
    boolean isNew(Outside outside) {
        return came.isNew(outside.number());
    }

    /** Kind and content of a record; null if it is not the peer's. */
    byte @Nullable [] open(Outside outside, byte[] datagram) {
        return keys.in().open(outside.number(), datagram, outside.bodyAt());
    }

    /** An authentic record is taken. Returns whether it is newer than all others of the session. */
    boolean take(Outside outside) {
        return came.accept(outside.number()) && came.highest() == outside.number();
    }

    /** Whether a record of this number left to the index. */
    boolean sent(Outside notice) {
        return notice.index() == peersIndex && notice.number() < nextNumber;
    }

    /** Whether other keys are due. The responder waits a quarter longer: one of both is to begin. */
    boolean isDue(SecureKeys limits, long nowMicros) {
        long quarters = initiator ? 4 : 5;
        return sentBytes >= limits.rotateBytes() / 4 * quarters
                || nowMicros - bornMicros >= limits.rotateMicros() / 4 * quarters;
    }

    /** Whether nothing may be sealed under these keys any more, whether there are others or not. */
    boolean isUsedUp(SecureKeys limits, long nowMicros) {
        return isOver(limits, nowMicros) || sentBytes / SecureKeys.MOST_ROTATIONS_LATE >= limits.rotateBytes();
    }

    /** Whether the keys are to be forgotten. */
    boolean isOver(SecureKeys limits, long nowMicros) {
        return nowMicros - bornMicros >= limits.rotateMicros() * SecureKeys.LIVES;
    }
}
