package org.amo.lab.demo;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.amo.cli.CliException;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;

/**
 * Settings of a demo; checked when they are made.
 *
 * @param restartAfterMillis after the kill; empty: never
 * @param udp whether the first call of each client goes as a datagram, to the Java counters instead of the bank
 * @param page port of the page, 0 for any free one; empty for none
 */
record DemoSettings(
        int replicas,
        int clients,
        int threads,
        long durationMillis,
        Kill kill,
        long killAtMillis,
        OptionalLong restartAfterMillis,
        Order order,
        Log log,
        Style style,
        boolean sack,
        boolean udp,
        long seed,
        Optional<Path> history,
        OptionalInt page) {

    private static final int MOST_REPLICAS = 9;
    private static final int MOST_CLIENTS = 64;
    private static final int MOST_THREADS = 256;
    private static final int MOST_PORT = 65_535;

    /** Which replica is killed. */
    enum Kill {
        /** The one that serves client c1. */
        CONNECTED,
        LEADER,
        /** One that neither leads nor, if there is a choice, serves client c1. */
        FOLLOWER,
        NONE
    }

    DemoSettings {
        checkRange("--replicas", replicas, MOST_REPLICAS);
        checkRange("--clients", clients, MOST_CLIENTS);
        checkRange("--threads", threads, MOST_THREADS);
        if (page.isPresent() && (page.getAsInt() < 0 || page.getAsInt() > MOST_PORT)) {
            throw CliException.user("--page " + page.getAsInt() + " is no port; write 1 to " + MOST_PORT);
        }
        if (udp && !sack) {
            throw CliException.user(
                    "clients of the Java counters always acknowledge; leave --sack off away, or --transport udp");
        }
        if (udp && page.isPresent()) {
            throw CliException.user(
                    "the page shows the bank, which takes no datagrams; leave --page away, or" + " --transport udp");
        }
        if (page.isPresent() && kill != Kill.NONE) {
            throw CliException.user("with --page the buttons of the page kill; leave --kill away, or --page");
        }
        if (kill == Kill.NONE) {
            restartAfterMillis = OptionalLong.empty();
        } else {
            if (killAtMillis >= durationMillis) {
                throw CliException.user("--kill-at " + killAtMillis + "ms is not before the end, --duration "
                        + durationMillis + "ms; make it smaller");
            }
            if (log == Log.MEMORY && restartAfterMillis.isPresent()) {
                throw CliException.user("--log memory loses its log with the process, so the killed replica cannot come"
                        + " back; add --restart-after never, or use --log file");
            }
            if (restartAfterMillis.isEmpty() && replicas < 3) {
                throw CliException.user("without the killed one, " + replicas + " replicas have no majority; use at"
                        + " least --replicas 3, or let it come back with --restart-after");
            }
            if (kill == Kill.FOLLOWER && replicas < 2) {
                throw CliException.user("--kill follower needs a replica that does not lead; use --replicas 3");
            }
        }
    }

    private static void checkRange(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw CliException.user(option + " " + value + " is out of range; write 1 to " + most);
        }
    }
}
