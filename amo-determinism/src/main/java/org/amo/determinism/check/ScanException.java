package org.amo.determinism.check;

/** The scan has nothing to begin with; the message says the cause and the remedy. */
public final class ScanException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ScanException(String message) {
        super(message);
    }
}
