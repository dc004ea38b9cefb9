package org.amo.dpg;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.amo.dpg.Report.SiteStatus;

/** Makes the 'report' PDUs of one presence spell. */
final class ReportWriter {
    /** So many sites that reported last stand for all, in a group that is larger. */
    private static final int LATELY = 16;

    private static final long PARTED = Long.MIN_VALUE;

    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    private final Recovery recovery;
    private long last;
    /** How far in the order the sites were that reported last. */
    private final ArrayDeque<Long> reached = new ArrayDeque<>();

    ReportWriter(SiteContext life, OrderState knowledge, Sites sites, Recovery recovery) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
        this.recovery = recovery;
    }

    /** A site that has a place told where it is. */
    void onReport(Report report) {
        IncorporatedOrder order = knowledge.order;
        long position = order.positionOf(report.latestDeliverable());
        if (position < 0 && report.order().contains(order.latest())) {
            position = order.end() - 1;
        }
        if (reached.size() == LATELY) {
            reached.remove();
        }
        reached.add(sites.isInSync(report.origin()) ? position : PARTED);
    }

    Report next(long nowMicros, long clockMicros) {
        if (!knowledge.anchored) {
            return report(clockMicros, List.of(), List.of(), Tag.ROOT, List.of(), List.of(), List.of(), List.of());
        }
        IncorporatedOrder order = knowledge.order;
        List<Tag> vertices = new ArrayList<>();
        for (Tag tag : knowledge.graph.vertices()) {
            if (!tag.equals(order.latest())) {
                vertices.add(tag);
            }
        }
        int told = orderTold();
        List<Tag> lost = recovery.lost(nowMicros);
        return report(
                clockMicros,
                order.newest(told),
                order.decided(told),
                order.lastDelivered(),
                vertices,
                knowledge.graph.arcs(),
                lost,
                recovery.remulticasts());
    }

    /**
     * Enough of the order for the present site that is furthest behind to find its place in it. In a large group a site's
     * report is old when its turn comes again: there only the latest reports count, and a site with an order that does not
     * meet says so at once.
     */
    private int orderTold() {
        IncorporatedOrder order = knowledge.order;
        long behind = order.end() - sites.concludedEnd(order.deliveredEnd()) + 1;
        long met = order.end();
        for (long position : reached) {
            met = Math.min(met, position);
        }
        // A site that follows another sequence must see where the two diverged.
        long needed = met == PARTED ? order.size() : Math.min(Math.min(behind, order.end() - met), order.size());
        return (int) Math.max(Math.min(life.options.reportOrder(), order.inUse()), needed);
    }

    private Report report(
            long clockMicros,
            List<Tag> order,
            List<Tag> decided,
            Tag delivered,
            List<Tag> vertices,
            List<Arc> arcs,
            List<Tag> lost,
            List<Message> bodies) {
        life.counters.reports++;
        Report report = new Report(
                knowledge.origin,
                ++last,
                !knowledge.anchored ? SiteStatus.LISTENING : sites.wasAlone() ? SiteStatus.ALONE : SiteStatus.PLACED,
                clockMicros,
                life.flow.cycleMicros(),
                order,
                decided,
                delivered,
                vertices,
                arcs,
                lost,
                bodies);
        knowledge.consents.give(report, clockMicros);
        return report;
    }
}
