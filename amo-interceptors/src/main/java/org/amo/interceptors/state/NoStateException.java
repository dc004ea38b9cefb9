package org.amo.interceptors.state;

/** A servant's state cannot be taken; the message gives the cause and the remedy, in one line. */
public final class NoStateException extends Exception {
    private static final long serialVersionUID = 1L;

    public NoStateException(String message) {
        super(message);
    }

    public NoStateException(String message, Throwable cause) {
        super(message, cause);
    }
}
