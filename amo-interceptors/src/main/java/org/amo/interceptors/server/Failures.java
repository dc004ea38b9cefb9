package org.amo.interceptors.server;

import org.amo.base.ProcessExit;
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
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    /** Tells it. Returns the exception for the caller to throw, unless the process ends here. */
    static <E extends SystemException> E tell(JacorbAccess jacorb, int exitCode, E failure) {
        if (jacorb.property("amo.exitOnFailure").filter("true"::equals).isPresent()) {
            System.err.println(failure.getMessage());
            ProcessExit.haltsSoon(exitCode);
            System.exit(exitCode);
        } else {
            LOG.error(failure.getMessage());
        }
        return failure;
    }
}
