package org.amo.interceptors.server;

/** A servant's state cannot be taken; the message gives the cause and the remedy, in one line. */
final class NoStateException extends Exception {
    private static final long serialVersionUID = 1L;

    NoStateException(String message) {
        super(message);
    }

    NoStateException(String message, Throwable cause) {
        super(message, cause);
    }
}
