package org.amo.core.dpg;

/** When the next 'report' PDU of this site is due (section 4.4). */
final class Heartbeat {
    private final long reportMicros;
    private final Life life;
    private final Sites sites;
    private final long self;
    private long dueMicros;
    private long sentMicros;
    private boolean waived;

    /** The first one is due at once. */
    Heartbeat(Life life, Sites sites, long self, long nowMicros) {
        this.life = life;
        this.reportMicros = life.options.reportMicros;
        this.sites = sites;
        this.self = self;
        this.dueMicros = nowMicros;
        this.sentMicros = nowMicros;
    }

    long dueMicros() {
        return dueMicros;
    }

    void onSent(long nowMicros) {
        waived = false;
        sentMicros = nowMicros;
        dueMicros = nowMicros + reportMicros + staggerMicros() * sites.size();
    }

    /**
     * Another's report delays the own one, by turns.
     *
     * @param waive if the other site knows less: then the own one comes soon instead
     */
    void onReport(long reporter, boolean waive, long nowMicros) {
        long turn = staggerMicros() * sites.turn(reporter, self);
        if (waive && !waived) {
            life.counters.waived++;
            waived = true;
            dueMicros = Math.min(dueMicros, nowMicros + reportMicros / 2 + turn);
        } else if (!waived) {
            // Not for ever: a site that hears nobody reports every Report_Cycle and would silence all others.
            long turns = (reportMicros + staggerMicros()) * (sites.size() + 2);
            dueMicros = Math.min(nowMicros + reportMicros + turn, Math.max(nowMicros, sentMicros + turns));
        }
    }

    private long staggerMicros() {
        return Math.max(1, reportMicros / 8);
    }
}
