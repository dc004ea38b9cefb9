package org.amo.jdbc;

import org.amo.base.Experimental;

/**
 * A call got no reply. The message tells the cause and the remedy in one line; {@link #reason} tells a program the same. Whether the
 * call has run is said by each reason.
 */
@Experimental
public final class OnceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why a call got no reply. */
    public enum Reason {
        /** Another request was sent under this key before. This attempt did not run. HTTP: 422. */
        KEY_REUSED,
        /** Another attempt with this key has run all the time. This one did not run; retry later. HTTP: 409. */
        IN_PROGRESS,
        /** The key carries a time behind the retention, so its record may be gone. This attempt did not run, an earlier one may have. */
        KEY_TOO_OLD,
        /** The key carries a time too far ahead of the database's clock. This attempt did not run. */
        KEY_AHEAD,
        /** The call did not run, and no attempt of it that has been made until now will. A retry under the same key may run. */
        NOT_EXECUTED,
        /** The commit was sent, and the database has not told its outcome. A retry with the same key finds out. */
        UNKNOWN,
        /** The tables of amo-jdbc are missing, older or newer. The call did not run. */
        SCHEMA
    }

    OnceException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    OnceException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
