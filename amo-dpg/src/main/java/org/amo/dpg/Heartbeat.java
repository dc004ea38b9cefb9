package org.amo.dpg;

/**
 * Decides when the next 'report' PDU of this site is due (section 4.4).
 *
 * <p>A report of another site delays this site's, by turns, for Report_Cycle; for half of it if the other site knows less.
 * Then the site that reports next tells the missing part, so that its report delays this site's again. Reports come at most
 * twice in Report_Cycle for any number of sites, where the paper's waiver makes all of them report. Invariant: of three or
 * more sites each reports once a round, even if others have more to say.
 */
final class Heartbeat {
    private final long reportMicros;
    private final SiteContext life;
    private final Sites sites;
    private final long self;
    private long dueMicros;
    private long sentMicros;
    private boolean urgent;

    /** The first one is due at once. */
    Heartbeat(SiteContext life, Sites sites, long self, long nowMicros) {
        this.life = life;
        this.reportMicros = life.options.reportMicros();
        this.sites = sites;
        this.self = self;
        this.dueMicros = nowMicros;
        this.sentMicros = nowMicros;
    }

    long dueMicros() {
        return dueMicros;
    }

    void onSent(long nowMicros) {
        urgent = false;
        sentMicros = nowMicros;
        dueMicros = nowMicros + reportMicros + staggerMicros() * sites.size();
    }

    /**
     * A report of another site delays this site's, by turns.
     *
     * @param waive if the other site knows less: then this site's report comes sooner
     * @param urgently if the two do not meet: then no report of a third site is waited for
     */
    void onReport(long reporter, boolean waive, boolean urgently, long nowMicros) {
        long turn = staggerMicros() * sites.turn(reporter, self);
        long next = nowMicros + (waive ? reportMicros / 2 : reportMicros) + turn;
        life.counters.waived += waive ? 1 : 0;
        // Not for ever: a site that hears no other reports every Report_Cycle and would silence all others.
        long round = (reportMicros + staggerMicros()) * (2 + sites.size());
        dueMicros = Math.min(urgent ? Math.min(dueMicros, next) : next, sentMicros + round);
        urgent |= waive && urgently;
    }

    /** Others should hear of a choice among several before they choose otherwise, or a site takes a place between. */
    void onChosen(long nowMicros) {
        dueMicros = Math.min(dueMicros, Math.max(nowMicros, sentMicros + reportMicros / 2));
        urgent = true;
    }

    private long staggerMicros() {
        return Math.max(1, reportMicros / 8);
    }
}
