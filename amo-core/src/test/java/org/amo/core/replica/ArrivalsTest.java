package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.base.ClientId;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.junit.jupiter.api.Test;

/** Attempts as they arrive: how long they wait, and the timestamp of those that carry none. */
final class ArrivalsTest {
    private static final ClientId FOREIGN = new ClientId(3, 3);

    @Test
    void anAttemptWaitsForTheStartOfTheGroupForTheDefaultDeadline() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onLeader("b", rig.now);
        rig.copy("1", rig.request(1));
        rig.now += 9_999;
        rig.tick();
        assertEquals("-", rig.answer("1"));
        rig.now += 1;
        rig.tick();
        assertEquals("OVERLOADED", rig.answer("1"));
    }

    /** Its expiration minus the group's retention, at every member that receives an attempt. */
    @Test
    void aForeignRequestGetsTheTimestampOfTheGroup() {
        ReplicaRig rig = ReplicaRig.started("a", "b");
        rig.copy("1", foreign(rig, 12_345));
        Request submitted = rig.deliverNext().requests().get(0);
        assertEquals(submitted.deadlineMillis() - ReplicaRig.PARAMETERS.retentionMillis(), submitted.timestampMillis());
        rig.executeAll();
        assertEquals("reply to foreign", rig.answer("1"));
        rig.copy("again", foreign(rig, 54_321));
        assertEquals("reply to foreign", rig.answer("again"), "it is taken for the same request");
        assertEquals(1, rig.executed.size());
    }

    @Test
    void aForeignRequestWaitsForAGroupThatHasNotStarted() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onLeader("b", rig.now);
        rig.copy("1", foreign(rig, 12_345));
        assertEquals("-", rig.answer("1"));
        assertTrue(rig.submitted.isEmpty());
    }

    /** Deliveries go on while an operation waits for its nested call: only the door bounds what they bring. */
    @Test
    void aMemberWithALongQueueOfExecutionsTakesKnownRequestsOnly() {
        ReplicaRig rig = ReplicaRig.withQueue(8);
        for (int number = 1; number <= 3; number++) {
            rig.deliverOf("b", number, rig.request(number));
        }
        rig.copy("new", rig.request(4));
        assertEquals("OVERLOADED", rig.answer("new"));
        assertTrue(rig.submitted.isEmpty(), "it certainly does not run");
        rig.copy("again", rig.request(3));
        assertEquals("-", rig.answer("again"));
        rig.executeAll();
        assertEquals("reply to op3", rig.answer("again"));
        rig.copy("later", rig.request(4));
        rig.deliverNext();
        rig.executeAll();
        assertEquals("reply to op4", rig.answer("later"));
    }

    /** The order charges an own oneway no body, and its attempt is given up at its deadline: from then on the queue alone counts. */
    @Test
    void aFloodOfOnewaysIsRefusedAtTheDoorWhileTheQueueIsLong() {
        ReplicaRig rig = ReplicaRig.withQueue(40);
        rig.copy("1", oneway(rig, 1));
        rig.deliverNext();
        for (int number = 2; number <= 5; number++) {
            rig.deliverOf("b", number, oneway(rig, number));
        }
        rig.now += 6_000;
        rig.tick();
        assertEquals("UNKNOWN", rig.answer("1"), "given up, and it has not run");
        rig.submitted.clear();
        for (int number = 6; number <= 100; number++) {
            rig.copy("" + number, oneway(rig, number));
            assertEquals("OVERLOADED", rig.answer("" + number));
        }
        assertTrue(rig.submitted.isEmpty());
        rig.executeOne();
        rig.executeOne();
        rig.copy("early", oneway(rig, 101));
        assertEquals("OVERLOADED", rig.answer("early"), "until half of it is left");
        rig.executeOne();
        rig.copy("later", oneway(rig, 102));
        rig.deliverNext();
        rig.executeAll();
        assertEquals(6, rig.executed.size());
    }

    private static Request oneway(ReplicaRig rig, int number) {
        return new Request(
                RequestId.own(ReplicaRig.C, number),
                rig.groupTime(),
                rig.groupTime() + 5_000,
                number,
                true,
                new byte[10]);
    }

    /** In style passive a snapshot may come while executions wait: its state has them. */
    @Test
    void aSnapshotEmptiesALongQueue() {
        ReplicaRig rig = ReplicaRig.passiveWithQueue(5);
        ReplicaRig other = ReplicaRig.passive("c");
        Request first = rig.request(1);
        Request second = rig.request(2);
        rig.replica.onLeader("b", rig.now);
        rig.deliverOf("b", 1, first, second);
        other.deliverOf("b", 1, first, second);
        RunOutcome outcome = UpdateChainTest.outcome(other.executing.element().place(), 0, "1", "2");
        other.deliver(ReplicaRig.outcomeEntry("b", 2, other.groupTime(), outcome));
        other.acceptedNext();
        rig.copy("new", rig.request(3));
        assertEquals("OVERLOADED", rig.answer("new"));
        rig.replica.snapshots().install(other.replica.snapshots().take(), rig.now);
        rig.copy("later", rig.request(3));
        assertEquals("-", rig.answer("later"));
    }

    private static Request foreign(ReplicaRig rig, long timestamp) {
        return new Request(
                new RequestId(Space.FOREIGN, FOREIGN, 7),
                timestamp,
                rig.groupTime() + 10_000,
                3,
                false,
                ReplicaRig.bytes("foreign"));
    }
}
