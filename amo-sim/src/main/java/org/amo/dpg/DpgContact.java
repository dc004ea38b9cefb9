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
 *
 * <p>A message is <em>lost</em>, for all segments, if at some moment a site lacks it in its order, and each site that has it there
 * has crashed or is out of touch for an absence or longer: no site can tell that one what the others decided. A site that is
 * out of touch for a shorter time counts likewise once the site that lacks the message forces an order, and has not heard it for an
 * absence: one of the two was cut off after the other.
 *
 * <p>A site <em>crosses a return</em> if it forces an order without a message that another site delivered while out of touch. That
 * site is back, or has told a third one since. The forcing site has not heard it for an absence, and has taken no report that has the
 * message in its order. Until it takes a report that was sent later, its deliveries count as those of a site out of touch.
 */
final class DpgContact {
    private final SimWorld world;
    /** By origin of a spell, and by site: the messages that the site has seen in the order of its reports. */
    private final Map<Long, Map<DpgSimSite, Set<Tag>>> told = new HashMap<>();

    /** By site: when it last heard another one, in the time that it has run. */
    private final Map<DpgSimSite, Map<DpgSimSite, Long>> heard = new HashMap<>();

    /** Since when sites count as such that crossed a return. */
    private final Map<DpgSimSite, Long> crossed = new HashMap<>();

    private final Set<Tag> lost = new HashSet<>();
    private final List<DpgSimSite> sites = new ArrayList<>();
    /** Sites that are out of touch. */
    private final Map<DpgSimSite, Outage> outages = new HashMap<>();

    /** @param untilMicros at least; a report sent later can bring the site back */
    private record Outage(long sinceMicros, long untilMicros) {
        Outage joined(Outage next) {
            return new Outage(sinceMicros, Math.max(untilMicros, next.untilMicros));
        }

        Outage endingBy(long micros) {
            return new Outage(sinceMicros, Math.min(untilMicros, micros));
        }
    }

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
        left.removeAll(outages.keySet());
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
        crossed.remove(site);
        outages.merge(site, new Outage(world.nowMicros(), untilMicros), Outage::joined);
        if (segment != null) {
            // Who lacks a message lacks those behind it, too.
            for (int i = segment.tags.size() - 1; i >= 0 && isLacked(segment.tags.get(i)); i--) {
                ifLost(segment.tags.get(i));
            }
        }
    }

    private void ifLost(Tag tag) {
        if (sites.stream().allMatch(each -> isAway(each) || !each.has(tag))) {
            lost.add(tag);
        }
    }

    private boolean isAway(DpgSimSite site) {
        Outage outage = outages.get(site);
        return outage != null && site.isAbsence(outage.untilMicros - outage.sinceMicros);
    }

    /** The site chooses what comes next in its order. */
    void onForce(DpgSimSite site) {
        for (DpgSimSite each : sites) {
            DpgLedger.Segment segment = each.segment();
            if (each != site && segment != null) {
                for (int i = segment.tags.size() - 1; i >= 0 && !site.has(segment.tags.get(i)); i--) {
                    onForceWithout(segment.tags.get(i), segment, site);
                }
            }
        }
    }

    private void onForceWithout(Tag tag, DpgLedger.Segment segment, DpgSimSite site) {
        if (sites.stream().allMatch(each -> isAway(each) || isGoneFor(site, each) || !each.has(tag))) {
            lost.add(tag);
        }
        if (segment.unheard.contains(tag)
                && (isBack(segment.site) || isTold(segment, tag))
                && isSilent(segment.site, site)
                && !hasSeen(site, tag)) {
            world.trace(() -> site + " forces while " + segment.site + " comes back with " + tag);
            crossed.putIfAbsent(site, world.nowMicros());
        }
    }

    /** Whether what kept it out of touch is over: its next report may be taken anywhere. */
    private boolean isBack(DpgSimSite site) {
        Outage outage = outages.get(site);
        return outage == null || world.nowMicros() >= outage.untilMicros;
    }

    private boolean isGoneFor(DpgSimSite site, DpgSimSite other) {
        return outages.containsKey(other) && isSilent(other, site);
    }

    private boolean isSilent(DpgSimSite other, DpgSimSite site) {
        Long last = heard.getOrDefault(site, Map.of()).get(other);
        return last != null && site.isAbsence(site.ranMicros() - last);
    }

    private boolean hasSeen(DpgSimSite site, Tag tag) {
        return told.values().stream()
                .anyMatch(each -> each.getOrDefault(site, Set.of()).contains(tag));
    }

    /** A process starts: no site takes it for silent before an absence from now. */
    void onStart(DpgSimSite site) {
        for (DpgSimSite each : sites) {
            if (each != site) {
                hear(each, site);
                hear(site, each);
            }
        }
    }

    /** The site takes a PDU of another. */
    void hear(DpgSimSite site, DpgSimSite from) {
        heard.computeIfAbsent(site, by -> new HashMap<>()).put(from, site.ranMicros());
    }

    private boolean isLacked(Tag tag) {
        return sites.stream().anyMatch(each -> each.isPlaced() && !each.has(tag));
    }

    boolean isLost(Tag tag) {
        return lost.contains(tag);
    }

    /** All cuts between sites are over. */
    void heal() {
        outages.replaceAll((site, outage) -> outage.endingBy(Math.max(world.nowMicros(), site.frozenUntilMicros())));
    }

    /** The site takes a report of another. */
    void take(DpgSimSite site, Report report, long sentMicros) {
        if (!report.anchored()) {
            return;
        }
        Outage outage = outages.get(site);
        if (outage != null && sentMicros >= outage.untilMicros && isInTouch(report.origin())) {
            outages.remove(site);
        }
        if (sentMicros >= crossed.getOrDefault(site, Long.MAX_VALUE) && isInTouch(report.origin())) {
            crossed.remove(site);
        }
        Set<Tag> seen = told.computeIfAbsent(report.origin(), origin -> new HashMap<>())
                .computeIfAbsent(site, by -> new HashSet<>());
        // An order grows at its end only.
        for (int i = report.order().size() - 1;
                i >= 0 && seen.add(report.order().get(i));
                i--) {
            // All before it were told by an earlier report.
        }
    }

    private boolean isInTouch(long origin) {
        boolean anybody = false;
        for (DpgSimSite each : sites) {
            if (each.isPlaced() && !outages.containsKey(each)) {
                if (each.isOf(origin)) {
                    return true;
                }
                anybody = true;
            }
        }
        return !anybody;
    }

    void onDelivered(DpgLedger.Segment segment, Tag tag) {
        if (outages.containsKey(segment.site)) {
            ifUnheard(segment, tag);
            if (isLacked(tag)) {
                ifLost(tag);
            }
        } else if (crossed.containsKey(segment.site)) {
            ifUnheard(segment, tag);
        }
    }

    private void ifUnheard(DpgLedger.Segment segment, Tag tag) {
        if (!isTold(segment, tag)) {
            segment.unheard.add(tag);
        }
    }

    private boolean isTold(DpgLedger.Segment segment, Tag tag) {
        return told.getOrDefault(segment.origin, Map.of()).values().stream().anyMatch(seen -> seen.contains(tag));
    }
}
