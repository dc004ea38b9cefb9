package org.amo.dpg;

import java.util.ArrayDeque;

/**
 * The consents that this site has given: each report of its own tells which message it would put behind which other one. Another
 * site may use such a consent while the report counts. Until then this site must not put another message there by itself: it would
 * part from a site that did so.
 */
final class Consents {
    private final long countMicros;
    /** The reports of the last time that one may count, and of the one before; the oldest first. */
    private final ArrayDeque<Given> given = new ArrayDeque<>();

    private record Given(long atMicros, Plan plan) {}

    Consents(DpgOptions options) {
        // A report counts as younger than it is by its least delay, which is less than a cycle of reports.
        this.countMicros = options.consentMicros() + options.reportMicros();
    }

    /** For so long after it was issued a report may count. */
    long countMicros() {
        return countMicros;
    }

    /** This site issues a report. */
    void give(Report report, long clockMicros) {
        while (!given.isEmpty() && clockMicros - given.element().atMicros > 2 * countMicros) {
            given.remove();
        }
        given.add(new Given(clockMicros, Plan.of(report)));
    }

    /**
     * Whether no other site may have this site's consent to another message right behind the one.
     *
     * @param times 1 for the reports that may count now, 2 for those too that may have counted when others sent reports that count now
     */
    boolean allow(Tag latest, Tag next, long clockMicros, int times) {
        for (Given each : given) {
            if (clockMicros - each.atMicros <= times * countMicros && each.plan.disagrees(latest, next)) {
                return false;
            }
        }
        return true;
    }
}
