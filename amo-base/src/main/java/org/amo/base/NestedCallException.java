package org.amo.base;

/**
 * An operation of a replicated service made a call to an object outside of it. The call was not sent. The message is one
 * line and the same at every member, so it may become the operation's reply.
 */
public final class NestedCallException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public NestedCallException(String message) {
        super(message);
    }

    /** False: the call was not sent. */
    public boolean mayHaveRun() {
        return false;
    }
}
