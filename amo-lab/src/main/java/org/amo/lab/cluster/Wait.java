package org.amo.lab.cluster;

import java.util.function.BooleanSupplier;
import org.amo.cli.CliException;

/** Bounded waits of a command for its processes. */
public final class Wait {
    private static final long TICK_MILLIS = 50;

    private Wait() {}

    /** @throws CliException with this failure, an environment's fault, when the condition does not come true in time */
    public static void until(long millis, String failure, BooleanSupplier condition) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw CliException.environment(failure + " in " + millis / 1_000 + " s");
            }
            aTick();
        }
    }

    /** 50 ms. */
    public static void aTick() {
        try {
            Thread.sleep(TICK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.environment("the command was interrupted");
        }
    }
}
