package org.amo.cli.wrap;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Warns once if no virtual machine of a command has become the member for a minute. A script that hides the agent from its
 * server starts a plain one, which serves clients without any replication until it ends. One thread.
 */
final class PlaceWatch {
    /** Longer than a start, also of a server that loads its ORB late. */
    static final long PATIENCE_MILLIS = 60_000;

    private static final long PERIOD_MILLIS = 1_000;

    private final String command;
    private final BooleanSupplier taken;
    private final Consumer<String> warning;

    /** @param taken whether a machine has become the member */
    PlaceWatch(String command, BooleanSupplier taken, Consumer<String> warning) {
        this.command = command;
        this.taken = taken;
        this.warning = warning;
    }

    /** Looks once a second, until there is nothing more to see or the command has ended. */
    void run(CountDownLatch ended) {
        long began = System.nanoTime();
        boolean watching = true;
        try {
            while (watching && !ended.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
                watching = look(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether to look again. */
    boolean look(long elapsedMillis) {
        if (taken.getAsBoolean()) {
            return false;
        }
        if (elapsedMillis < PATIENCE_MILLIS) {
            return true;
        }
        warning.accept("amo: after " + PATIENCE_MILLIS / 1000 + " s no virtual machine of '" + command
                + "' has used CORBA, so nothing is replicated so far; if the server runs, the command hides JAVA_TOOL_OPTIONS"
                + " from it (env -i, su -, sudo, a container): write the server's own start after --");
        return false;
    }
}
