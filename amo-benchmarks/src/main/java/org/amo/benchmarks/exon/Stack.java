package org.amo.benchmarks.exon;

import java.util.Optional;
import org.amo.benchmarks.link.LinkEmulator;

/** A stack under comparison: a way to take messages from the left of a link to its right. */
interface Stack {
    /** With its congestion control, as it stands in rows and plots. */
    String name();

    /** Why it cannot run here, if it cannot. */
    default Optional<String> missing() {
        return Optional.empty();
    }

    /**
     * Sends messages of that size.
     *
     * @param actors each of which sends a request, waits for a reply of the same size and sends the next; 0 for messages one
     *     way, as fast as it may send them
     */
    Flow flow(LinkEmulator link, int bytes, int actors) throws Exception;
}
