package org.amo.cli.chaos;

import java.util.List;
import java.util.Optional;
import org.amo.cli.cluster.Child;
import org.amo.cli.cluster.Replica;

/** kill -9 and SIGSTOP. One thread owns it. */
final class ProcessFaults {
    private static final long SHORTEST_DOWN_MILLIS = 500;
    private static final long LONGEST_DOWN_MILLIS = 8_000;
    private static final long SHORTEST_STOP_MILLIS = 1_000;
    private static final long LONGEST_STOP_MILLIS = 30_000;

    private final Scene scene;

    ProcessFaults(Scene scene) {
        this.scene = scene;
    }

    Optional<Active> kill(FaultSchedule.Slot slot) {
        return scene.victim(slot).map(replica -> {
            replica.kill();
            return down("kill -9 " + replica.id(), List.of(replica), slot);
        });
    }

    /** Nothing acknowledged may be gone after it; needs a log that is on disk before it is acknowledged. */
    Optional<Active> killAll(FaultSchedule.Slot slot) {
        if (!scene.comesBack() || !scene.isWhole()) {
            return Optional.empty();
        }
        List<Replica> all = scene.group().members();
        all.forEach(Replica::kill);
        return Optional.of(down("kill -9 of all replicas", all, slot));
    }

    Optional<Active> stop(FaultSchedule.Slot slot) {
        return scene.victim(slot).map(replica -> {
            Child process = replica.process().orElseThrow();
            process.pause();
            // Short ones are the more frequent: the cube of an even draw.
            double share = Math.pow(slot.strength(), 3);
            long millis = SHORTEST_STOP_MILLIS + Math.round(share * (LONGEST_STOP_MILLIS - SHORTEST_STOP_MILLIS));
            return new Active(
                    "SIGSTOP " + replica.id() + " for " + millis + " ms", List.of(replica), millis, process::resume);
        });
    }

    private Active down(String words, List<Replica> replicas, FaultSchedule.Slot slot) {
        if (!scene.comesBack()) {
            return new Active(words, replicas, Long.MAX_VALUE, () -> {});
        }
        long millis = SHORTEST_DOWN_MILLIS
                + Math.round(slot.strength() * slot.strength() * (LONGEST_DOWN_MILLIS - SHORTEST_DOWN_MILLIS));
        return new Active(
                words + ", back after " + millis + " ms", replicas, millis, () -> replicas.forEach(scene::start));
    }
}
