package org.amo.dpg;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the sites heard lately: a guess at the present sites. It is used for four things only: which messages may be
 * removed, which site's turn it is to report, which plans are asked for, and on which side this site is after a partition.
 * Sites do not agree on it.
 */
final class Sites {
    private final int maxSites;
    private final long absenceMicros;
    private final long freshMicros;
    private final long patienceMicros;
    private final long rateWindowMicros;
    private final Map<Long, Site> sites = new HashMap<>();
    /** Clocks of sites that an earlier spell heard and this one has not: they tell which of the unread reports are old. */
    private final Map<Long, RemoteClock> knownClocks = new HashMap<>();
    /** Whether any other that had a place in the order was ever heard. */
    private boolean hadCompany;

    private boolean wasAlone;
    private int timesAlone;
    private long togetherSinceMicros = Long.MAX_VALUE;
    /** Whether some site may not follow this one's order, so that to ask costs nothing while all do. */
    private boolean outOfSync;
    /** No site is absent before. Later receptions do not raise it, so that it costs nothing at each of them. */
    private long absentFromMicros = Long.MAX_VALUE;

    private long listeningSinceMicros;
    private long pausedMicros = Long.MIN_VALUE;
    /** By the clock: the end of the last pause in which the others may have taken this site for absent. */
    private long wokeMicros = Long.MIN_VALUE;

    private long clockMicros;

    static final class Site {
        long heardMicros;
        long lastReport;
        boolean anchored;
        private boolean alone;
        boolean inSync = true;
        private boolean parted;
        /** By the clock: since when it is not in sync. */
        private long apartSinceMicros = Long.MAX_VALUE;
        /** All below it is delivered there, or comes before its segment; in positions of this site's order. */
        long deliveredEnd;

        /** What its last report says that it would choose. */
        private Plan plan = Plan.NONE;

        private final RemoteClock clock;

        private Site(RemoteClock clock) {
            this.clock = clock;
        }

        private boolean hasReported() {
            return lastReport > 0;
        }

        private long issuedMicros() {
            return clock.issuedMicros();
        }

        private void onReport(Report report, long clockMicros) {
            lastReport = report.number();
            anchored = report.anchored();
            alone = report.isAlone();
            plan = Plan.of(report);
            clock.onReport(report.clockMicros(), clockMicros);
        }
    }

    Sites(DpgOptions options, long nowMicros) {
        this.maxSites = options.maxSites();
        this.absenceMicros = options.absenceMicros();
        this.freshMicros = options.consentMicros();
        this.patienceMicros = options.giveUpMicros();
        this.rateWindowMicros = options.rateWindowMicros();
        this.listeningSinceMicros = nowMicros;
    }

    /** The sites of the spell before: what it learned of their clocks holds in this one, too. */
    void follow(Sites before) {
        clockMicros = before.clockMicros;
        before.sites.forEach((origin, site) -> knownClocks.put(origin, site.clock));
        before.knownClocks.forEach((origin, clock) -> {
            if (knownClocks.size() < 2 * maxSites) {
                knownClocks.putIfAbsent(origin, clock);
            }
        });
    }

    /** An input came; the age of reports is told by clocks, not by the time that cycles run by. */
    void onClock(long nowMicros) {
        clockMicros = nowMicros;
    }

    long clockMicros() {
        return clockMicros;
    }

    void onReport(Site site, Report report) {
        site.onReport(report, clockMicros);
        hadCompany |= site.anchored;
    }

    /** The site sends: only a site with a place in the order does, regardless of its last report. */
    void onMessage(Site site) {
        site.anchored = true;
        hadCompany = true;
    }

    boolean isInSync(long origin) {
        Site site = sites.get(origin);
        return site != null && site.inSync && isFollowed(site);
    }

    /**
     * @param meet whether the ends of the two orders meet
     * @param parted whether they part behind a common message; then they are two sequences for good, also when that place is
     *     no longer told
     */
    void compared(Site site, boolean meet, boolean parted) {
        site.parted |= parted;
        site.inSync = meet && !site.parted;
        site.apartSinceMicros = site.inSync ? Long.MAX_VALUE : Math.min(site.apartSinceMicros, clockMicros);
        outOfSync |= !site.inSync;
    }

    /** How much faster than here the median of the present sites' clocks runs, this one's among them, in millionths. */
    double clockRateMillionths() {
        List<Double> rates = new ArrayList<>();
        rates.add(0.0);
        for (Site site : sites.values()) {
            if (site.clock.hasRate()) {
                rates.add(site.clock.millionths());
            }
        }
        Collections.sort(rates);
        int middle = rates.size() / 2;
        return rates.size() % 2 == 1 ? rates.get(middle) : (rates.get(middle - 1) + rates.get(middle)) / 2;
    }

    /** Since when this site would have heard the others, pauses of its own left out. */
    long listeningSinceMicros() {
        return listeningSinceMicros;
    }

    /**
     * Whether all others had gone, and none has told since that it is where this site is. No site can tell whether they left
     * or this site was cut off: this site goes on by itself.
     */
    boolean wasAlone() {
        return wasAlone;
    }

    /** How often all others had gone. */
    int timesAlone() {
        return timesAlone;
    }

    /**
     * Another site is where this site is. If that site was alone too, all may have been; else one that was not is heard
     * before long.
     */
    void onCompany(boolean thatWasAlone, long nowMicros) {
        togetherSinceMicros = Math.min(togetherSinceMicros, nowMicros);
        if (!thatWasAlone || nowMicros - togetherSinceMicros > absenceMicros) {
            wasAlone = false;
        }
    }

    /** Whether its order and its plans count here: not if it was alone, unless this site was too. */
    private boolean isFollowed(Site site) {
        return site.anchored && (!site.alone || wasAlone);
    }

    /** Whether no site with a place in the order is present: a site that only listens tells nothing of the order. */
    boolean isAlone() {
        for (Site site : sites.values()) {
            if (site.anchored) {
                return false;
            }
        }
        return true;
    }

    /**
     * A PDU of the site came; null if there is no room for one more site.
     *
     * @param deliveredEnd where a site begins that was not known: it cannot ask for earlier messages
     */
    @Nullable
    Site heard(long origin, long deliveredEnd, long nowMicros) {
        forgetAbsent(nowMicros);
        Site site = sites.get(origin);
        if (site == null) {
            if (sites.size() >= maxSites) {
                return null;
            }
            RemoteClock known = knownClocks.remove(origin);
            site = new Site(known == null ? new RemoteClock(rateWindowMicros) : known);
            site.deliveredEnd = deliveredEnd;
            sites.put(origin, site);
            absentFromMicros = Math.min(absentFromMicros, nowMicros + absenceMicros + 1);
        }
        site.heardMicros = nowMicros;
        return site;
    }

    /**
     * Whether each present site has told lately that it would choose alike, right behind the same message; one that follows
     * another sequence does not, until one of the two begins anew. A report that was issued too long ago, by its clock, does
     * not count: the others may have given this site up since then.
     */
    boolean allPlan(Tag latest, Tag next) {
        return allTold(plan -> plan.agrees(latest, next));
    }

    /** Whether each present site has told lately that it waits right behind this message, too. */
    boolean allWait(Tag latest) {
        return allTold(plan -> plan.waits(latest));
    }

    private boolean allTold(Predicate<Plan> told) {
        for (Site site : sites.values()) {
            boolean asked = !site.hasReported() || isFollowed(site);
            if (asked && !(site.inSync && isFresh(site) && told.test(site.plan))) {
                return false;
            }
            // A site that listened a while ago may have its place by now, and decide.
            if (!asked && !site.anchored && !isFresh(site)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the site's last report was issued too long ago: it lay unread while this site was paused. */
    boolean isOutdated(long origin) {
        Site site = sites.get(origin);
        return site != null && !isFresh(site);
    }

    private boolean isFresh(Site site) {
        return clockMicros - site.issuedMicros() <= freshMicros;
    }

    /** Whether no site that has a place in the order, and is present, has a greater origin than this one. */
    boolean isGreatest(long self) {
        for (Map.Entry<Long, Site> each : sites.entrySet()) {
            if (isFollowed(each.getValue()) && Long.compareUnsigned(each.getKey(), self) > 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * For so long this site did not listen: it does not know whether the others were silent.
     *
     * @return whether it was so long that the others may have taken this site for absent
     */
    boolean excuse(long micros, long nowMicros) {
        sites.values().forEach(site -> site.heardMicros += micros);
        listeningSinceMicros += micros;
        pausedMicros = nowMicros;
        if (micros < absenceMicros / 2) {
            return false;
        }
        wokeMicros = clockMicros;
        return true;
    }

    /**
     * Whether this site stood still for long, and a present site has not reported since then. The others may have decided otherwise than
     * this site does by what it knew, and by the reports that it finds unread.
     */
    boolean isJustAwake() {
        if (wokeMicros == Long.MIN_VALUE) {
            return false;
        }
        for (Site site : sites.values()) {
            if (isFollowed(site) && site.issuedMicros() < wokeMicros) {
                return true;
            }
        }
        wokeMicros = Long.MIN_VALUE;
        return false;
    }

    /** For how long this site has listened without a pause. */
    long listenedMicros(long nowMicros) {
        return nowMicros - Math.max(listeningSinceMicros, pausedMicros);
    }

    void forgetAbsent(long nowMicros) {
        if (nowMicros < absentFromMicros) {
            return;
        }
        boolean any = sites.values().removeIf(site -> nowMicros - site.heardMicros > absenceMicros);
        absentFromMicros = Long.MAX_VALUE;
        for (Site site : sites.values()) {
            absentFromMicros = Math.min(absentFromMicros, site.heardMicros + absenceMicros + 1);
        }
        if (any && hadCompany && isAlone()) {
            wasAlone = true;
            timesAlone++;
            togetherSinceMicros = Long.MAX_VALUE;
        }
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

    /** When {@link #forgetAbsent} may find an absent site. */
    long nextAbsenceMicros() {
        return absentFromMicros;
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

    /**
     * Whether the sites that follow another sequence are the greater camp; of equal ones the one with the greatest origin.
     * Only sites that have reported lately count: a site that was cut off does not know the others' progress since then.
     */
    boolean othersPrevail(long self) {
        if (!outOfSync) {
            return false;
        }
        outOfSync = false;
        int with = 1;
        int against = 0;
        long greatestWith = self;
        long greatestAgainst = 0;
        for (Map.Entry<Long, Site> each : sites.entrySet()) {
            outOfSync |= !each.getValue().inSync;
            if (!isFollowed(each.getValue()) || !isFresh(each.getValue())) {
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

    /**
     * Whether a site with a greater origin has followed another sequence for long. Sites may count the camps differently: one that has not
     * told where the two sequences part is counted by both.
     */
    boolean mustYield(long self) {
        for (Map.Entry<Long, Site> each : sites.entrySet()) {
            Site site = each.getValue();
            if (isFollowed(site)
                    && isFresh(site)
                    && clockMicros - site.apartSinceMicros >= patienceMicros
                    && Long.compareUnsigned(each.getKey(), self) > 0) {
                return true;
            }
        }
        return false;
    }

    /** This site has a new sequence: nothing is known of how far others are in it. */
    void restart(long deliveredEnd) {
        wasAlone = false;
        sites.values().forEach(site -> {
            site.deliveredEnd = deliveredEnd;
            site.inSync = true;
            site.apartSinceMicros = Long.MAX_VALUE;
        });
    }
}
