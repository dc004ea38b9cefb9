package org.amo.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.amo.lab.cluster.ReplicaProcess;

/** Partitions and losses between the replicas' networks. One thread owns it. */
final class NetworkFaults {
    private static final long SHORTEST_MILLIS = 1_000;
    private static final long LONGEST_MILLIS = 15_000;
    private static final double HALF = 0.5;
    private static final double LEAST_LOSS = 0.01;
    private static final double MOST_LOSS = 0.10;

    private final ClusterView scene;
    private final Network network;

    NetworkFaults(ClusterView scene, Network network) {
        this.scene = scene;
        this.network = network;
    }

    /** One direction between two sides. */
    private record Way(int from, int to) {}

    Optional<Active> partition(FaultSchedule.Slot slot) {
        return scene.victim(slot).map(replica -> {
            boolean fromClients = slot.side() < HALF;
            List<Way> ways = new ArrayList<>(ways(replica, true));
            ways.addAll(ways(replica, false));
            if (fromClients) {
                ways.add(new Way(index(replica), Network.CLIENTS));
                ways.add(new Way(Network.CLIENTS, index(replica)));
            }
            return cut("partition of " + replica.id() + (fromClients ? ", from clients too" : ""), replica, ways, slot);
        });
    }

    Optional<Active> oneWay(FaultSchedule.Slot slot) {
        return scene.victim(slot).map(replica -> {
            boolean outwards = slot.side() < HALF;
            String words = outwards ? "the others do not hear " : "nothing of the others reaches ";
            return cut(words + replica.id(), replica, ways(replica, outwards), slot);
        });
    }

    Optional<Active> loss(FaultSchedule.Slot slot) {
        return ClusterView.pick(scene.sound(), slot)
                .filter(replica -> !scene.isLossy(replica))
                .map(replica -> {
                    double share = LEAST_LOSS + slot.side() * (MOST_LOSS - LEAST_LOSS);
                    network.lose(index(replica), share);
                    scene.lossy(replica, true);
                    long millis = millis(slot);
                    return new Active(
                            String.format(
                                    Locale.ROOT,
                                    "%s loses %.1f %% of its packets for %d ms",
                                    replica.id(),
                                    100 * share,
                                    millis),
                            List.of(),
                            millis,
                            () -> {
                                network.loseNothing(index(replica));
                                scene.lossy(replica, false);
                            });
                });
    }

    private Active cut(String words, ReplicaProcess replica, List<Way> ways, FaultSchedule.Slot slot) {
        ways.forEach(way -> network.cut(way.from, way.to));
        long millis = millis(slot);
        return new Active(
                words + " for " + millis + " ms",
                List.of(replica),
                millis,
                () -> ways.forEach(way -> network.join(way.from, way.to)));
    }

    private List<Way> ways(ReplicaProcess replica, boolean outwards) {
        return scene.group().replicas().stream()
                .filter(other -> !other.equals(replica))
                .map(other -> outwards ? new Way(index(replica), index(other)) : new Way(index(other), index(replica)))
                .toList();
    }

    private int index(ReplicaProcess replica) {
        return scene.group().replicas().indexOf(replica);
    }

    private static long millis(FaultSchedule.Slot slot) {
        return SHORTEST_MILLIS + Math.round(slot.strength() * slot.strength() * (LONGEST_MILLIS - SHORTEST_MILLIS));
    }
}
