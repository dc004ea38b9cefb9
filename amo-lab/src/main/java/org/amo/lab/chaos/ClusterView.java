package org.amo.lab.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.Status;
import org.amo.lab.load.Clients;

/** The replicas as the faults see them. One thread owns it. */
final class ClusterView {
    /**
     * Said by a member of style passive whose executions came too late, and by one that gets a snapshot in the midst of a nested call.
     */
    private static final List<String> BEGINS_ANEW = List.of(
            "the group goes on with the outcome of another member",
            "while an earlier request waited for an entry that the others have cut off");

    private final ProcessGroup group;
    private final Clients clients;
    private final FaultControl controls;
    private final boolean comesBack;

    /** Those that may end by themselves, which otherwise is a violation. */
    private final Set<ReplicaProcess> mayEnd = new HashSet<>();

    private final Set<ReplicaProcess> lossy = new HashSet<>();

    /** Those that cannot do their part, and by how many faults. */
    private final Map<ReplicaProcess, Integer> impaired = new HashMap<>();

    /** Those that have to catch up, and to which position. */
    private final Map<ReplicaProcess, Long> behind = new HashMap<>();

    /** Further looks at members, by faults that last. */
    private final List<Runnable> watches = new ArrayList<>();

    /** @param comesBack whether a killed replica can be started again: not if its log died with it */
    ClusterView(ProcessGroup group, Clients clients, FaultControl controls, boolean comesBack) {
        this.group = group;
        this.clients = clients;
        this.controls = controls;
        this.comesBack = comesBack;
    }

    ProcessGroup group() {
        return group;
    }

    boolean comesBack() {
        return comesBack;
    }

    /** All that do their part, in their order; none if one fewer would be no majority. */
    List<ReplicaProcess> spare() {
        List<ReplicaProcess> sound = sound();
        return 2 * (sound.size() - 1) > group.members().size() ? sound : List.of();
    }

    /** All members are there, and none has to catch up. */
    boolean isWhole() {
        return sound().size() == group.members().size();
    }

    List<ReplicaProcess> sound() {
        return group.members().stream()
                .filter(replica -> replica.isUp() && !impaired.containsKey(replica) && !behind.containsKey(replica))
                .toList();
    }

    /** One of those that can be spared. */
    Optional<ReplicaProcess> victim(FaultSchedule.Slot slot) {
        return pick(spare(), slot);
    }

    static Optional<ReplicaProcess> pick(List<ReplicaProcess> from, FaultSchedule.Slot slot) {
        return from.isEmpty() ? Optional.empty() : Optional.of(from.get((int) (slot.target() * from.size())));
    }

    /** The replica that answered the clients last, if it can be spared. */
    Optional<ReplicaProcess> connected() {
        String served = clients.servedBy();
        return spare().stream()
                .filter(replica -> served.endsWith(":" + replica.member().clientPort()))
                .findFirst();
    }

    /** Starts a new life. */
    void start(ReplicaProcess replica) {
        controls.renew(replica.id());
        group.start(replica);
    }

    /** Whether its process has ended as it must, since its next start takes the state of the others. */
    static boolean mustBeginAnew(ReplicaProcess replica) {
        String words = replica.lastWords();
        return BEGINS_ANEW.stream().anyMatch(words::contains);
    }

    /** One that has ended by itself, as it must, and is at once started again. */
    void beginsAnew(ReplicaProcess replica) {
        replica.ended();
        start(replica);
        behind.put(replica, reached());
    }

    void expectEnd(ReplicaProcess replica, boolean expected) {
        if (expected) {
            mayEnd.add(replica);
        } else {
            mayEnd.remove(replica);
        }
    }

    boolean mayEnd(ReplicaProcess replica) {
        return mayEnd.contains(replica);
    }

    void lossy(ReplicaProcess replica, boolean loses) {
        if (loses) {
            lossy.add(replica);
        } else {
            lossy.remove(replica);
        }
    }

    boolean isLossy(ReplicaProcess replica) {
        return lossy.contains(replica);
    }

    void impair(List<ReplicaProcess> replicas) {
        replicas.forEach(replica -> impaired.merge(replica, 1, Integer::sum));
    }

    /** Ends one fault of each replica; each must then catch up with the group's present position. */
    void repair(List<ReplicaProcess> replicas) {
        for (ReplicaProcess replica : replicas) {
            impaired.computeIfPresent(replica, (key, count) -> count == 1 ? null : count - 1);
            behind.put(replica, reached());
        }
    }

    /** Runs the watch at each look, until {@link #unwatch}. */
    void watch(Runnable watch) {
        watches.add(watch);
    }

    void unwatch(Runnable watch) {
        watches.remove(watch);
    }

    void look() {
        watches.forEach(Runnable::run);
        behind.entrySet().removeIf(entry -> entry.getKey()
                .ask()
                .filter(status -> !status.leader().isEmpty()
                        && status.executedPosition() >= entry.getValue()
                        && status.trouble().isEmpty())
                .isPresent());
    }

    private long reached() {
        return group.replicas().stream()
                .flatMap(replica -> replica.last().stream())
                .mapToLong(Status::executedPosition)
                .max()
                .orElse(0);
    }
}
