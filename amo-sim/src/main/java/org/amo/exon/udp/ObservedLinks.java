package org.amo.exon.udp;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.amo.exon.Address;
import org.amo.exon.NodeId;
import org.amo.exon.udp.NoiseHandshake.Keys;
import org.amo.exon.udp.ObservedSession.NamedKeys;
import org.amo.exon.udp.RecordLedger.Reader;
import org.amo.exon.udp.RecordLedger.RecordName;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/** The encryption of one life of a node, watched by the ledger. */
class ObservedLinks extends SecureLinks implements SimEncryption.Links {
    /** Sessions whose records a node takes at any time: the present one and the one before. */
    private static final int SESSIONS = 2;

    private final SimWorld world;
    private final RecordLedger ledger;
    private final Reader self;
    private final long livesMicros;

    // Of each peer, in the order of their use.
    private final Map<NodeId, List<ObservedSession>> used = new HashMap<>();

    ObservedLinks(
            SecureKeys keys,
            Effects effects,
            SplittableRandom random,
            SimWorld world,
            RecordLedger ledger,
            Reader self) {
        super(keys, effects, random, new SimKeyPairs(random.split()));
        this.world = world;
        this.ledger = ledger;
        this.self = self;
        this.livesMicros = SecureKeys.LIVES * keys.rotateMicros();
    }

    final SimWorld world() {
        return world;
    }

    final Reader self() {
        return self;
    }

    final RecordLedger ledger() {
        return ledger;
    }

    @Override
    ObservedSession newSession(
            SecureLink link, boolean initiator, int index, int peersIndex, Keys agreedOn, long nowMicros) {
        ObservedSession session = new ObservedSession(
                ledger, self, link, initiator, index, peersIndex, NamedKeys.of(agreedOn), nowMicros);
        world.trace(() -> self + " reads by key " + session.inName());
        return session;
    }

    @Override
    void use(SecureLink link, SecureSession session) {
        used.computeIfAbsent(link.peer(), peer -> new ArrayList<>()).add((ObservedSession) session);
        super.use(link, session);
    }

    @Override
    public void onDatagram(Address from, byte[] datagram, long nowMicros) {
        super.onDatagram(from, datagram, nowMicros);
        RecordName name = ledger.find(datagram);
        if (name != null && !ledger.isTaken(name) && isExpected(name, nowMicros)) {
            throw new SimViolationException(RecordLedger.ROTATED, name + ", which came to " + self);
        }
    }

    /** Whether a record is under the keys in use, or under those before. */
    private boolean isExpected(RecordName name, long nowMicros) {
        return used.values().stream()
                .flatMap(sessions -> sessions.stream().skip(Math.max(0, sessions.size() - SESSIONS)))
                .anyMatch(session ->
                        session.inName().equals(name.key()) && nowMicros - session.bornMicros() < livesMicros);
    }

    @Override
    public void transmit(NodeId peer, Address to, byte[] datagram, long nowMicros) {
        super.transmit(peer, to, datagram, nowMicros);
    }

    @Override
    public void onTick(long nowMicros) {
        super.onTick(nowMicros);
    }

    @Override
    public long nextDeadline() {
        return super.nextDeadline();
    }

    @Override
    public int remembered() {
        return super.remembered();
    }
}
