package org.amo.kv;

/** Signals that a call has no result; the message states all that is certain. */
public class KvException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public KvException(String message) {
        super(message);
    }

    /** Whether the call may have had its effect, so that repeating it could have it twice. */
    public boolean mayHaveRun() {
        return false;
    }
}
