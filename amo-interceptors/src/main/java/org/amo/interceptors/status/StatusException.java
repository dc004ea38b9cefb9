package org.amo.interceptors.status;

/** A replica's status could not be had. The message is one line. */
public final class StatusException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What answered, if anything. */
    public enum Cause {
        /** Nobody listens there. */
        UNREACHABLE,
        /** Somebody does, who is no replica of amo. */
        NO_REPLICA
    }

    private final Cause reason;

    StatusException(Cause reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Cause reason() {
        return reason;
    }
}
