package org.amo.base;

/** The exit codes of a member's process, and the bound on its shutdown hooks. */
public final class ProcessExit {
    /** The user's mistake. */
    public static final int USER = 2;

    /** A fault of the environment. */
    public static final int ENVIRONMENT = 3;

    private static final long HOOKS_MILLIS = 5_000;

    private ProcessExit() {}

    /**
     * Bounds an exit that is about to begin: five seconds from now the process halts with that code, since the caller may hold a lock
     * that a shutdown hook of the application waits for. Any thread.
     */
    public static void haltsSoon(int code) {
        DaemonThreads.start("amo-exit", () -> {
            try {
                Thread.sleep(HOOKS_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(code);
        });
    }
}
