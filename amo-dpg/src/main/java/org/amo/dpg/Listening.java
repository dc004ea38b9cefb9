package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a site that starts or returns takes its place in the common order: after some reports of others (Observation 4). */
final class Listening {
    private static final int LEAST_CYCLES = 2;

    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    private final PayloadBuffers bodies;
    private final LocalDelivery delivery;
    private final ReportIntake intake;
    /** The last report of each site that has a place, in the order in which they came. */
    private final Map<Long, Report> candidates = new LinkedHashMap<>();

    private int reportsHeard;

    Listening(
            SiteContext life,
            OrderState knowledge,
            Sites sites,
            PayloadBuffers bodies,
            LocalDelivery delivery,
            ReportIntake intake) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
        this.bodies = bodies;
        this.delivery = delivery;
        this.intake = intake;
    }

    /**
     * A site that has a place tells it.
     *
     * @return false if another site has this site's origin: this site must draw another one
     */
    boolean onReport(Report report, long nowMicros) {
        for (Tag tag : report.order()) {
            if (tag.origin() == knowledge.origin) {
                return false;
            }
        }
        // Reports that lay unread while the process was paused are read at once and are old: that is no listening.
        long listenedMicros = sites.listenedMicros(nowMicros);
        if (listenedMicros < life.options.reportMicros()) {
            candidates.clear();
            reportsHeard = 0;
            return true;
        }
        if (sites.isOutdated(report.origin())) {
            // It may take longer than that to read them all.
            return true;
        }
        if (candidates.size() < life.options.maxSites() || candidates.containsKey(report.origin())) {
            candidates.remove(report.origin());
            candidates.put(report.origin(), report);
        }
        boolean listened = listenedMicros >= LEAST_CYCLES * life.options.reportMicros();
        if (++reportsHeard >= life.options.returnReports() && listened) {
            anchor(nowMicros);
        }
        return true;
    }

    /** A site that hears no other begins a sequence; a site that hears few does not wait for more for ever. */
    void onTime(long nowMicros) {
        if (nowMicros >= nextMicros()) {
            anchor(nowMicros);
        }
    }

    /** When the site takes its place if nothing more is heard. */
    long nextMicros() {
        return sites.listeningSinceMicros() + life.options.absenceMicros() * (candidates.isEmpty() ? 1 : 2);
    }

    private void anchor(long nowMicros) {
        Report best = best();
        candidates.clear();
        if (best == null) {
            anchorAlone(nowMicros);
        } else {
            follow(best, nowMicros);
        }
    }

    /** Of the sequence that most of the sites heard follow, the report that has come furthest. */
    private @Nullable Report best() {
        List<Report> followed = new ArrayList<>(candidates.values());
        followed.removeIf(Report::isAlone);
        if (followed.isEmpty()) {
            followed.addAll(candidates.values());
        }
        Report best = null;
        int most = -1;
        for (Report each : followed) {
            int together = 0;
            for (Report other : followed) {
                boolean meet = other.order().contains(each.latestDeliverable())
                        || each.order().contains(other.latestDeliverable());
                together += meet ? 1 : 0;
            }
            boolean further = best == null || each.order().contains(best.latestDeliverable());
            if (together > most || (together == most && further)) {
                most = together;
                best = each;
            }
        }
        return best;
    }

    private void anchorAlone(long nowMicros) {
        IncorporatedOrder order = new IncorporatedOrder();
        order.append(Tag.ROOT, false, nowMicros);
        order.allDelivered();
        knowledge.order = order;
        if (!sites.isEmpty()) {
            // Another site that listens may begin a sequence now, too.
            knowledge.forcesFromMicros = sites.clockMicros() + knowledge.consents.countMicros();
        }
        take(knowledge.graph.vertices(), Tag.ROOT, nowMicros);
    }

    private void follow(Report best, long nowMicros) {
        // Messages delivered anywhere may be gone everywhere, their bodies first: a site that comes later begins later.
        boolean fresh = !life.everAnchored && best.delivered().equals(Tag.ROOT);
        IncorporatedOrder order = new IncorporatedOrder();
        Set<Tag> decided = new HashSet<>(best.decided());
        for (Tag tag : best.order()) {
            order.append(tag, !decided.contains(tag), nowMicros);
            if (!fresh) {
                knowledge.passed.add(tag, nowMicros);
            }
        }
        if (fresh) {
            order.delivered();
        } else {
            order.allDelivered();
            knowledge.inheritedEnd = order.end();
        }
        knowledge.order = order;
        knowledge.onlyAdopt(sites.clockMicros());
        take(keep(best), fresh ? Tag.ROOT : order.latest(), nowMicros);
        Sites.Site site = sites.heard(best.origin(), order.deliveredEnd(), nowMicros);
        if (site != null) {
            intake.onReport(best, site, nowMicros);
        }
    }

    /** @param kept heard vertices that come after L_DELIV */
    private void take(List<Tag> kept, Tag after, long nowMicros) {
        knowledge.anchored = true;
        life.everAnchored = true;
        rebuild(knowledge.graph, kept, nowMicros);
        bodies.onAnchored();
        sites.restart(knowledge.order.deliveredEnd());
        delivery.onAnchored(nowMicros);
        life.effects.beginSegment(after);
    }

    /**
     * Vertices heard while listening that are open in the report. Any other may have been incorporated before the part of
     * the order that the report tells, regardless of the medium's order. If that part reaches back to the root, the others
     * are kept, too.
     */
    private List<Tag> keep(Report report) {
        boolean tellsAll = report.order().contains(Tag.ROOT);
        Set<Tag> open = new LinkedHashSet<>(report.vertices());
        List<Tag> kept = new ArrayList<>();
        for (Tag tag : knowledge.graph.vertices()) {
            if (!knowledge.isIncorporated(tag) && (tellsAll || open.contains(tag))) {
                kept.add(tag);
            }
        }
        return kept;
    }

    private void rebuild(PrecedenceGraph heard, List<Tag> kept, long nowMicros) {
        PrecedenceGraph graph = knowledge.newGraph();
        knowledge.graph = graph;
        graph.add(knowledge.order.latest(), nowMicros);
        for (Tag tag : kept) {
            graph.add(tag, heard.sinceMicros(tag));
        }
        List<Arc> arcs = new ArrayList<>();
        for (Arc arc : heard.arcs()) {
            if (!knowledge.isIncorporated(arc.to())) {
                // Perhaps no other site knows these marks: the others decide without them until they hear from this
                // site.
                arcs.add(Arc.plain(arc.from(), arc.to()));
            }
        }
        graph.include(arcs);
        knowledge.attachToRoot();
    }
}
