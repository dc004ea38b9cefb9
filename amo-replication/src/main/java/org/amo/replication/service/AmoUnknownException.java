package org.amo.replication.service;

/**
 * Nobody can tell whether the call ran, now or later: a copy of it left, and no member said what became of it within the
 * deadline. It ran once or not at all; calling again could run it a second time.
 */
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
