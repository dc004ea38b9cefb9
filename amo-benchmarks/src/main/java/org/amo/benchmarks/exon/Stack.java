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

    /** Sends messages of that size, as fast as it may. */
    Flow oneWay(LinkEmulator link, int bytes) throws Exception;

    /** So many actors, each of which sends a request, waits for a reply of the same size and sends the next. */
    Flow calls(LinkEmulator link, int bytes, int actors) throws Exception;
}
