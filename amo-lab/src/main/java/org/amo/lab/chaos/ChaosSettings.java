package org.amo.lab.chaos;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.amo.cli.CliException;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;

/** Settings of a chaos run; checked when they are made. */
record ChaosSettings(
        ServiceUnderTest subject,
        int replicas,
        int clients,
        long durationMillis,
        Order order,
        Log log,
        Style style,
        long seed,
        Set<FaultFamily> faults,
        double reads,
        boolean udp,
        Optional<String> plant,
        Optional<Path> history) {

    private static final int MOST_CLIENTS = 64;

    /** The checks need some calls that change something. */
    private static final double MOST_READS = 0.95;

    ChaosSettings {
        if (replicas != 3 && replicas != 5) {
            throw CliException.user("--replicas " + replicas + " is neither 3 nor 5; write one of them");
        }
        if (clients < 1 || clients > MOST_CLIENTS) {
            throw CliException.user("--clients " + clients + " is out of range; write 1 to " + MOST_CLIENTS);
        }
        if (reads < 0 || reads > MOST_READS) {
            throw CliException.user("--reads " + reads + " is no share of the calls; write 0 to " + MOST_READS);
        }
        if (reads > 0 && subject != ServiceUnderTest.COUNTER) {
            throw CliException.user("--reads needs a service with reads beside the order; write --service counter");
        }
        if (udp && subject != ServiceUnderTest.COUNTER) {
            throw CliException.user("--transport udp needs a Java service; write --service counter");
        }
        faults = Set.copyOf(faults);
        if (subject == ServiceUnderTest.CHAIN && log == Log.MEMORY) {
            throw CliException.user("--service chain starts killed members of its groups again, and --log memory has"
                    + " nothing to start from; write --log fsync or --log file");
        }
        if (subject == ServiceUnderTest.CHAIN && style == Style.PASSIVE) {
            throw CliException.user("--service chain makes nested calls, which --style passive does not order; write"
                    + " --style active or --style leader");
        }
        if (log == Log.MEMORY && !faults.contains(FaultFamily.DEFAULT)) {
            throw CliException.user(
                    "--log memory has no disk that could fail, and from it no replica comes back that ended;"
                            + " write --log fsync or --log file");
        }
        plant.ifPresent(ChaosPlants::check);
    }
}
