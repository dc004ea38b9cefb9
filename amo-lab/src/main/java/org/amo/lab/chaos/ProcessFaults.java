package org.amo.lab.chaos;

import java.util.List;
import java.util.Optional;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.ReplicaProcess;

/**
 * Makes kill -9 and SIGSTOP faults. When the absent replica is back, duplicates of requests that the others answered
 * meanwhile arrive at the others; the absent replica learned of them in another way. One thread owns it.
 */
final class ProcessFaults {
    private static final long SHORTEST_DOWN_MILLIS = 500;
    private static final long LONGEST_DOWN_MILLIS = 8_000;
    private static final long SHORTEST_STOP_MILLIS = 1_000;
    private static final long LONGEST_STOP_MILLIS = 30_000;

    /** Long enough for a replica to start and to catch up. */
    private static final long BACK_MILLIS = 4_000;

    private final ClusterView scene;
    private final FaultControl controls;

    ProcessFaults(ClusterView scene, FaultControl controls) {
        this.scene = scene;
        this.controls = controls;
    }

    Optional<Active> kill(FaultSchedule.Slot slot) {
        return scene.victim(slot).map(replica -> {
            replica.kill();
            copiesAfter(replica, downMillis(slot));
            return down("kill -9 " + replica.id(), List.of(replica), slot);
        });
    }

    /** Nothing acknowledged may be gone after it; needs a log that is on disk before it is acknowledged. */
    Optional<Active> killAll(FaultSchedule.Slot slot) {
        if (!scene.isWhole()) {
            return Optional.empty();
        }
        List<ReplicaProcess> all = scene.group().members();
        all.forEach(ReplicaProcess::kill);
        return Optional.of(down("kill -9 of all replicas", all, slot));
    }

    Optional<Active> stop(FaultSchedule.Slot slot) {
        return scene.victim(slot).map(replica -> {
            Child process = replica.process().orElseThrow();
            process.pause();
            // Short ones are the more frequent: the cube of an even draw.
            double share = Math.pow(slot.strength(), 3);
            long millis = SHORTEST_STOP_MILLIS + Math.round(share * (LONGEST_STOP_MILLIS - SHORTEST_STOP_MILLIS));
            copiesAfter(replica, millis);
            return new Active(
                    "SIGSTOP " + replica.id() + " for " + millis + " ms", List.of(replica), millis, process::resume);
        });
    }

    private Active down(String words, List<ReplicaProcess> replicas, FaultSchedule.Slot slot) {
        if (!scene.comesBack()) {
            return new Active(words, replicas, Long.MAX_VALUE, () -> {});
        }
        long millis = downMillis(slot);
        return new Active(
                words + ", back after " + millis + " ms", replicas, millis, () -> replicas.forEach(scene::start));
    }

    /** How long a killed process is away. */
    static long downMillis(FaultSchedule.Slot slot) {
        return SHORTEST_DOWN_MILLIS
                + Math.round(slot.strength() * slot.strength() * (LONGEST_DOWN_MILLIS - SHORTEST_DOWN_MILLIS));
    }

    private void copiesAfter(ReplicaProcess away, long millis) {
        scene.group().members().stream()
                .filter(replica -> replica.isUp() && !replica.equals(away))
                .forEach(replica -> controls.copies(replica.id(), millis + BACK_MILLIS));
    }
}
