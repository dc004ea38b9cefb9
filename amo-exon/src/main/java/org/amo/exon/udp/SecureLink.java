package org.amo.exon.udp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.random.RandomGenerator;
import org.amo.exon.Address;
import org.amo.exon.NodeId;
import org.amo.exon.udp.SecureFrame.Opening;
import org.jspecify.annotations.Nullable;

/**
 * Holds the sessions with one other node, its address and the handshake that is under way. One thread owns it.
 *
 * <p>Records leave under {@code current}. They come under {@code previous} as well, so that a rotation loses none that are under
 * way, and under {@code candidate}, whose first record shows that the initiator lives.
 */
final class SecureLink {
    /** Silence after which a node may have forgotten the session, if so many records went unanswered. */
    private static final long SILENT_MICROS = 3_000_000;

    private static final int UNANSWERED = 4;
    private static final int CHALLENGE_BYTES = 8;
    private static final long CHALLENGE_SPACING = 20_000;
    private static final int MOST_ADDRESSES = 2;

    /** Equal to no address. */
    private static final Address SEVERAL = new Address() {};

    private final NodeId peer;

    @Nullable
    SecureSession current;

    @Nullable
    SecureSession previous;

    @Nullable
    Candidate candidate;

    @Nullable
    Initiation initiation;

    /** The newest opening of the peer. Invariant: no older one makes a session. */
    @Nullable
    Opening newestOpening;

    /** Where the peer was shown to read. Nothing but challenges goes elsewhere, unless this node was told so. */
    @Nullable
    Address validated;

    /** Where the last record went. */
    @Nullable
    Address lastTo;

    long noticedMicros = Long.MIN_VALUE / 2;

    private @Nullable Address challenged;
    private byte[] challenge = {};
    private long challengedMicros;
    private int unanswered;
    private long unansweredMicros;

    SecureLink(NodeId peer) {
        this.peer = peer;
    }

    NodeId peer() {
        return peer;
    }

    /**
     * A session that this node answered, until its first record comes.
     *
     * @param first the message that it answers
     * @param second the answer, for copies of the message
     * @param from where the message came from
     */
    record Candidate(SecureSession session, byte[] first, byte[] second, Address from, long bornMicros) {
        /** The same, answered at more than one address: its first record does not tell at which the answer was read. */
        Candidate fromSeveral() {
            return new Candidate(session, first, second, SEVERAL, bornMicros);
        }
    }

    /** A handshake that this node began. */
    static final class Initiation {
        private final NoiseHandshake handshake;
        private final int index;
        private final byte[] first;
        private final long endMicros;
        private final List<Address> addresses = new ArrayList<>(MOST_ADDRESSES);
        private final Queue<Waiting> waiting = new ArrayDeque<>();
        private long againMicros;
        private long wait;

        /** A datagram that waits for keys. */
        record Waiting(Address to, byte[] datagram) {}

        Initiation(NoiseHandshake handshake, int index, byte[] first, long endMicros) {
            this.handshake = handshake;
            this.index = index;
            this.first = first;
            this.endMicros = endMicros;
        }

        NoiseHandshake handshake() {
            return handshake;
        }

        int index() {
            return index;
        }

        byte[] first() {
            return first;
        }

        List<Address> addresses() {
            return addresses;
        }

        Queue<Waiting> waiting() {
            return waiting;
        }

        /** Returns whether the message is to go to the address now; the timer sees to the others. */
        boolean addAddress(Address to) {
            if (addresses.contains(to) || addresses.size() == MOST_ADDRESSES) {
                return false;
            }
            addresses.add(to);
            return true;
        }

        boolean isOver(long nowMicros) {
            return nowMicros >= endMicros;
        }

        long againMicros() {
            return Math.min(againMicros, endMicros);
        }

        void onSent(long nowMicros, long leastWait, long longestWait) {
            wait = Math.min(longestWait, Math.max(leastWait, 2 * wait));
            againMicros = nowMicros + wait;
        }
    }

    /** The peer has answered, or spoken. */
    void onHeard() {
        unanswered = 0;
    }

    /**
     * A record with content leaves.
     *
     * @return whether so many have left since the peer was heard, for so long, that it may have forgotten the session
     */
    boolean onSent(Address to, long nowMicros) {
        lastTo = to;
        if (unanswered++ == 0) {
            unansweredMicros = nowMicros;
        }
        return unanswered >= UNANSWERED && nowMicros - unansweredMicros >= SILENT_MICROS;
    }

    /** The bytes that the peer has to send back to show that it reads there; empty if it was asked a moment ago. */
    byte[] challenge(Address from, RandomGenerator random, long nowMicros) {
        boolean known = from.equals(challenged);
        if (known && nowMicros - challengedMicros < CHALLENGE_SPACING) {
            return new byte[0];
        }
        if (!known) {
            challenged = from;
            challenge = new byte[CHALLENGE_BYTES];
            random.nextBytes(challenge);
        }
        challengedMicros = nowMicros;
        return challenge;
    }

    /** The peer has sent them back. */
    void onResponse(byte[] response) {
        if (challenged != null && Arrays.equals(response, challenge)) {
            validated = challenged;
            challenged = null;
        }
    }

    /** Whether nothing is left to remember. */
    boolean forgettable() {
        return current == null && previous == null && candidate == null && initiation == null;
    }
}
