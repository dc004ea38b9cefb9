package org.amo.exon.udp;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.amo.exon.Address;
import org.amo.exon.ExonRule;
import org.amo.exon.NodeId;
import org.amo.exon.udp.NoiseHandshake.Keys;
import org.amo.exon.udp.ObservedSession.NamedKeys;
import org.amo.exon.udp.RecordLedger.Reader;
import org.amo.exon.udp.SecureFrame.Outside;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/** Encryption with a planted bug. */
final class MutantLinks extends ObservedLinks {
    private final RuleSet<ExonRule> rules;
    private final @Nullable MutantLinks former;
    private final Map<NodeId, SecureLink> known = new HashMap<>();
    private final Map<Integer, ObservedSession> made = new HashMap<>();

    /**
     * @param rules in force
     * @param former those of the node's life before
     */
    MutantLinks(
            SecureKeys keys,
            Effects effects,
            SplittableRandom random,
            SimWorld world,
            RecordLedger ledger,
            Reader self,
            RuleSet<ExonRule> rules,
            @Nullable MutantLinks former) {
        super(keys, effects, random, world, ledger, self);
        this.rules = rules;
        this.former = former;
    }

    @Override
    SecureLink newLink(NodeId peer) {
        SecureLink link = super.newLink(peer);
        known.put(peer, link);
        SecureLink before = former == null ? null : former.known.get(peer);
        if (!rules.holds(ExonRule.NO_KEY_OUTLIVES_ITS_NODE)
                && before != null
                && before.current instanceof ObservedSession kept) {
            link.current = kept.again(self(), link, world().nowMicros());
        }
        return link;
    }

    @Override
    ObservedSession newSession(
            SecureLink link, boolean initiator, int index, int peersIndex, Keys agreedOn, long nowMicros) {
        ObservedSession session = rules.holds(ExonRule.RECORD_TAKEN_ONCE)
                ? super.newSession(link, initiator, index, peersIndex, agreedOn, nowMicros)
                : new ObservedSession(
                        ledger(), self(), link, initiator, index, peersIndex, NamedKeys.of(agreedOn), nowMicros) {
                    @Override
                    boolean isNew(Outside outside) {
                        return true;
                    }
                };
        made.put(index, session);
        if (!initiator && !rules.holds(ExonRule.FIRST_RECORD_PROVES_THE_PEER)) {
            use(link, session);
        }
        return session;
    }

    @Override
    void onRecord(Outside outside, Address from, byte[] datagram, long nowMicros) {
        SecureSession session = session(outside.index());
        if (session != null && !rules.holds(ExonRule.ADDRESS_PROVED)) {
            session.link().validated = from;
        }
        super.onRecord(outside, from, datagram, nowMicros);
    }

    @Override
    @Nullable
    SecureSession session(int index) {
        SecureSession session = super.session(index);
        ObservedSession kept = former == null ? null : former.made.get(index);
        return session == null && kept != null && !rules.holds(ExonRule.RECORDS_OF_FORMER_LIVES_ARE_REFUSED)
                ? kept.again(self(), kept.link(), world().nowMicros())
                : session;
    }

    @Override
    void use(SecureLink link, SecureSession session) {
        if (link.current == session) {
            return; // in use since the answer
        }
        super.use(link, session);
        if (!rules.holds(ExonRule.FORMER_KEYS_STAY) && link.previous != null) {
            forget(link.previous);
            link.previous = null;
        }
    }
}
