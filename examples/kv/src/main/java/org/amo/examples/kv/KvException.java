package org.amo.examples.kv;

/** Signals that a call has no result; the message states all that is certain. */
public class KvException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public KvException(String message) {
        super(message);
    }

    public KvException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Whether the call may have had its effect, so that repeating it could have it twice. */
    public boolean mayHaveRun() {
        return false;
    }
}
