package org.amo.lab.attack;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The settings that results of attacks must share to stand in one report.
 *
 * @param commit of the program
 * @param jdk that runs it
 * @param heapBytes largest heap of each member
 * @param durationMillis of each attack
 * @param service as the command names it, or {@link #DEFAULT_SERVICE}
 */
record AttackConditions(String commit, String jdk, long heapBytes, long durationMillis, String service) {
    /** A program whose commit is unknown. */
    static final String UNKNOWN = "unknown";

    /** Each attack has its own default. */
    static final String DEFAULT_SERVICE = "default";

    /** Those of a command that begins now, on this Java. */
    static AttackConditions of(String commit, AttackSettings settings, Optional<Service> service) {
        return new AttackConditions(
                commit,
                System.getProperty("java.vm.name", "") + " " + System.getProperty("java.version", ""),
                settings.heapBytes(),
                settings.durationMillis(),
                service.map(Service::toString).orElse(DEFAULT_SERVICE));
    }

    /** The settings in which this differs from the earlier one, for a person; empty for none. */
    List<String> differences(AttackConditions earlier) {
        List<String> differences = new ArrayList<>();
        compare(differences, "commit", earlier.commit, commit);
        compare(differences, "jdk", earlier.jdk, jdk);
        compare(differences, "heapBytes", earlier.heapBytes, heapBytes);
        compare(differences, "durationMillis", earlier.durationMillis, durationMillis);
        compare(differences, "service", earlier.service, service);
        return differences;
    }

    private static void compare(List<String> differences, String name, Object earlier, Object now) {
        if (!earlier.equals(now)) {
            differences.add(name + " " + earlier + ", now " + now);
        }
    }
}
