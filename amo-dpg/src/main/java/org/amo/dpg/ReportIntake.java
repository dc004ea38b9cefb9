package org.amo.dpg;

import java.util.ArrayList;
import java.util.List;

/** Reception of 'report' PDUs at a site that has its place (section 4.1): G united with the graph of another site. */
class ReportIntake {
    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    private final Reception reception;
    private final Incorporation incorporation;
    private int reportsOfOthersSequence;

    /** How the knowledge of another site compares with this site's. */
    enum Outcome {
        /** It knows as much, or more. */
        ABREAST,
        /** It knows less: a report of this site is of use to it. */
        BEHIND,
        /** The others follow another sequence than this site, which must begin anew. */
        ASTRAY
    }

    ReportIntake(
            SiteContext life, OrderState knowledge, Sites sites, Reception reception, Incorporation incorporation) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
        this.reception = reception;
        this.incorporation = incorporation;
    }

    Outcome onReport(Report report, Sites.Site site, long nowMicros) {
        IncorporatedOrder order = knowledge.order;
        int meeting = report.order().indexOf(order.latest());
        boolean meet = meeting >= 0 || order.contains(report.latestDeliverable());
        sites.compared(site, meet, meet && parts(order, report));
        if (isAstray(site, report, nowMicros)) {
            return Outcome.ASTRAY;
        }
        if (!site.inSync || isOnlyItsOwn(report)) {
            return Outcome.BEHIND;
        }
        if (meeting >= 0 && meeting < report.order().size() - 1) {
            // Not first by marks that the other one may not know, once that one's consent lets this site go on.
            adopt(report, meeting, nowMicros);
        } else {
            incorporation.incorporate(nowMicros);
        }
        long position = order.positionOf(report.delivered());
        if (position >= 0) {
            site.deliveredEnd = position + 1;
        }
        // If the other site has not reached the start of this site's segment, messages that it lacks may be before
        // that.
        long reached = order.positionOf(report.latestDeliverable());
        boolean beforeSegment = reached >= 0 && reached < knowledge.inheritedEnd - 1;
        return beforeSegment || unite(report, nowMicros) ? Outcome.BEHIND : Outcome.ABREAST;
    }

    /** Whether the orders part behind a common message. */
    boolean parts(IncorporatedOrder order, Report report) {
        return !order.agrees(report.order()) || isLeftOut(order, report);
    }

    /**
     * Whether a message is before the end of the other order here, and comes later there, if at all. The part of the order that a report
     * tells need not reach back to where the two parted.
     */
    private boolean isLeftOut(IncorporatedOrder order, Report report) {
        long reached = order.positionOf(report.latestDeliverable());
        if (reached >= 0) {
            for (Tag tag : report.vertices()) {
                if (knowledge.isIncorporated(tag) && order.positionOf(tag) < reached) {
                    return true;
                }
            }
        }
        List<Tag> theirs = report.order();
        int meeting = theirs.indexOf(order.latest());
        return meeting >= 0
                && theirs.subList(meeting + 1, theirs.size()).stream().anyMatch(knowledge::isIncorporated);
    }

    /** Whether only the reporter was alone. Its next report may tell it that it went astray; until then, do not follow. */
    boolean isOnlyItsOwn(Report report) {
        return report.isAlone() && !sites.wasAlone();
    }

    /** Whether this site must begin anew. */
    boolean isAstray(Sites.Site site, Report report, long nowMicros) {
        if (sites.wasAlone()) {
            // This site decided without the others about messages that they lack; they may just now decide otherwise.
            boolean beyond = !report.isAlone() && !report.order().contains(knowledge.order.latest());
            if (!site.inSync || beyond) {
                return true;
            }
            sites.onCompany(report.isAlone(), nowMicros);
        }
        return !site.inSync
                && ++reportsOfOthersSequence >= life.options.returnReports()
                && (sites.othersPrevail(knowledge.origin) || sites.mustYield(knowledge.origin));
    }

    private void adopt(Report report, int meeting, long nowMicros) {
        List<Tag> theirs = report.order();
        for (int i = meeting + 1; i < theirs.size(); i++) {
            Tag tag = theirs.get(i);
            if (knowledge.isIncorporated(tag)) {
                continue;
            }
            if (!knowledge.graph.add(tag, nowMicros) || knowledge.isOrderFull()) {
                return;
            }
            Tag latest = knowledge.order.latest();
            boolean marked = tag.equals(knowledge.graph.markedAfter(latest));
            boolean torn = knowledge.graph.follow(latest, tag);
            boolean known = marked
                    || (!torn
                            && latest.equals(theirs.get(i - 1))
                            && !report.decided().contains(tag));
            reception.onTold(tag);
            if (marked) {
                life.counters.marked++;
            } else {
                life.counters.adopted++;
            }
            knowledge.advance(tag, known, nowMicros);
            if (torn) {
                knowledge.attachToRoot();
            }
        }
    }

    /** @return whether the other site lacks something */
    private boolean unite(Report report, long nowMicros) {
        PrecedenceGraph graph = knowledge.graph;
        boolean newer = false;
        for (Tag tag : report.vertices()) {
            if (knowledge.isIncorporated(tag)) {
                newer = true;
            } else if (knowledge.mayExist(tag) && life.delivered.admits(tag.origin(), nowMicros)) {
                // Floating until an arc comes for it, which is at once but for a body that was sent alone.
                reception.onTold(tag);
                graph.addFloating(tag, nowMicros);
            }
        }
        List<Arc> arcs = ofUse(report.arcs());
        // Before the arcs: a vertex that is not known to come after L_DELIV could be put before it.
        Tag latest = knowledge.order.latest();
        List<Arc> after = new ArrayList<>();
        arcs.forEach(arc -> after.add(Arc.plain(latest, arc.from())));
        after.removeIf(arc -> arc.from().equals(arc.to()) || graph.precedes(arc.from(), arc.to()));
        graph.include(after);
        graph.union(arcs);
        knowledge.attachToRoot();
        reception.onUnited();
        for (Arc arc : arcs) {
            newer |= !graph.has(arc) && graph.contains(arc.to());
        }
        return newer;
    }

    /** An arc to an incorporated message is decided; an arc from before L_DELIV says no more than one from L_DELIV. */
    private List<Arc> ofUse(List<Arc> theirs) {
        List<Arc> arcs = new ArrayList<>();
        for (Arc arc : theirs) {
            if (!knowledge.isIncorporated(arc.to())) {
                if (knowledge.graph.contains(arc.from())) {
                    arcs.add(arc);
                } else if (knowledge.isIncorporated(arc.from())) {
                    arcs.add(Arc.plain(knowledge.order.latest(), arc.to()));
                }
            }
        }
        return arcs;
    }
}
