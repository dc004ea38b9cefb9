package org.amo.lab.blackbox;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Of loads that only have to run meanwhile: at full speed they would take the processors from the members. */
final class Pace {
    private Pace() {}

    /** Between two calls of a load. */
    static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
