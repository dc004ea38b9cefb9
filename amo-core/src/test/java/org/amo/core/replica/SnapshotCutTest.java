package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A snapshot that begins while executions are under way. */
final class SnapshotCutTest {
    private final ReplicaRig rig = ReplicaRig.started("a", "b");

    @Test
    void withoutExecutionsUnderWayACutIsCompleteAtOnce() {
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        rig.executeAll();
        SnapshotCut cut = rig.replica.snapshots().cut();
        assertTrue(cut.isComplete());
        assertEquals(rig.position, cut.position());
        assertArrayEquals(rig.replica.snapshots().take(), cut.encode());
    }

    @Test
    void aCutIsCompleteWhenTheLastRequestUpToItWasExecuted() {
        rig.copies(1, 2);
        rig.deliverNext();
        SnapshotCut cut = rig.replica.snapshots().cut();
        assertFalse(cut.isComplete());
        rig.executeOne();
        assertFalse(cut.isComplete());
        rig.executeOne();
        assertTrue(cut.isComplete());
        assertArrayEquals(rig.replica.snapshots().take(), cut.encode());
    }

    @Test
    void aCutThatIsNotCompleteHasNoBytes() {
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        SnapshotCut cut = rig.replica.snapshots().cut();
        IllegalStateException early = assertThrows(IllegalStateException.class, cut::encode);
        assertTrue(early.getMessage().contains("position " + cut.position()), early.getMessage());
    }

    @Test
    void entriesBehindTheCutAreNotInIt() {
        ReplicaRig same = ReplicaRig.started("a", "b");
        same.copy("1", same.request(1));
        same.deliverNext();
        same.executeAll();

        rig.copy("1", rig.request(1));
        rig.deliverNext();
        SnapshotCut cut = rig.replica.snapshots().cut();
        rig.deliverOf("c", 1, rig.request(2));
        rig.executeAll();
        assertEquals(same.position, cut.position());
        assertArrayEquals(same.replica.snapshots().take(), cut.encode());
    }

    @Test
    void aDroppedCutIsNeverComplete() {
        rig.copy("1", rig.request(1));
        rig.deliverNext();
        SnapshotCut cut = rig.replica.snapshots().cut();
        rig.replica.snapshots().dropCut();
        rig.executeAll();
        assertFalse(cut.isComplete());
    }

    /** Replies go to files beyond a part of the heap; those of a cut are all on it. */
    @Test
    void aCutTakesNoMoreRepliesThanItMay() {
        rig.copies(1, 2, 3);
        rig.deliverNext();
        long replyBytes = "reply to op1".length();
        SnapshotCut cut = rig.replica.snapshots().cut(2 * replyBytes - 1);
        rig.executeOne();
        assertFalse(cut.isTooLarge());
        rig.executeOne();
        assertTrue(cut.isTooLarge());
        rig.executeOne();
        assertFalse(cut.isComplete());
        assertThrows(IllegalStateException.class, cut::encode);
        assertEquals(3 * replyBytes, rig.replica.snapshots().keptReplyBytes());
        SnapshotCut next = rig.replica.snapshots().cut(0);
        assertFalse(next.isTooLarge(), "no reply is to come");
        assertArrayEquals(rig.replica.snapshots().take(), next.encode());
    }

    @Test
    void aSnapshotOfAMemberWithoutEntriesCanBeInstalled() {
        ReplicaRig other = new ReplicaRig("b");
        other.replica
                .snapshots()
                .install(new ReplicaRig("a").replica.snapshots().take(), other.now);
        assertEquals(0, other.replica.position());
        assertFalse(other.replica.started());
    }
}
