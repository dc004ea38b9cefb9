package org.amo.cli;

/** The exit codes of every command. */
public final class ExitCodes {
    /** The command succeeded, and every check held. */
    public static final int OK = 0;

    /** Something ran twice, was lost or diverged, or a bar was missed. */
    public static final int CHECK_FAILED = 1;

    /** The user's mistake. */
    public static final int USER = 2;

    /** A fault of the environment: a port is taken, no disk. */
    public static final int ENVIRONMENT = 3;

    private ExitCodes() {}
}
