package org.amo.core.replica;

/** A member did not answer an operator's question. The message is one line. */
public final class AdministrationException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kind of failure: no answer, or one from another program. */
    public enum Cause {
        /** No process listens there. */
        UNREACHABLE,
        /** A process listens there and gives no answer yet: it hangs, joins its group, or has too much to do. */
        SILENT,
        /** A process listens there, but it is no member of amo, or serves clients of another kind. */
        NO_MEMBER,
        /** It is a member, and does not answer this caller. */
        REFUSED
    }

    private final Cause reason;

    public AdministrationException(Cause reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** The kind of failure. */
    public Cause reason() {
        return reason;
    }
}
