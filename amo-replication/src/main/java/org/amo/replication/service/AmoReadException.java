package org.amo.replication.service;

import org.amo.base.Experimental;

/** A read has no result: no member gave one within its deadline. A read has no effect, so it may be called again. */
@Experimental
public final class AmoReadException extends AmoException {
    private static final long serialVersionUID = 1L;

    AmoReadException(String message) {
        super(message);
    }

    @Override
    public boolean mayHaveRun() {
        return false;
    }
}
