package org.amo.replication.service;

import org.amo.base.Stable;

/** Ends a call that gave no reply. Its class says whether the call ran, did not run, or may have run. */
@Stable
public abstract sealed class AmoException extends RuntimeException
        permits AmoNotExecutedException, AmoReadException, AmoServiceException, AmoUnknownException {
    private static final long serialVersionUID = 1L;

    AmoException(String message) {
        super(message);
    }

    /** Whether the call may have had its effect, so that repeating it could have it twice. */
    public abstract boolean mayHaveRun();
}
