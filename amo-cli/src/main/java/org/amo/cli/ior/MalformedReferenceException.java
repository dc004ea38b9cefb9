package org.amo.cli.ior;

/** Signals that the input is no object reference; the message says where it goes wrong. */
final class MalformedReferenceException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedReferenceException(String message) {
        super(message);
    }
}
