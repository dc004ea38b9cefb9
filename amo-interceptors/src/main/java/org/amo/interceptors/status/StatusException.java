package org.amo.interceptors.status;

/** A replica's status could not be had. The message is one line. */
public final class StatusException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kind of failure: no answer, or one from another program. */
    public enum Cause {
        /** No process listens there. */
        UNREACHABLE,
        /** A process listens there and gives no answer yet: it hangs, joins its group, or has too much to do. */
        SILENT,
        /** A process listens there, but it is no replica of amo. */
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
