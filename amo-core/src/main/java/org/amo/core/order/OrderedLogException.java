package org.amo.core.order;

/** The ordered log cannot start or go on. The message is one line: the cause and the remedy. */
public final class OrderedLogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The party at fault, which decides the exit code of the command line. */
    public enum Fault {
        /** The user's mistake: exit code 2. */
        USER,
        /** The environment's: exit code 3. */
        ENVIRONMENT
    }

    private final Fault fault;

    public OrderedLogException(Fault fault, String message) {
        super(message);
        this.fault = fault;
    }

    public OrderedLogException(Fault fault, String message, Throwable cause) {
        super(message, cause);
        this.fault = fault;
    }

    public Fault fault() {
        return fault;
    }
}
