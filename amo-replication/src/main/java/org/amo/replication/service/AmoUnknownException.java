package org.amo.replication.service;

import org.amo.base.Stable;

/**
 * Whether the call ran is unknown, now and later: an attempt left, and no member reported its outcome within the deadline.
 * The call ran once or not at all; calling again could run it a second time.
 */
@Stable
public final class AmoUnknownException extends AmoException {
    private static final long serialVersionUID = 1L;

    AmoUnknownException(String message) {
        super(message);
    }

    @Override
    public boolean mayHaveRun() {
        return true;
    }
}
