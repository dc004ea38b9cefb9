package org.amo.replication.service;

/** A request that no proxy of the service's interface wrote; a member's reply to it. The message is one line. */
final class AmoProtocolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AmoProtocolException(String message) {
        super(message);
    }
}
