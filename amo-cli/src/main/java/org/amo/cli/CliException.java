package org.amo.cli;

/** Ends the command with one line on standard error and an exit code of the contract. */
public final class CliException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CliException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The user's mistake; the message says the cause and the remedy. */
    public static CliException user(String message) {
        return new CliException(ExitCodes.USER, message);
    }

    /** A check failed. */
    public static CliException failedCheck(String message) {
        return new CliException(ExitCodes.CHECK_FAILED, message);
    }

    /** A fault of the environment. */
    public static CliException environment(String message) {
        return new CliException(ExitCodes.ENVIRONMENT, message);
    }

    public int exitCode() {
        return exitCode;
    }
}
