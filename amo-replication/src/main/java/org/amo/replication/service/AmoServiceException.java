package org.amo.replication.service;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.Stable;

/** The call ran, once, and the service threw. That is its reply, which every attempt gets. */
@Stable
public final class AmoServiceException extends AmoException {
    private static final long serialVersionUID = 1L;

    private final String type;
    private final String serviceMessage;
    private final transient List<String> above;

    /** @param above names of the classes above it, the nearest first */
    AmoServiceException(String type, String message, List<String> above) {
        super(message.isEmpty() ? type : type + ": " + message);
        this.type = type;
        this.serviceMessage = message;
        this.above = List.copyOf(above);
    }

    /** The names of the thrown class and of those above it, the nearest first. */
    List<String> types() {
        List<String> types = new ArrayList<>();
        types.add(type);
        types.addAll(above);
        return types;
    }

    /** Name of the class that the service threw. */
    public String type() {
        return type;
    }

    /** Message of the thrown exception; empty if it had none. */
    public String serviceMessage() {
        return serviceMessage;
    }

    @Override
    public boolean mayHaveRun() {
        return true;
    }
}
