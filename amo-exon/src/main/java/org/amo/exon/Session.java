package org.amo.exon;

import java.nio.ByteBuffer;
import org.amo.base.wire.Seal;
import org.amo.base.wire.WireWriter;
import org.amo.exon.ExonCodec.Header;
import org.jspecify.annotations.Nullable;

/**
 * How datagrams to and from one node are addressed, numbered and sealed. It is forgotten with the node's records. One
 * thread owns it.
 *
 * <p>Datagrams name both nodes in full until each side has heard the other's handle, and again after silence, since the
 * other side may have forgotten it.
 */
final class Session {
    private static final byte[] ROOM = new byte[Seal.BYTES];

    private final NodeId self;
    private final NodeId peer;
    private final long incarnation;
    private final Seal secret;
    private final int handle;
    private final Seal out;

    private @Nullable Address address;
    private @Nullable Seal in;
    private @Nullable Seal inShort;
    private @Nullable Seal outShort;
    private Numbers numbers = Numbers.PLAIN;
    private boolean named = true;
    private long peerIncarnation;
    private int peerHandle;
    private boolean confirmed;
    private long nextPacket;
    private long highestPacket;
    private long highestMicros;

    Session(NodeId self, long incarnation, NodeId peer, Seal secret, int handle, long firstPacket) {
        this.self = self;
        this.incarnation = incarnation;
        this.peer = peer;
        this.secret = secret;
        this.handle = handle;
        this.nextPacket = firstPacket;
        this.out = seal(secret, self, incarnation, peer);
    }

    /** The seal of datagrams that {@code from}, in this life, sends to {@code to}, naming both. */
    static Seal seal(Seal secret, NodeId from, long incarnation, NodeId to) {
        return secret.derive("amo exon 1|" + from + '|' + incarnation + '|' + to);
    }

    /** The seal of datagrams that {@code from}, in this life, sends to {@code to} in that one. */
    static Seal seal(Seal secret, NodeId from, long incarnation, NodeId to, long incarnationOfTo) {
        return secret.derive("amo exon 1|" + from + '|' + incarnation + '|' + to + '|' + incarnationOfTo);
    }

    static boolean isSealed(Seal seal, byte[] datagram, int length) {
        return seal.open(ByteBuffer.wrap(datagram, 0, length));
    }

    NodeId peer() {
        return peer;
    }

    int handle() {
        return handle;
    }

    long peerIncarnation() {
        return peerIncarnation;
    }

    long nextPacket() {
        return nextPacket;
    }

    @Nullable
    Address address() {
        return address;
    }

    /** Whether the seal of a datagram is the peer's, in the life that the header names. */
    boolean verify(Header header, byte[] datagram, int length) {
        Seal seal = header.named() ? named(header.incarnation()) : inShort;
        return seal != null && isSealed(seal, datagram, length);
    }

    private @Nullable Seal named(long ofIncarnation) {
        return ofIncarnation == peerIncarnation ? in : seal(secret, peer, ofIncarnation, self);
    }

    /** The peer is heard in this life for the first time. */
    void newLife(long newIncarnation) {
        peerIncarnation = newIncarnation;
        peerHandle = 0;
        confirmed = false;
        highestPacket = 0;
        in = seal(secret, peer, newIncarnation, self);
        inShort = seal(secret, peer, newIncarnation, self, incarnation);
        outShort = seal(secret, self, incarnation, peer, newIncarnation);
        numbers = new Numbers(incarnation, newIncarnation);
    }

    /**
     * A datagram of the peer's present life came, with a good seal.
     *
     * @return whether the peer lives: it is newer than all others, and the peer has heard this node. A recording is neither, or
     *     only once
     */
    boolean onHeard(Header header, Address from, long nowMicros) {
        if (header.named()) {
            peerHandle = header.handle();
            confirmed |= header.echo() == handle;
        } else {
            confirmed = true;
        }
        boolean newest = header.packet() > highestPacket;
        if (newest) {
            highestPacket = header.packet();
            highestMicros = nowMicros;
            // Only a datagram that is newer than all others may move the peer: an old one can be a replay.
            address = from;
        }
        return newest && confirmed;
    }

    /** Whether the peer's present life has heard this node. */
    boolean confirmed() {
        return confirmed;
    }

    long highestPacket() {
        return highestPacket;
    }

    /** How long ago the highest packet came. */
    long highestAge(long nowMicros) {
        return Math.max(0, nowMicros - highestMicros);
    }

    /** How numbers stand in a datagram that came. */
    Numbers numbersOf(Header header) {
        return header.named() ? Numbers.PLAIN : numbers.ofTheOtherSide();
    }

    /** How numbers stand in the datagram that was begun. */
    Numbers numbers() {
        return named ? Numbers.PLAIN : numbers;
    }

    /** Begins a datagram. */
    WireWriter begin(int capacity, boolean silent) {
        WireWriter writer = new WireWriter(capacity);
        long packet = nextPacket++;
        named = !confirmed || peerHandle == 0 || silent;
        Header header = named
                ? new Header(true, peer, self, incarnation, handle, peerHandle, packet)
                : Header.shortForm(peerHandle, packet);
        ExonCodec.writeHeader(header, writer);
        return writer;
    }

    /** Ends it: the bytes with their seal. */
    byte[] end(WireWriter writer) {
        writer.raw(ROOM, 0, Seal.BYTES);
        byte[] datagram = writer.toBytes();
        Seal seal = named || outShort == null ? out : outShort;
        seal.sign(ByteBuffer.wrap(datagram).position(datagram.length - Seal.BYTES), 0);
        return datagram;
    }
}
