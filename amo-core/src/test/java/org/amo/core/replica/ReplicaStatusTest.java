package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.order.LogHealth;
import org.amo.core.replica.ReplicaRig.Submitted;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** Each figure of {@link ReplicaStatus}, after a short history whose figures can be counted by hand. */
final class ReplicaStatusTest {
    private final ReplicaRig rig = ReplicaRig.started("a", "a");

    private ReplicaStatus status() {
        return rig.replica.status();
    }

    /** The next entry of this member is delivered and executed. @return its length */
    private int next() {
        Submitted delivered = rig.deliverNext();
        rig.executeAll();
        return delivered.entry().encode().length;
    }

    @Test
    void aGroupThatHasStartedHasOneEntryWithoutItems() {
        ReplicaStatus status = status();
        assertEquals("a", status.id());
        assertEquals("a", status.leader());
        assertEquals(Optional.of("a"), rig.replica.leader());
        assertTrue(rig.replica.started());
        assertEquals(1, status.position());
        assertEquals(1, status.executedPosition());
        assertEquals(1, rig.replica.executedPosition());
        assertEquals(0, status.executed());
        assertEquals(
                Map.of(
                        "total",
                        1L,
                        "requests",
                        0L,
                        "acknowledgements",
                        0L,
                        "ticks",
                        1L,
                        "malformed",
                        0L,
                        "malformedMessages",
                        0L),
                status.orderedEntries());
        assertEquals(Map.of(), status.refusals());
        assertEquals(Map.of(), status.overloads());
        assertEquals("", status.stateDigest());
        ReplicaRig before = new ReplicaRig("a");
        assertFalse(before.replica.started());
        assertEquals(Optional.empty(), before.replica.leader());
    }

    @Test
    void entriesBytesAndRepliesAreCounted() {
        long bytes = status().orderedBytes();
        long sackBytes = status().sackBytes();
        rig.copy("1", rig.request(1));
        assertEquals(0, status().queued());
        rig.copy("2", rig.request(2));
        assertEquals(1, status().queued(), "it waits for the entry before it");
        bytes += next();
        bytes += next();
        ReplicaStatus status = status();
        assertEquals(2, status.executed());
        assertEquals(3, status.executedPosition());
        assertEquals(2L, status.orderedEntries().get("requests"));
        assertEquals(3L, status.orderedEntries().get("total"));
        assertEquals(bytes, status.orderedBytes());
        assertEquals(sackBytes + 2, status.sackBytes(), "a byte each where nothing is acknowledged");
        assertEquals(2, status.entries());
        assertEquals(2, status.entriesPeak());
        assertEquals(2L * "reply to op1".length(), status.bytes());
        assertEquals(status.bytes(), status.bytesPeak());
        rig.replica.onFinished(ReplicaRig.C, FinishedNumbers.of(2), rig.now);
        rig.now += 50;
        rig.tick();
        bytes += next();
        status = status();
        assertEquals(1L, status.orderedEntries().get("acknowledgements"));
        assertEquals(4L, status.orderedEntries().get("total"));
        assertEquals(bytes, status.orderedBytes());
        assertEquals(2, status.purgedBySack());
        assertEquals(0, status.entries());
        assertEquals(2, status.entriesPeak());
        assertEquals(0, status.bytes());
        assertTrue(status.bytesPeak() > 0);
        assertTrue(status.sackBytes() > sackBytes + 2);
    }

    @Test
    void refusalsAreCountedByTheirReason() {
        Request stale = ReplicaRig.request(ReplicaRig.C, 5, "old", 1, 2);
        rig.deliverOf("b", 1, stale);
        rig.deliverOf("b", 2, stale);
        assertEquals(Map.of("STALE", 2L), status().refusals());
        assertEquals(0, status().executed());
    }

    /** Refused by the order, where another member could not know that there is no room. */
    @Test
    void overloadsInTheOrderAreCountedByTheirBudget() {
        GroupParameters oneEntry = GroupParameters.builder()
                .retentionMillis(20_000)
                .skewMillis(100)
                .defaultDeadlineMillis(10_000)
                .maxEntriesPerClient(1)
                .build();
        ReplicaRig small = new ReplicaRig("a", oneEntry);
        small.deliverStart(oneEntry);
        small.now += 1_000;
        small.deliverOf("b", 1, small.request(1), small.request(2), small.request(3));
        assertEquals(Map.of("CLIENT_ENTRIES", 2L), small.replica.status().overloads());
        assertEquals(Map.of("OVERLOADED", 2L), small.replica.status().refusals());
    }

    @Test
    void theMostRangesOfAClientAreCounted() {
        rig.copies(1, 3, 5);
        next();
        assertEquals(0, rig.replica.maxRanges());
        rig.replica.onFinished(ReplicaRig.C, FinishedNumbers.of(0, 3, 3, 5, 5), rig.now);
        next();
        assertEquals(2, rig.replica.maxRanges());
    }

    @Test
    void whatTheLogAndTheServantSayIsShown() {
        rig.replica.onHealth(new LogHealth("disk full; free some room", 3));
        rig.replica.onStateDigest(7, 0xABCDL);
        assertEquals("disk full; free some room", status().trouble());
        assertEquals(3, status().repaired());
        assertEquals("7@000000000000abcd", status().stateDigest());
    }

    @Test
    void aClosedReplicaAnswersEachCopyOnce() {
        ReplicaRig early = new ReplicaRig("a");
        early.plain("plain", "before the group has a time");
        early.copy("waiting", early.request(1));
        early.replica.onClose();
        assertEquals("OVERLOADED", early.answer("plain"));
        assertEquals("OVERLOADED", early.answer("waiting"));
        early.replica.onClose();
        assertEquals(1, early.answers.get("plain").size());
        assertEquals(1, early.answers.get("waiting").size());
        assertEquals(List.of(), List.copyOf(early.submitted));
    }

    @Test
    void theLineOfTheShellOnADivergenceIsShown() {
        assertEquals("", status().divergence());
        assertEquals(0, status().divergedAt());
        rig.replica.onDivergence("differs at 3/0", 3);
        assertEquals("differs at 3/0", status().divergence());
        assertEquals(3, status().divergedAt());
    }
}
