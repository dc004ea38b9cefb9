package org.amo.replication.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.base.Stable;

/** The call ran, once, and the service threw. That is its reply, which every attempt gets. */
@Stable
public final class AmoServiceException extends AmoException {
    private static final long serialVersionUID = 1L;

    private final String type;
    private final String serviceMessage;
    private final transient List<String> above;
    private final transient Map<String, ExceptionFields.Written> data;

    /**
     * @param above names of the classes above it, the nearest first
     * @param data of these classes and of its own, by their names
     */
    AmoServiceException(String type, String message, List<String> above, Map<String, ExceptionFields.Written> data) {
        super(message.isEmpty() ? type : type + ": " + message);
        this.type = type;
        this.serviceMessage = message;
        this.above = List.copyOf(above);
        this.data = Map.copyOf(data);
    }

    /** The names of the thrown class and of those above it, the nearest first. */
    List<String> types() {
        List<String> types = new ArrayList<>();
        types.add(type);
        types.addAll(above);
        return types;
    }

    /** The data of one of these classes; empty if it has none, or none came. */
    Optional<ExceptionFields.Written> data(String className) {
        return Optional.ofNullable(data.get(className));
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
