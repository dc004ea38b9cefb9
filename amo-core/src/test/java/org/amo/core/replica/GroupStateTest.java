package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The group before its start, after a snapshot, and with other members. */
final class GroupStateTest {
    @Test
    void beforeTheStartNothingIsDecidedAndLaterTheSameRequestRuns() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.deliverOf("b", 1, rig.request(1));
        assertEquals(1, rig.replica.position());
        assertTrue(rig.executing.isEmpty());
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.now += 1_000;
        rig.deliverOf("b", 2, rig.request(1));
        assertEquals(1, rig.executing.size());
    }

    @Test
    void theClockGoesOnFromTheTimeOfASnapshot() {
        ReplicaRig donor = ReplicaRig.started("b", "b");
        donor.deliverOf("c", 1, donor.request(1));
        donor.executeAll();
        ReplicaRig joiner = new ReplicaRig("a");
        joiner.now = donor.now;
        joiner.replica.snapshots().install(donor.replica.snapshots().take(), joiner.now);
        joiner.replica.onLeader("b", joiner.now);
        joiner.now += 250;
        joiner.copy("2", joiner.request(2));
        assertEquals(donor.groupTime() + 250, joiner.submitted.element().entry().stampMillis());
    }

    /** Alone, a member has the clocks of a majority when it has its own. */
    @Test
    void theClocksOfTheMembersThatAreLeftStartTheGroup() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onLeader("a", rig.now);
        rig.tick();
        assertTrue(rig.submitted.isEmpty(), "one of three");
        rig.replica.onMembers(List.of("a"));
        rig.now += 100;
        rig.tick();
        assertEquals(1, rig.submitted.size());
    }

    @Test
    void aMemberReportsItsClockASecondAfterItsLastReport() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.tick();
        assertEquals(2, rig.sent.size());
        rig.now += 999;
        rig.tick();
        assertEquals(2, rig.sent.size());
        rig.now += 1;
        rig.tick();
        assertEquals(4, rig.sent.size());
    }
}
