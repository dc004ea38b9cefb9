package org.amo.core.dpg;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who was heard lately. This is a guess about who is present, used for three things only: what may be removed, whose
 * turn it is to report, and on which side this site is after a partition. Nobody agrees on it with anybody.
 */
final class Sites {
    private static final long MOST_DRIFT = 1_000;
    private static final int MOST_PLANNED = 256;

    private final int maxSites;
    private final long absenceMicros;
    private final Map<Long, Site> sites = new HashMap<>();

    static final class Site {
        long heardMicros;
        long lastReport;
        boolean anchored;
        boolean inSync = true;
        /** All below it is delivered there, or comes before its segment; in positions of this site's order. */
        long deliveredEnd;

        private @Nullable Report lastAnchored;
        private Plan plan = Plan.NONE;
        private long issuedMicros;
        private boolean hasReported;
        /** Least difference seen between this site's clock and that one's, and when: what exceeds it is delay. */
        private long leastOffsetMicros;

        private long offsetAtMicros;

        void onReport(Report report, long nowMicros) {
            lastReport = report.number();
            anchored = report.anchored();
            lastAnchored = anchored ? report : null;
            plan = Plan.NONE;
            long offset = nowMicros - report.clockMicros();
            // Clocks drift apart by less than this; else an old least offset would make each report look late some day.
            long drift = (nowMicros - offsetAtMicros) / MOST_DRIFT;
            if (!hasReported || offset < leastOffsetMicros + drift) {
                leastOffsetMicros = offset;
                offsetAtMicros = nowMicros;
            } else {
                leastOffsetMicros += drift;
                offsetAtMicros += drift * MOST_DRIFT;
            }
            hasReported = true;
            issuedMicros = Math.min(nowMicros, report.clockMicros() + leastOffsetMicros);
        }

        /** Whether the site's last report says that it would choose this one next. */
        private boolean plans(Tag next, Predicate<Tag> isIncorporated) {
            if (lastAnchored != null) {
                // Made when it is first asked for: where arcs are marked nobody asks.
                plan = Plan.of(lastAnchored, MOST_PLANNED);
                lastAnchored = null;
            }
            return plan.agrees(next, isIncorporated);
        }
    }

    Sites(int maxSites, long absenceMicros) {
        this.maxSites = maxSites;
        this.absenceMicros = absenceMicros;
    }

    /**
     * A PDU of the site came; null if there is no room for one more site.
     *
     * @param deliveredEnd where a site begins that was not known: it cannot ask for what is before
     */
    @Nullable
    Site heard(long origin, long deliveredEnd, long nowMicros) {
        forgetAbsent(nowMicros);
        Site site = sites.get(origin);
        if (site == null) {
            if (sites.size() >= maxSites) {
                return null;
            }
            site = new Site();
            site.deliveredEnd = deliveredEnd;
            sites.put(origin, site);
        }
        site.heardMicros = nowMicros;
        return site;
    }

    /**
     * Whether each present site has told lately that it would choose alike; one that follows another sequence does not, until
     * one of the two begins anew. A report that was issued
     * too long ago, by its clock, does not count: the others may have given this site up since then.
     */
    boolean allPlan(Tag next, Predicate<Tag> isIncorporated, long nowMicros) {
        for (Site site : sites.values()) {
            boolean asked = !site.hasReported || site.anchored;
            boolean fresh = nowMicros - site.issuedMicros <= absenceMicros / 2;
            if (asked && !(site.inSync && fresh && site.plans(next, isIncorporated))) {
                return false;
            }
        }
        return true;
    }

    /** Whether no site that has a place in the order, and is present, has a greater origin than this one. */
    boolean isGreatest(long self) {
        for (Map.Entry<Long, Site> each : sites.entrySet()) {
            if (each.getValue().anchored && Long.compareUnsigned(each.getKey(), self) > 0) {
                return false;
            }
        }
        return true;
    }

    void forgetAbsent(long nowMicros) {
        sites.values().removeIf(site -> nowMicros - site.heardMicros > absenceMicros);
    }

    boolean isPresent(long origin) {
        return sites.containsKey(origin);
    }

    int size() {
        return sites.size();
    }

    boolean isEmpty() {
        return sites.isEmpty();
    }

    /** When the next site becomes absent. */
    long nextAbsenceMicros() {
        long next = Long.MAX_VALUE;
        for (Site site : sites.values()) {
            next = Math.min(next, site.heardMicros + absenceMicros + 1);
        }
        return next;
    }

    /** Below it all present sites of this site's sequence have delivered everything. */
    long concludedEnd(long own) {
        long end = own;
        for (Site site : sites.values()) {
            if (site.inSync) {
                end = Math.min(end, site.deliveredEnd);
            }
        }
        return end;
    }

    /** How many sites come before this one after that one has reported: turns go round by origins. */
    int turn(long reporter, long self) {
        int before = 0;
        for (long each : sites.keySet()) {
            if (each != reporter && isBetween(reporter, each, self)) {
                before++;
            }
        }
        return before;
    }

    private static boolean isBetween(long from, long each, long to) {
        long distance = each - from;
        return Long.compareUnsigned(distance, to - from) < 0;
    }

    /** Whether the sites that follow another sequence are the greater camp; of equal ones the one with the greatest origin. */
    boolean othersPrevail(long self) {
        int with = 1;
        int against = 0;
        long greatestWith = self;
        long greatestAgainst = 0;
        for (Map.Entry<Long, Site> each : sites.entrySet()) {
            if (!each.getValue().anchored) {
                continue;
            }
            long origin = each.getKey();
            if (each.getValue().inSync) {
                with++;
                greatestWith = Long.compareUnsigned(origin, greatestWith) > 0 ? origin : greatestWith;
            } else {
                against++;
                greatestAgainst = Long.compareUnsigned(origin, greatestAgainst) > 0 ? origin : greatestAgainst;
            }
        }
        return against > with || (against == with && Long.compareUnsigned(greatestAgainst, greatestWith) > 0);
    }

    /** This site has a new sequence: nothing is known of how far others are in it. */
    void restart(long deliveredEnd) {
        sites.values().forEach(site -> {
            site.deliveredEnd = deliveredEnd;
            site.inSync = true;
        });
    }

    void clear() {
        sites.clear();
    }
}
