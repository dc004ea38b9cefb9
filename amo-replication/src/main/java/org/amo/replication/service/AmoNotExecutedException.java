package org.amo.replication.service;

import java.util.Optional;
import org.amo.core.request.Refusal;

/** The call certainly did not run and never will. It may be called again. */
public final class AmoNotExecutedException extends AmoException {
    private static final long serialVersionUID = 1L;

    private final transient Optional<Refusal> reason;

    AmoNotExecutedException(String message, Optional<Refusal> reason) {
        super(message);
        this.reason = reason;
    }

    /** What the group said; empty when no member could be reached. */
    public Optional<Refusal> reason() {
        return reason;
    }

    @Override
    public boolean mayHaveRun() {
        return false;
    }
}
