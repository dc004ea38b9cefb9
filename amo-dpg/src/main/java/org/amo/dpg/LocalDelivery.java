package org.amo.dpg;

import org.jspecify.annotations.Nullable;

/** Delivers messages locally (section 4.2, second half) and removes those that all have delivered (section 4.5). */
class LocalDelivery {
    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    private final PayloadBuffers bodies;
    private final Recovery recovery;
    private final Heartbeat heartbeat;
    private long removalsPaidMicros;

    LocalDelivery(
            SiteContext life,
            OrderState knowledge,
            Sites sites,
            PayloadBuffers bodies,
            Recovery recovery,
            Heartbeat heartbeat) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
        this.bodies = bodies;
        this.recovery = recovery;
        this.heartbeat = heartbeat;
    }

    /** The site took its place. */
    void onAnchored(long nowMicros) {
        removalsPaidMicros = nowMicros;
    }

    void deliver(long nowMicros) {
        if (isInDoubt()) {
            return;
        }
        IncorporatedOrder order = knowledge.order;
        for (Tag tag = order.earliest(); tag != null; tag = order.earliest()) {
            byte[] body = bodies.get(tag);
            boolean seen = life.delivered.contains(tag);
            if (body == null && !seen && nowMicros < giveUpAtMicros(tag, nowMicros)) {
                return;
            }
            order.delivered();
            recovery.onDelivered(tag);
            // A message delivered before an absence of this site keeps its place, but is not delivered again.
            if (!seen) {
                deliver(tag, body, nowMicros);
            }
        }
    }

    /** This site has gone astray, or will be told that it has not: until then nothing more of its order is shown. */
    private boolean isInDoubt() {
        return sites.isJustAwake() || sites.othersPrevail(knowledge.origin);
    }

    private void deliver(Tag tag, byte @Nullable [] body, long nowMicros) {
        remember(tag, nowMicros);
        if (body != null) {
            life.counters.delivered++;
            life.effects.deliver(tag, body);
            bodies.onDelivered(tag);
        } else {
            life.counters.dummies++;
            giveUp(tag);
        }
    }

    /** A tag that was delivered is refused from now on. */
    void remember(Tag tag, long nowMicros) {
        life.delivered.add(tag, nowMicros);
    }

    void giveUp(Tag tag) {
        life.effects.deliverDummy(tag);
    }

    private long giveUpAtMicros(Tag tag, long nowMicros) {
        return recovery.giveUpAtMicros(
                tag, knowledge.order.earliestSinceMicros(), Math.max(heartbeat.dueMicros(), nowMicros));
    }

    /** When a body is to be given up if nothing more is heard. */
    long nextMicros(long nowMicros) {
        Tag earliest = knowledge.order.earliest();
        if (earliest == null || isInDoubt()) {
            return Long.MAX_VALUE;
        }
        return giveUpAtMicros(earliest, nowMicros);
    }

    /** Removes messages that are done with, and makes room in a full order. */
    final void conclude(long nowMicros) {
        removeConcluded(nowMicros);
        IncorporatedOrder order = knowledge.order;
        while (knowledge.isOrderFull() && leave(order.leaveOldestBelow(order.deliveredEnd()), nowMicros)) {
            life.counters.premature++;
            life.overflow();
        }
    }

    /**
     * Removes messages that all present sites have delivered, at a rate that follows Message_Cycle. A call that uses up its
     * right does not charge it, so a backlog leaves at once: with each removal charged, throughput stayed at a sixth after an
     * overload.
     */
    void removeConcluded(long nowMicros) {
        IncorporatedOrder order = knowledge.order;
        // The last that all have delivered stays: a site that knows no more is met there.
        long end = sites.concludedEnd(order.deliveredEnd()) - 1;
        long credit = (nowMicros - removalsPaidMicros) * 2 * (1 + sites.size()) / life.flow.cycleMicros();
        for (; credit > 0 && leave(order.leaveOldestBelow(end), nowMicros); credit--) {
            // One at a time, while there is something to remove and a right to do so.
        }
        removalsPaidMicros = credit > 0 ? nowMicros : removalsPaidMicros;
    }

    /** Removes a message that is incorporated and delivered here. @return whether there was one */
    final boolean leave(@Nullable Tag tag, long nowMicros) {
        if (tag == null) {
            return false;
        }
        rememberPassed(tag, nowMicros);
        bodies.leave(tag);
        recovery.remove(tag);
        Tag oldest = knowledge.order.forgetOldest();
        if (oldest != null) {
            bodies.forget(oldest);
        }
        return true;
    }

    /** A tag that was removed is behind: it is not incorporated again. */
    void rememberPassed(Tag tag, long nowMicros) {
        knowledge.passed.add(tag, nowMicros);
    }
}
