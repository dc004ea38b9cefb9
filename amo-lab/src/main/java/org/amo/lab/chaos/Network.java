package org.amo.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.amo.cli.CliException;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.ExternalCommand;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.Wait;
import org.amo.lab.cluster.WorkFolder;

/**
 * A network namespace for each replica, joined by a bridge in the namespace of this process and its clients. One
 * thread owns it.
 *
 * <p>A direction is cut by giving the receiver an unused link address: packets leave and no interface takes them, as
 * when a cable is out, and neither side is notified. Loss is real as well: a filter with a random number sends a share
 * of the packets into a black hole, and TCP reacts to the loss. (The kernel's own emulator, netem, is not in every
 * kernel; the features used here are in nearly all.)
 */
final class Network {
    /** The side of the clients and of this process. */
    static final int CLIENTS = -1;

    private static final String PREFIX = "10.77.0.";
    private static final String CLIENTS_ADDRESS = PREFIX + "254";
    private static final String NOBODY = "02:00:00:00:00:99";
    private static final long START_MILLIS = 10_000;
    private static final double ALL = 4_294_967_296.0;

    private final List<Long> holders = new ArrayList<>();

    /** How many faults cut each way now. */
    private final Map<Way, Integer> cuts = new HashMap<>();

    private record Way(int from, int to) {}

    Network(int replicas, WorkFolder folder, Processes processes) {
        ExternalCommand.run("ip", "link", "set", "lo", "up");
        ExternalCommand.run("ip", "link", "add", "br0", "type", "bridge");
        ExternalCommand.run("ip", "addr", "add", CLIENTS_ADDRESS + "/24", "dev", "br0");
        ExternalCommand.run("ip", "link", "set", "br0", "up");
        for (int i = 0; i < replicas; i++) {
            add(i, folder, processes);
        }
    }

    private void add(int replica, WorkFolder folder, Processes processes) {
        String name = ProcessGroup.name(replica);
        // It holds the namespace through the replica's lives, and ends with us since its input does.
        Child holder = processes.start(() -> Child.quiet(
                "network of " + name, List.of("unshare", "--net", "cat"), folder.file("network-" + name + ".log")));
        Wait.until(START_MILLIS, "no network for replica " + name, () -> !namespace("self")
                .equals(namespace(Long.toString(holder.pid()))));
        holders.add(holder.pid());
        ExternalCommand.run(List.of(
                "ip",
                "link",
                "add",
                "veth" + name,
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                "" + holder.pid()));
        ExternalCommand.run("ip", "link", "set", "veth" + name, "master", "br0", "up");
        inside(replica, "ip", "addr", "add", address(replica) + "/24", "dev", "eth0");
        inside(replica, "ip", "link", "set", "eth0", "up");
        inside(replica, "ip", "link", "set", "lo", "up");
    }

    String address(int side) {
        return side == CLIENTS ? CLIENTS_ADDRESS : PREFIX + (side + 1);
    }

    /** Words that start a program where a replica lives. */
    List<String> prefix(int replica) {
        return List.of("nsenter", "--net=/proc/" + holders.get(replica) + "/ns/net");
    }

    /** From now on nothing that one side sends arrives at the other, until each such cut was undone. */
    void cut(int from, int to) {
        if (cuts.merge(new Way(from, to), 1, Integer::sum) == 1) {
            inside(
                    from,
                    "ip",
                    "neigh",
                    "replace",
                    address(to),
                    "lladdr",
                    NOBODY,
                    "dev",
                    device(from),
                    "nud",
                    "permanent");
        }
    }

    void join(int from, int to) {
        if (cuts.merge(new Way(from, to), -1, Integer::sum) == 0) {
            inside(from, "ip", "neigh", "del", address(to), "dev", device(from));
        }
    }

    /** This share of all packets that a replica sends is lost, until {@link #loseNothing}. */
    void lose(int replica, double share) {
        inside(replica, "tc", "qdisc", "add", "dev", "eth0", "root", "handle", "1:", "htb", "default", "1");
        for (String band : List.of("1:1", "1:2")) {
            inside(
                    replica, "tc", "class", "add", "dev", "eth0", "parent", "1:", "classid", band, "htb", "rate",
                    "10gbit", "quantum", "60000");
        }
        inside(replica, "tc", "qdisc", "add", "dev", "eth0", "parent", "1:2", "handle", "20:", "blackhole");
        inside(
                replica,
                "tc",
                "filter",
                "add",
                "dev",
                "eth0",
                "parent",
                "1:",
                "protocol",
                "all",
                "bpf",
                "bytecode",
                randomPacket(share),
                "flowid",
                "1:2");
    }

    void loseNothing(int replica) {
        inside(replica, "tc", "qdisc", "del", "dev", "eth0", "root");
    }

    /** Whether this machine can lose packets. */
    boolean canLose() {
        try {
            lose(0, 0.01);
            loseNothing(0);
            return true;
        } catch (CliException e) {
            return false;
        }
    }

    /** Packet filter: load a random number of 32 bits; below the limit the packet matches. */
    private static String randomPacket(double share) {
        return "4,32 0 0 4294963256,53 0 1 " + Math.round(share * ALL) + ",6 0 0 0,6 0 0 4294967295";
    }

    private void inside(int side, String... words) {
        List<String> all = new ArrayList<>(side == CLIENTS ? List.of() : prefix(side));
        all.addAll(List.of(words));
        ExternalCommand.run(all);
    }

    private static String device(int side) {
        return side == CLIENTS ? "br0" : "eth0";
    }

    private static String namespace(String process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", process, "ns", "net"))
                    .toString();
        } catch (IOException e) {
            throw CliException.environment("a process of the network ended (" + e.getMessage() + ")");
        }
    }
}
