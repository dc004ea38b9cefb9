package org.amo.lab.chaos;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.wrap.AmoClassPath;
import org.amo.lab.cluster.ExternalCommand;

/**
 * Runs the command again inside namespaces of its own for networks and mounts, where the machine permits it. The
 * namespaces end with the last process in them: nothing is left on the machine, not even after kill -9.
 */
final class Isolation {
    private static final String INSIDE = "amo.chaos.inside";

    private Isolation() {}

    /** Whether this process is the one inside. */
    static boolean isInside() {
        return Boolean.getBoolean(INSIDE);
    }

    /** The command line of this program inside, or why there is none. */
    static Optional<List<String>> command(List<String> arguments) {
        return enter().map(words -> {
            List<String> all = new ArrayList<>(words);
            all.addAll(AmoClassPath.java("-Xshare:auto", "-XX:+UseSerialGC", "-D" + INSIDE + "=true"));
            all.add("-cp");
            all.add(System.getProperty("java.class.path", ""));
            all.add("org.amo.cli.Amo");
            all.addAll(arguments);
            return all;
        });
    }

    /** As root as it is; else as root of a user namespace, which some machines forbid. */
    private static Optional<List<String>> enter() {
        for (List<String> words : List.of(
                List.of("unshare", "--net", "--mount"),
                List.of("unshare", "--user", "--map-root-user", "--net", "--mount"))) {
            if (new File("/proc/self/ns/net").exists() && works(words)) {
                return Optional.of(words);
            }
        }
        return Optional.empty();
    }

    /** Inside, two networks must be possible, with a wire between them. */
    private static boolean works(List<String> words) {
        try {
            List<String> probe = new ArrayList<>(words);
            probe.addAll(List.of(
                    "sh",
                    "-c",
                    "ip link set lo up && ip link add br0 type bridge && ip link add x type veth peer name y"
                            + " && unshare --net true && nsenter --version"));
            ExternalCommand.run(probe);
            return true;
        } catch (CliException e) {
            return false;
        }
    }
}
