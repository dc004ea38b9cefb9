package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.sim.SimWorld;

/**
 * Records which sites were out of touch, and which messages were reported to other sites. By this ground truth {@code dpg}
 * separates the order violations that no protocol without a quorum can prevent from all others.
 *
 * <p>A site goes out of touch when it is cut off, stands still or crashes, or when all other sites have. It is in touch
 * again once it takes a report that was sent after that had ended. The report's sender must have a place in the order and,
 * if any such site is in touch, be in touch itself: two isolated sites that meet are still apart from the group.
 *
 * <p>A message is <em>unheard</em> at a site if the site delivered it while out of touch, or went out of touch afterwards,
 * and until then no other site had taken a report of the site with the message in its order. No other site can have followed
 * such a delivery.
 */
final class DpgContact {
    private final SimWorld world;
    /** By origin of a spell: the messages that other sites have seen in the order of its reports. */
    private final Map<Long, Set<Tag>> told = new HashMap<>();

    private final List<DpgSimSite> sites = new ArrayList<>();
    /** Sites that are out of touch, and until when at least; a report sent later can bring a site back. */
    private final Map<DpgSimSite, Long> outUntil = new HashMap<>();

    DpgContact(SimWorld world) {
        this.world = world;
    }

    void attach(DpgSimSite site) {
        sites.add(site);
    }

    /** Nothing reaches the site, or it does nothing, until then at least. */
    void lose(DpgSimSite site, long untilMicros) {
        goOut(site, untilMicros);
        List<DpgSimSite> left = new ArrayList<>(sites);
        left.removeAll(outUntil.keySet());
        if (left.size() == 1) {
            // Whether it or all others were cut off makes no difference to it.
            goOut(left.get(0), world.nowMicros());
        }
    }

    private void goOut(DpgSimSite site, long untilMicros) {
        DpgLedger.Segment segment = site.segment();
        if (segment != null) {
            for (Tag tag : segment.tags) {
                ifUnheard(segment, tag);
            }
        }
        outUntil.merge(site, untilMicros, Math::max);
    }

    /** All cuts between sites are over. */
    void heal() {
        outUntil.replaceAll((site, until) -> Math.min(until, Math.max(world.nowMicros(), site.frozenUntilMicros())));
    }

    /** The site takes a report of another. */
    void take(DpgSimSite site, Report report, long sentMicros) {
        if (!report.anchored()) {
            return;
        }
        Long until = outUntil.get(site);
        if (until != null && sentMicros >= until && isInTouch(report.origin())) {
            outUntil.remove(site);
        }
        Set<Tag> heard = told.computeIfAbsent(report.origin(), origin -> new HashSet<>());
        // An order grows at its end only.
        for (int i = report.order().size() - 1;
                i >= 0 && heard.add(report.order().get(i));
                i--) {
            // All before it were told by an earlier report.
        }
    }

    private boolean isInTouch(long origin) {
        boolean anybody = false;
        for (DpgSimSite each : sites) {
            DpgSite core = each.core();
            if (core != null && core.isAnchored() && !outUntil.containsKey(each)) {
                if (core.origin() == origin) {
                    return true;
                }
                anybody = true;
            }
        }
        return !anybody;
    }

    void onDelivered(DpgLedger.Segment segment, Tag tag) {
        if (outUntil.containsKey(segment.site)) {
            ifUnheard(segment, tag);
        }
    }

    private void ifUnheard(DpgLedger.Segment segment, Tag tag) {
        if (!told.getOrDefault(segment.origin, Set.of()).contains(tag)) {
            segment.unheard.add(tag);
        }
    }
}
