package org.amo.replication.service;

/** The call ran, once, and the service threw. That is its reply, which every copy gets. */
public final class AmoServiceException extends AmoException {
    private static final long serialVersionUID = 1L;

    private final String type;
    private final String serviceMessage;

    AmoServiceException(String type, String message) {
        super(message.isEmpty() ? type : type + ": " + message);
        this.type = type;
        this.serviceMessage = message;
    }

    /** Name of the class that the service threw. */
    public String type() {
        return type;
    }

    /** What it said; empty if nothing. */
    public String serviceMessage() {
        return serviceMessage;
    }

    @Override
    public boolean mayHaveRun() {
        return true;
    }
}
