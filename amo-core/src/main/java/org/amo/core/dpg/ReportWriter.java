package org.amo.core.dpg;

import java.util.ArrayList;
import java.util.List;

/** Makes the 'report' PDUs of one presence spell. */
final class ReportWriter {
    private final Life life;
    private final Knowledge knowledge;
    private final Sites sites;
    private final Recovery recovery;
    private long last;

    ReportWriter(Life life, Knowledge knowledge, Sites sites, Recovery recovery) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
        this.recovery = recovery;
    }

    Report next(long nowMicros, long clockMicros) {
        if (!knowledge.anchored) {
            return report(clockMicros, List.of(), Tag.ROOT, List.of(), List.of(), List.of(), List.of());
        }
        IncorporatedOrder order = knowledge.order;
        List<Tag> vertices = new ArrayList<>();
        for (Tag tag : knowledge.graph.vertices()) {
            if (!tag.equals(order.latest())) {
                vertices.add(tag);
            }
        }
        List<Tag> lost = recovery.lost(nowMicros);
        return report(
                clockMicros,
                order.newest(orderTold()),
                order.lastDelivered(),
                vertices,
                knowledge.graph.arcs(),
                lost,
                recovery.remulticasts());
    }

    /** Enough for the present site that is furthest behind to find its place in it. */
    private int orderTold() {
        IncorporatedOrder order = knowledge.order;
        long behind = order.end() - sites.concludedEnd(order.deliveredEnd()) + 1;
        return (int) Math.max(life.options.reportOrder, Math.min(behind, order.size()));
    }

    private Report report(
            long clockMicros,
            List<Tag> order,
            Tag delivered,
            List<Tag> vertices,
            List<Arc> arcs,
            List<Tag> lost,
            List<Message> bodies) {
        life.counters.reports++;
        return new Report(
                knowledge.origin,
                ++last,
                knowledge.anchored,
                clockMicros,
                life.flow.cycleMicros(),
                order,
                delivered,
                vertices,
                arcs,
                lost,
                bodies);
    }
}
