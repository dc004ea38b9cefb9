package org.amo.benchmarks.link;

/** There can be no link here; the message says the cause and the remedy. */
public final class LinkUnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    LinkUnavailableException(String message) {
        super(message);
    }
}
