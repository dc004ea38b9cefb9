package org.amo.lab.chaos;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.ReplicaProcess;

/** Disks that lie, fail or are full, each under one replica at a time. One thread owns it. */
final class DiskFaults {
    private static final long END_MILLIS = 10_000;
    private static final long REPAIR_MILLIS = 30_000;
    private static final long SHORTEST_MILLIS = 1_000;
    private static final long LONGEST_MILLIS = 8_000;

    private final ClusterView scene;
    private final FaultControl controls;
    private final Disks disks;
    private final Consumer<String> violation;

    /** @param violation receives the reaction that a replica should have shown */
    DiskFaults(ClusterView scene, FaultControl controls, Disks disks, Consumer<String> violation) {
        this.scene = scene;
        this.controls = controls;
        this.disks = disks;
        this.violation = violation;
    }

    /** It must be noticed, and repaired from the others. */
    Optional<Active> flip(FaultSchedule.Slot slot) {
        return killed(slot, damage -> damage.flip(slot))
                .map(done -> new Active(
                        done.words, List.of(done.replica), REPAIR_MILLIS, () -> isRepaired(done.replica), () -> {
                            if (!isRepaired(done.replica)) {
                                violation.accept("replica " + done.replica.id()
                                        + " did not notice or repair a flipped bit: " + done.words);
                            }
                        }));
    }

    /** It may be noticed by the running replica, which ends then, or at its next start, if the entry is still there. */
    Optional<Active> flipRunning(FaultSchedule.Slot slot) {
        return scene.victim(slot).filter(this::hasData).map(replica -> {
            String what = damage(replica).flipEntry(slot);
            scene.expectEnd(replica, true);
            return new Active(
                    what + " flips under the running " + replica.id() + ", then restart",
                    List.of(replica),
                    millis(slot),
                    () -> restart(replica));
        });
    }

    Optional<Active> tear(FaultSchedule.Slot slot) {
        return killed(slot, damage -> damage.tear(slot)).map(Killed::catchesUp);
    }

    Optional<Active> lose(FaultSchedule.Slot slot) {
        return killed(slot, damage -> damage.lose(slot)).map(Killed::catchesUp);
    }

    /** It must end, and not try again. */
    Optional<Active> syncFails(FaultSchedule.Slot slot) {
        return scene.victim(slot).map(replica -> {
            scene.expectEnd(replica, true);
            controls.failSync(replica.id());
            return new Active(
                    "the disk of " + replica.id() + " fails to sync, then restart",
                    List.of(replica),
                    END_MILLIS,
                    () -> !isAlive(replica),
                    () -> {
                        if (isAlive(replica)) {
                            violation.accept("replica " + replica.id() + " lives on with a failed sync");
                        }
                        restart(replica);
                    });
        });
    }

    /** It must take no requests, and go on by itself when there is room again. */
    Optional<Active> full(FaultSchedule.Slot slot) {
        return scene.victim(slot).map(replica -> {
            disks.fill(replica.id());
            long millis = millis(slot);
            FullDisk judge = new FullDisk(replica.lives());
            Runnable watch = () -> look(replica, judge);
            scene.watch(watch);
            return new Active(
                    "disk of " + replica.id() + " is full for " + millis + " ms", List.of(replica), millis, () -> {
                        watch.run();
                        scene.unwatch(watch);
                        disks.empty(replica.id());
                    });
        });
    }

    private void look(ReplicaProcess replica, FullDisk judge) {
        replica.ask()
                .map(status -> new FullDisk.Look(
                        replica.lives(), status.trouble(), status.executedPosition(), FullDisk.spells(replica.log())))
                .flatMap(judge::see)
                .ifPresent(wrong -> violation.accept("replica " + replica.id() + " " + wrong));
    }

    private record Killed(ReplicaProcess replica, String words) {
        Active catchesUp() {
            return new Active(words, List.of(replica), 0, () -> {});
        }
    }

    private Optional<Killed> killed(FaultSchedule.Slot slot, Function<LogDamage, String> make) {
        return scene.victim(slot).filter(this::hasData).map(replica -> {
            replica.process().ifPresent(process -> {
                process.kill();
                process.awaitEnd(END_MILLIS);
            });
            replica.ended();
            String what = make.apply(damage(replica));
            scene.start(replica);
            return new Killed(replica, "kill -9 " + replica.id() + ", then " + what + " is gone wrong");
        });
    }

    /** Something was acknowledged. */
    private boolean hasData(ReplicaProcess replica) {
        return replica.last().filter(status -> status.position() > 0).isPresent();
    }

    private static LogDamage damage(ReplicaProcess replica) {
        return new LogDamage(replica.data(), replica.id());
    }

    private static boolean isRepaired(ReplicaProcess replica) {
        return replica.ask()
                .filter(status -> status.trouble().isEmpty() && replica.repairedNow() > 0)
                .isPresent();
    }

    private static boolean isAlive(ReplicaProcess replica) {
        return replica.process().filter(Child::isAlive).isPresent();
    }

    private static long millis(FaultSchedule.Slot slot) {
        return SHORTEST_MILLIS + Math.round(slot.strength() * (LONGEST_MILLIS - SHORTEST_MILLIS));
    }

    private void restart(ReplicaProcess replica) {
        replica.process().ifPresent(process -> {
            process.kill();
            process.awaitEnd(END_MILLIS);
        });
        replica.ended();
        scene.expectEnd(replica, false);
        scene.start(replica);
    }
}
