package org.amo.dpg;

import java.util.List;

/** Incorporates messages into quasi-ADO (section 4.2, first half): which is L_DELIV next, and when that is forced. */
class Incorporation {
    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    private int segmentsAlone;

    Incorporation(SiteContext life, OrderState knowledge, Sites sites) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
    }

    void incorporate(long nowMicros) {
        while (!knowledge.isOrderFull()) {
            Tag root = knowledge.order.latest();
            Tag next = knowledge.graph.markedAfter(root);
            boolean known = next != null;
            if (next != null) {
                life.counters.marked++;
            } else {
                List<Tag> successors = successors();
                if (successors.isEmpty() || nowMicros < forceAtMicros(successors) || !mayForce(successors, nowMicros)) {
                    return;
                }
                next = force(root, successors);
            }
            knowledge.advance(next, known, nowMicros);
        }
    }

    private Tag force(Tag root, List<Tag> successors) {
        if (sites.wasAlone() && segmentsAlone < sites.timesAlone()) {
            segmentsAlone = sites.timesAlone();
            life.effects.beginSegment(knowledge.order.lastDelivered());
        }
        Tag next = greatest(successors);
        if (!knowledge.graph.mark(root, next)) {
            throw new IllegalStateException(next + " is a successor of " + root + " and cannot follow it");
        }
        life.counters.forced++;
        life.counters.chosen += successors.size() > 1 ? 1 : 0;
        return next;
    }

    /** Immediate successors of L_DELIV: those that arcs tell, and those of which no arc tells anything. */
    private List<Tag> successors() {
        List<Tag> successors = knowledge.graph.successors(knowledge.order.latest());
        successors.addAll(knowledge.graph.floating());
        return successors;
    }

    /** "In any static order e.g. of decreasing tags." */
    private static Tag greatest(List<Tag> tags) {
        Tag greatest = tags.get(0);
        for (Tag tag : tags) {
            greatest = tag.compareTo(greatest) > 0 ? tag : greatest;
        }
        return greatest;
    }

    private long forceAtMicros(List<Tag> successors) {
        long youngest = Long.MIN_VALUE;
        for (Tag tag : successors) {
            youngest = Math.max(youngest, knowledge.graph.sinceMicros(tag));
        }
        // A site that has just come may not yet have heard of all others.
        return Math.max(
                youngest + life.options.forceMicros(), sites.listeningSinceMicros() + life.options.absenceMicros());
    }

    /**
     * Deliv_Cycle "should be large enough to allow formation of identical successor sets at each member site". Here that is
     * seen from the reports: every present site must have told lately that it would choose the same. A site that was cut off
     * or stood still has no such reports and decides nothing alone, until the others are absent for it. Nor does a site decide
     * otherwise than it told the others lately.
     */
    boolean mayForce(List<Tag> successors, long nowMicros) {
        Tag latest = knowledge.order.latest();
        Tag next = greatest(successors);
        long clockMicros = sites.clockMicros();
        if (clockMicros <= knowledge.forcesFromMicros) {
            return false;
        }
        return (sites.allPlan(latest, next) && knowledge.consents.allow(latest, next, clockMicros, 1))
                || (isStuck(successors, nowMicros) && knowledge.consents.allow(latest, next, clockMicros, 2));
    }

    /**
     * Graphs that contradict each other never come to plan alike: then one site chooses and the others adopt it. All of them must have
     * told that they wait at this place: then none goes on from it by a reception, since what it receives comes after what it waits with.
     */
    private boolean isStuck(List<Tag> successors, long nowMicros) {
        return nowMicros - forceAtMicros(successors) >= life.options.giveUpMicros()
                && sites.isGreatest(knowledge.origin)
                && sites.allWait(knowledge.order.latest());
    }

    /** When an order may be forced, as far as it waits for time. */
    long nextMicros(long nowMicros) {
        List<Tag> successors = successors();
        if (successors.isEmpty() || knowledge.isOrderFull()) {
            return Long.MAX_VALUE;
        }
        long due = forceAtMicros(successors);
        if (nowMicros < due) {
            return due;
        }
        // Behind that time it waits for a report, be it the next one of its own.
        long stuck = due + life.options.giveUpMicros();
        return nowMicros < stuck && sites.isGreatest(knowledge.origin) ? stuck : Long.MAX_VALUE;
    }
}
