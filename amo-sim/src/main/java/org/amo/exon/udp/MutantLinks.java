package org.amo.exon.udp;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.amo.exon.ExonRule;
import org.amo.exon.NodeId;
import org.amo.exon.udp.NoiseHandshake.Keys;
import org.amo.exon.udp.RecordLedger.Reader;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/** Encryption with a planted bug. */
final class MutantLinks extends ObservedLinks {
    private final SimWorld world;
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
            RecordLedger ledger,
            Reader self,
            SimWorld world,
            RuleSet<ExonRule> rules,
            @Nullable MutantLinks former) {
        super(keys, effects, random, ledger, self);
        this.world = world;
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
            link.current = kept.again(self(), link, world.nowMicros());
        }
        return link;
    }

    @Override
    ObservedSession newSession(
            SecureLink link, boolean initiator, int index, int peersIndex, Keys agreedOn, long nowMicros) {
        ObservedSession session = super.newSession(link, initiator, index, peersIndex, agreedOn, nowMicros);
        made.put(index, session);
        return session;
    }

    @Override
    @Nullable
    SecureSession session(int index) {
        SecureSession session = super.session(index);
        ObservedSession kept = former == null ? null : former.made.get(index);
        return session == null && kept != null && !rules.holds(ExonRule.RECORDS_OF_FORMER_LIVES_ARE_REFUSED)
                ? kept.again(self(), kept.link(), world.nowMicros())
                : session;
    }

    @Override
    void use(SecureLink link, SecureSession session) {
        super.use(link, session);
        if (!rules.holds(ExonRule.FORMER_KEYS_STAY) && link.previous != null) {
            forget(link.previous);
            link.previous = null;
        }
    }
}
