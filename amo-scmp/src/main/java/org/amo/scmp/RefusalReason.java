package org.amo.scmp;

import java.util.Optional;

/** Why a server did not run this copy of a call. */
public enum RefusalReason {
    /** At or below the bound: perhaps it ran once, perhaps never; it will not run now. */
    STALE(1),
    /** Beyond {@code latest}. Another copy may be accepted later. */
    TOO_EARLY(2),
    /** No room for a connection, an execution or a reply. Another copy may be accepted later. */
    OVERLOADED(3),
    /** There is no such service. Services do not change in a server's life, so it never ran and never will. */
    NO_SUCH_SERVICE(4),
    /** A retransmission without arguments of a call that this server does not know: it restarted, or forgot it. */
    UNKNOWN_CALL(5);

    private final int code;

    RefusalReason(int code) {
        this.code = code;
    }

    /** The code on the wire: 1 to 5. */
    public int code() {
        return code;
    }

    public static Optional<RefusalReason> ofCode(int code) {
        return code < 1 || code > values().length ? Optional.empty() : Optional.of(values()[code - 1]);
    }
}
