package org.amo.lab.load;

/** A call ended without a reply. */
final class CallFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean certain;
    private final String reason;

    /**
     * @param certain whether it certainly did not run
     * @param reason one word, for the history
     * @param text without the call's id, so that calls that end alike can be counted
     */
    CallFailedException(boolean certain, String reason, String text, Throwable cause) {
        super(text, cause);
        this.certain = certain;
        this.reason = reason;
    }

    boolean certain() {
        return certain;
    }

    String reason() {
        return reason;
    }
}
