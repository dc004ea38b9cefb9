package org.amo.lab.chaos;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.testkit.fault.FaultAction;
import org.amo.testkit.fault.FaultPoint;
import org.amo.testkit.fault.FaultRule;

/** Faults inside a replica or its machine: its clock, its memory, and its end at a point of a request's way. */
final class InnerFaults {
    private static final long HOUR = 3_600_000;
    private static final double HALF = 0.5;
    private static final long TICKS_MILLIS = 100;
    private static final long ARMED_MILLIS = 3_000;
    private static final List<FaultPoint> LEADER_POINTS =
            List.of(FaultPoint.AFTER_ORDER, FaultPoint.AFTER_EXECUTE, FaultPoint.BEFORE_REPLY);

    private final ClusterView scene;
    private final FaultControl controls;

    InnerFaults(ClusterView scene, FaultControl controls) {
        this.scene = scene;
        this.controls = controls;
    }

    /**
     * An hour forth or back; a clock that is wrong already becomes right again. It stays so. The clocks of a majority
     * are never wrong at the same time: nothing could help against that. Duplicates of the replica's next requests arrive
     * after its reply and after a look at its clock: its memory of requests must not depend on the clock.
     */
    Optional<Active> clock(FaultSchedule.Slot slot) {
        List<ReplicaProcess> all = scene.group().members();
        boolean oneMore = 2 * (controls.wrongClocks() + 1) < all.size();
        List<ReplicaProcess> choice = all.stream()
                .filter(replica -> oneMore || controls.of(replica.id()).clockMillis() != 0)
                .toList();
        Optional<ReplicaProcess> serving = scene.connected().filter(choice::contains);
        return serving.or(() -> ClusterView.pick(choice, slot)).map(replica -> {
            boolean wrong = controls.of(replica.id()).clockMillis() != 0;
            long step = wrong ? 0 : slot.side() < HALF ? HOUR : -HOUR;
            controls.clock(replica.id(), step);
            controls.copies(replica.id(), TICKS_MILLIS);
            return new Active("clock of " + replica.id() + " is off by " + step + " ms", List.of(), 0, () -> {});
        });
    }

    /** The next request that came over the replica's own connections ends it, before its reply leaves. */
    Optional<Active> killBeforeReply(FaultSchedule.Slot slot) {
        return ending(slot, replica -> {
            // Another than the leader may answer with the leader's result before it executes.
            boolean leads = replica.id().equals(scene.group().leader());
            FaultPoint point =
                    leads ? LEADER_POINTS.get((int) (slot.side() * LEADER_POINTS.size())) : FaultPoint.BEFORE_REPLY;
            controls.arm(replica.id(), new FaultRule(point, 1, FaultAction.KILL, 0));
            return "the connected replica " + replica.id() + " ends " + point.word();
        });
    }

    /** The next request that the connected replica runs takes all memory there: it must end, and the others answer. */
    Optional<Active> memory(FaultSchedule.Slot slot) {
        return ending(slot, replica -> {
            controls.arm(replica.id(), new FaultRule(FaultPoint.AFTER_ORDER, 1, FaultAction.EXHAUST, 0));
            return "a request takes all memory of the connected replica " + replica.id();
        });
    }

    /** @param arm prepares the end of a replica, and says it in words */
    private Optional<Active> ending(FaultSchedule.Slot slot, Function<ReplicaProcess, String> arm) {
        return scene.connected().or(() -> scene.victim(slot)).map(replica -> {
            String words = arm.apply(replica) + ", within " + ARMED_MILLIS + " ms";
            scene.expectEnd(replica, true);
            // Without a request in time it lives on.
            return new Active(words, List.of(replica), ARMED_MILLIS, () -> restart(replica))
                    .onlyIf(() -> replica.process().filter(Child::isAlive).isEmpty());
        });
    }

    /** Restarts a replica as an operator does: ends its process if it still runs, and starts a new one. */
    private void restart(ReplicaProcess replica) {
        replica.process().filter(Child::isAlive).ifPresent(Child::kill);
        replica.ended();
        scene.expectEnd(replica, false);
        scene.start(replica);
    }
}
