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

    /** A file that is whole, and that another version of amo wrote. To remove it would lose what the member must not forget. */
    public static OrderedLogException ofOtherVersion(Object file, int version) {
        return new OrderedLogException(
                Fault.USER,
                file + " has version " + version + ", which another version of amo wrote; start the member with that"
                        + " version of amo (docs/how-to/upgrade.md)");
    }

    public Fault fault() {
        return fault;
    }
}
