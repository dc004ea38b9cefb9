package org.amo.dpg;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reception of 'message' PDUs (section 4.1): vertices, arcs and marks that this site itself knows. */
class Reception {
    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    private final Recovery recovery;
    private final long inferFromMicros;
    private final Suspicions suspicions = new Suspicions();
    private final Suspicions.Order known;
    /** L_REC; null after anything that breaks the sequence of receptions. */
    private @Nullable Tag latestReceived;

    /** @param inferFromMicros until then own messages of an earlier spell may be on their way */
    Reception(SiteContext life, OrderState knowledge, Sites sites, Recovery recovery, long inferFromMicros) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
        this.recovery = recovery;
        this.inferFromMicros = inferFromMicros;
        this.known = new Suspicions.Order() {
            @Override
            public boolean precedes(Tag x, Tag y) {
                return knowledge.graph.precedes(x, y);
            }

            @Override
            public boolean isKnownBefore(Tag x, Tag y) {
                return knowledge.order.isKnownBefore(x, y);
            }

            @Override
            public boolean isIncorporated(Tag tag) {
                return knowledge.isIncorporated(tag);
            }
        };
    }

    /** @return whether it was of use */
    boolean onMessage(Message message, boolean contiguous, long nowMicros) {
        Tag tag = message.tag();
        if (tag.equals(Tag.ROOT)
                || message.body().length > life.options.maxBodyBytes()
                || !knowledge.mayExist(tag)
                || !isHeard(tag, nowMicros)) {
            latestReceived = null;
            return false;
        }
        suspicions.seen(tag);
        if (!knowledge.isIncorporated(tag)) {
            // Of a message that was told before it came, the site may have told another place.
            boolean usable = contiguous
                    && latestReceived != null
                    && mayInfer(latestReceived, tag, nowMicros)
                    && (!knowledge.graph.contains(tag) || mayTell(latestReceived, tag));
            if (!knowledge.graph.receive(tag, latestReceived, usable, nowMicros)) {
                // The vertex is lost with the body: later vertices say nothing about their direct predecessors.
                life.overflow();
                latestReceived = null;
                return false;
            }
            knowledge.attachToRoot();
        }
        latestReceived = tag;
        suspicions.received();
        recovery.onBody(tag, message.body());
        return true;
    }

    private boolean isHeard(Tag tag, long nowMicros) {
        if (tag.origin() == knowledge.origin) {
            return true;
        }
        if (!life.isFormer(tag.origin())) {
            Sites.Site site = sites.heard(tag.origin(), knowledge.order.deliveredEnd(), nowMicros);
            if (site != null) {
                sites.onMessage(site);
            }
        }
        if (!life.delivered.admits(tag.origin(), nowMicros)) {
            life.counters.refusedOrigins++;
            return false;
        }
        return true;
    }

    /** Whether an inference of contiguity may be used: not while an own message may lie between. */
    boolean mayInfer(Tag from, Tag to, long nowMicros) {
        return sites.clockMicros() > knowledge.infersFromMicros
                && (!suspends() || (nowMicros >= inferFromMicros && suspicions.infer(from, to)));
    }

    /** An inference about messages that are told already is late: it is dropped if it breaks a consent. */
    private boolean mayTell(Tag from, Tag to) {
        return knowledge.consents.allow(from, to, sites.clockMicros(), 1);
    }

    private boolean suspends() {
        return life.options.ownMessages() == OwnMessages.SUSPENDED;
    }

    void onSent(Tag own) {
        suspicions.sent(own);
    }

    /** Another site tells of a message: if it is an own one, it is not on its way any more. */
    void onTold(Tag tag) {
        suspicions.seen(tag);
    }

    /** Suspended Delivery: marks the inferences that have become certain. */
    void onUnited() {
        if (!suspends()) {
            return;
        }
        PrecedenceGraph graph = knowledge.graph;
        for (Arc arc : suspicions.certain(known)) {
            if (graph.contains(arc.from())
                    && graph.contains(arc.to())
                    && graph.mayMark(arc.from(), arc.to())
                    && mayTell(arc.from(), arc.to())) {
                graph.include(List.of(arc));
            }
        }
    }
}
