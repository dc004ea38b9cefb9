package org.amo.cli;

/** Signals that the input is no object reference; the message says where it goes wrong. */
final class MalformedReferenceException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedReferenceException(String message) {
        super(message);
    }
}
