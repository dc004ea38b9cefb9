package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.sim.SimViolationException;
import org.jspecify.annotations.Nullable;

/**
 * Checks section 4.1 at one site: "marks each arc that was marked in G or G'". The next report of a site has every mark of
 * the reports that it has taken since its last one, between messages that are still open.
 */
final class DpgUnions {
    private final DpgSimSite site;
    private final List<Report> taken = new ArrayList<>();
    /** Number of the newest report of each origin; older ones that come later are not used. */
    private final Map<Long, Long> newest = new HashMap<>();

    private @Nullable Report last;
    private long contradictions;

    DpgUnions(DpgSimSite site) {
        this.site = site;
    }

    /** The process starts, or takes a place in the order. */
    void begin() {
        taken.clear();
        last = null;
    }

    void take(DpgSite core, Report report) {
        if (newest.merge(report.origin(), report.number(), Math::max) > report.number()) {
            return;
        }
        // Graphs are united only where the orders meet, and have not parted before.
        boolean meet = last != null
                && report.anchored()
                && (report.order().contains(last.latestDeliverable())
                        || last.order().contains(report.latestDeliverable()));
        if (meet && core.isAnchored() && core.isInSyncWith(report.origin())) {
            taken.add(report);
        }
    }

    /** @param after the last message before the site's segment; reports that reach less far are left aside */
    void told(DpgSite core, Report own, Tag after) {
        // A forced order is not true, and where it is contradicted a true mark may have to yield.
        boolean contradicted = core.counters().contradictions() > contradictions;
        contradictions = core.counters().contradictions();
        if (!contradicted && own.anchored()) {
            Set<Tag> open = new HashSet<>(own.vertices());
            Set<Arc> arcs = new HashSet<>(own.arcs());
            for (Report report : taken) {
                int reached = own.order().indexOf(report.latestDeliverable());
                if (reached >= 0 && reached >= own.order().indexOf(after) && agrees(own.order(), report.order())) {
                    check(report, open, arcs);
                }
            }
        }
        taken.clear();
        last = own.anchored() ? own : null;
    }

    private static boolean agrees(List<Tag> own, List<Tag> theirs) {
        int end = own.indexOf(theirs.get(theirs.size() - 1)) + 1;
        int common = Math.min(end, theirs.size());
        return own.subList(end - common, end).equals(theirs.subList(theirs.size() - common, theirs.size()));
    }

    private void check(Report report, Set<Tag> open, Set<Arc> arcs) {
        for (Arc arc : report.arcs()) {
            if (arc.marked() && open.contains(arc.from()) && open.contains(arc.to()) && !arcs.contains(arc)) {
                throw new SimViolationException(
                        DpgLedger.FORGOTTEN, site + " was told " + arc + " and does not tell it");
            }
        }
    }
}
