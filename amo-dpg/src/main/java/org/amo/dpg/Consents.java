package org.amo.dpg;

import java.util.ArrayDeque;

/**
 * The consents that this site has given: each report of its own tells which message it would put behind which other one. Another
 * site may use such a consent while the report counts. Until then this site must not put another message there by itself: it would
 * part from a site that did so.
 */
final class Consents {
    private final long countMicros;
    /** The reports that may count somewhere, the oldest first. */
    private final ArrayDeque<Given> given = new ArrayDeque<>();

    private record Given(long atMicros, Plan plan) {}

    Consents(DpgOptions options) {
        // A report counts as younger than it is by its least delay, which is less than a cycle of reports.
        this.countMicros = options.consentMicros() + options.reportMicros();
    }

    /** This site issues a report. */
    void give(Report report, long clockMicros) {
        forget(clockMicros);
        given.add(new Given(clockMicros, Plan.of(report)));
    }

    /** Whether no other site may have this site's consent to another message right behind the one. */
    boolean allow(Tag latest, Tag next, long clockMicros) {
        forget(clockMicros);
        for (Given each : given) {
            if (each.plan.disagrees(latest, next)) {
                return false;
            }
        }
        return true;
    }

    private void forget(long clockMicros) {
        while (!given.isEmpty() && clockMicros - given.element().atMicros > countMicros) {
            given.remove();
        }
    }
}
