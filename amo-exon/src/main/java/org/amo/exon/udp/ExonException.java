package org.amo.exon.udp;

import org.amo.exon.Outcome;

/** A message was not delivered, or its delivery is unknown; or a request got no reply. */
public final class ExonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Outcome outcome;

    ExonException(Outcome outcome, String message) {
        super(message);
        this.outcome = outcome;
    }

    /** NOT_SENT: certainly not delivered. UNKNOWN: perhaps. DELIVERED: the request arrived, and its handler failed. */
    public Outcome outcome() {
        return outcome;
    }

    /** Whether it may have had its effect, so that repeating it could have it twice. */
    public boolean mayHaveRun() {
        return outcome != Outcome.NOT_SENT;
    }
}
