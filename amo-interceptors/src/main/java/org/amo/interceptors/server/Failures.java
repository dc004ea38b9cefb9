package org.amo.interceptors.server;

import org.amo.base.DaemonThreads;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.omg.CORBA.SystemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the operator is told that this server cannot be a member. Under {@code amo wrap} (property
 * {@code amo.exitOnFailure=true}) the process says it in one line and ends with the exit code of the contract; elsewhere
 * it is logged and thrown, and the application decides.
 */
final class Failures {
    /** The user's mistake. */
    static final int USER = 2;

    /** A fault of the environment. */
    static final int ENVIRONMENT = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final long HOOKS_MILLIS = 5_000;

    private Failures() {}

    /** Tells it. Returns the exception for the caller to throw, unless the process ends here. */
    static <E extends SystemException> E tell(JacorbAccess jacorb, int exitCode, E failure) {
        if (jacorb.property("amo.exitOnFailure").filter("true"::equals).isPresent()) {
            System.err.println(failure.getMessage());
            exit(exitCode);
        } else {
            LOG.error(failure.getMessage());
        }
        return failure;
    }

    private static void exit(int exitCode) {
        // The caller may hold locks of the ORB that a shutdown hook of the application waits for.
        DaemonThreads.start("amo-exit", () -> {
            try {
                Thread.sleep(HOOKS_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(exitCode);
        });
        System.exit(exitCode);
    }
}
