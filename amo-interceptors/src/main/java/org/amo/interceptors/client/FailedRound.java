package org.amo.interceptors.client;

import org.slf4j.Logger;

/** Tells that a round of a thread failed which all calls need. It throws nothing, so that the thread goes on without memory, too. */
final class FailedRound {
    private FailedRound() {}

    static void tell(Logger log, String text, Throwable failure) {
        try {
            log.error(text, failure);
        } catch (RuntimeException | Error e) {
            // The next round matters more than the line.
        }
    }
}
