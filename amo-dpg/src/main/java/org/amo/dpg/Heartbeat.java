package org.amo.dpg;

/**
 * When the next 'report' PDU of this site is due (section 4.4).
 *
 * <p>Another's report delays the own one, by turns, for Report_Cycle; for half of it if the other site knows less. Then whoever
 * reports next tells what is lacking, so that the next report delays the own one again: reports come at most twice in Report_Cycle
 * however many sites there are, where the paper's waiver has all of them report. Invariant: of three or more sites each reports once
 * a round, whoever else has more to say.
 */
final class Heartbeat {
    private final long reportMicros;
    private final Life life;
    private final Sites sites;
    private final long self;
    private long dueMicros;
    private long sentMicros;
    private boolean urgent;

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
        urgent = false;
        sentMicros = nowMicros;
        dueMicros = nowMicros + reportMicros + staggerMicros() * sites.size();
    }

    /**
     * Another's report delays the own one, by turns.
     *
     * @param waive if the other site knows less: then the own one comes sooner
     * @param urgently if the two do not meet: then no report of a third site is waited for
     */
    void onReport(long reporter, boolean waive, boolean urgently, long nowMicros) {
        long turn = staggerMicros() * sites.turn(reporter, self);
        long next = nowMicros + (waive ? reportMicros / 2 : reportMicros) + turn;
        life.counters.waived += waive ? 1 : 0;
        // Not for ever: a site that hears nobody reports every Report_Cycle and would silence all others.
        long round = (reportMicros + staggerMicros()) * (2 + sites.size());
        dueMicros = Math.min(urgent ? Math.min(dueMicros, next) : next, sentMicros + round);
        urgent |= waive && urgently;
    }

    /** What was chosen here among several the others should hear before they choose otherwise, or somebody takes a place between. */
    void onChosen(long nowMicros) {
        dueMicros = Math.min(dueMicros, Math.max(nowMicros, sentMicros + reportMicros / 2));
        urgent = true;
    }

    private long staggerMicros() {
        return Math.max(1, reportMicros / 8);
    }
}
