package org.amo.dpg;

import java.util.List;
import org.amo.dpg.Report.SiteStatus;

/** Reports of a site that has its place, and tells no more than the parameters. */
final class PlacedReports {
    private PlacedReports() {}

    static Report of(long origin, long number, List<Tag> order, List<Tag> decided, List<Tag> vertices, Arc... arcs) {
        return at(0, origin, number, order, decided, vertices, arcs);
    }

    /** Issued at that time by the site's clock. */
    static Report at(
            long clockMicros,
            long origin,
            long number,
            List<Tag> order,
            List<Tag> decided,
            List<Tag> vertices,
            Arc... arcs) {
        return new Report(
                origin,
                number,
                SiteStatus.PLACED,
                clockMicros,
                1,
                order,
                decided,
                order.get(0),
                vertices,
                List.of(arcs),
                List.of(),
                List.of());
    }
}
