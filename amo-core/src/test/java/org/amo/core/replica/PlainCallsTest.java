package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** Calls without an id: how long they wait for a group, and how long their callers are known. */
final class PlainCallsTest {
    private final ReplicaRig rig = ReplicaRig.started("a", "b");

    @Test
    void aCallWaitsForTheStartOfTheGroupForTheDefaultDeadline() {
        ReplicaRig early = new ReplicaRig("a");
        early.plain("1", "first");
        early.now += 10_000;
        early.tick();
        assertEquals("-", early.answer("1"));
        early.now += 1;
        early.tick();
        assertEquals("OVERLOADED", early.answer("1"));
    }

    @Test
    void acknowledgementsAreFlushedOnceASecond() {
        call("1");
        rig.tick();
        rig.deliverNext();
        call("2");
        rig.now += 999;
        rig.tick();
        assertTrue(rig.submitted.isEmpty());
        rig.now += 1;
        rig.tick();
        assertEquals(1, rig.submitted.size());
    }

    @Test
    void aCallerIsKnownForAMinuteAfterItsCall() {
        call("1");
        rig.tick();
        rig.deliverNext();
        rig.now += 59_000;
        rig.tick();
        rig.plain("2", "second");
        assertEquals(
                RequestId.own(ReplicaRig.PLAIN, 2),
                rig.submitted.element().requests().get(0).id());
    }

    /** A member without a group may get one from a snapshot. */
    @Test
    void callsThatWaitedAreTakenAfterASnapshotHasBroughtAGroup() {
        ReplicaRig donor = ReplicaRig.started("b", "b");
        ReplicaRig joiner = new ReplicaRig("a");
        joiner.now = donor.now;
        joiner.replica.onLeader("b", joiner.now);
        joiner.plain("1", "first");
        joiner.replica.snapshots().install(donor.replica.snapshots().take(), joiner.now);
        joiner.position = donor.position;
        joiner.tick();
        joiner.deliverNext();
        joiner.executeAll();
        assertEquals("reply to first", joiner.answer("1"));
    }

    private void call(String name) {
        rig.plain(name, name);
        rig.deliverNext();
        rig.executeAll();
        assertEquals("reply to " + name, rig.answer(name));
    }
}
