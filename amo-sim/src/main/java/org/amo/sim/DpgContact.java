package org.amo.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.dpg.DpgSite;
import org.amo.dpg.Report;
import org.amo.dpg.Tag;

/**
 * Who was out of touch when, and who was told what: the ground truth by which {@code dpg} tells the violations of order that
 * nothing without a quorum can prevent from all others.
 *
 * <p>A site is out of touch from the moment it is cut off, stands still or crashes, or all others have, until it takes a report
 * that was sent after that had ended, by a site that has a place in the order and is in touch itself, if any is: two that were
 * cut off, and meet, are still apart from the group. A message is <em>unheard</em> at a site if the site delivered it while it was out of
 * touch, or went out of touch after that, and no other site had until then taken a report of it that has the message
 * in its order. Nobody can have followed such a delivery.
 */
final class DpgContact {
    private final SimWorld world;
    /** What others know to be incorporated at the spell with this origin. */
    private final Map<Long, Set<Tag>> told = new HashMap<>();

    private final List<DpgSimSite> sites = new ArrayList<>();
    /** Those that are out of touch; what they take that was sent later brings them back. */
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

    /** What kept sites from each other is over. */
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
