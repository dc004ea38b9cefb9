package org.amo.exon.udp;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.amo.base.wire.Seal;
import org.amo.exon.Address;
import org.amo.exon.ExonRule;
import org.amo.exon.NodeId;
import org.amo.exon.udp.RecordLedger.Reader;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/** The encryption of all nodes of a run: the shipped one, with keys from a seed, and a ledger of its records. */
public final class SimEncryption {
    private final SimWorld world;
    private final RuleSet<ExonRule> rules;
    private final SplittableRandom random;
    private final Seal secret;
    private final long rotateBytes;
    private final long rotateMicros;
    private final RecordLedger ledger = new RecordLedger();
    private final Map<NodeId, MutantLinks> former = new HashMap<>();

    /**
     * @param rules in force
     * @param random draws the keys, and how soon they rotate
     * @param secret of all nodes
     */
    public SimEncryption(SimWorld world, RuleSet<ExonRule> rules, SplittableRandom random, byte[] secret) {
        this.world = world;
        this.rules = rules;
        this.random = random;
        this.secret = Seal.ofKey(secret);
        this.rotateBytes = random.nextLong(4_000, 60_000);
        this.rotateMicros = random.nextLong(200_000, 5_000_000);
    }

    /** Both directions. */
    public interface Wire extends SecureLinks.Effects {
        /** Hands a datagram to the network. */
        @Override
        void send(Address to, byte[] datagram);

        /** Hands a datagram of an authentic peer to the node. */
        @Override
        void opened(Address from, byte[] datagram);
    }

    /** The encryption of one life of a node. */
    public interface Links {
        /** The node sends a datagram. */
        void transmit(NodeId peer, Address to, byte[] datagram, long nowMicros);

        /** A datagram came. */
        void onDatagram(Address from, byte[] datagram, long nowMicros);

        void onTick(long nowMicros);

        /** When {@link #onTick} must be called at the latest. */
        long nextDeadline();

        /** Nodes of which anything is remembered. */
        int remembered();
    }

    /** A process of a node starts. */
    public Links start(NodeId self, int life, long incarnation, Wire wire) {
        SecureKeys keys = new SecureKeys(self, incarnation, secret, Map.of(), rotateBytes, rotateMicros);
        Reader reader = new Reader("n" + self.low(), life);
        if (rules.allHold()) {
            return new ObservedLinks(keys, wire, random.split(), world, ledger, reader);
        }
        @Nullable MutantLinks before = former.get(self);
        MutantLinks links = new MutantLinks(keys, wire, random.split(), world, ledger, reader, rules, before);
        former.put(self, links);
        return links;
    }

    /** How long keys are remembered at most after the last datagram. */
    public long memoryMicros() {
        return SecureKeys.LIVES * rotateMicros + 2 * SecureLinks.CANDIDATE_MICROS;
    }
}
