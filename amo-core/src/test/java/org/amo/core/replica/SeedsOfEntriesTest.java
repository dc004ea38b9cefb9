package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.core.replica.ReplicaRig.Submitted;
import org.amo.core.request.Request;
import org.junit.jupiter.api.Test;

/** The seed of random numbers rides in the entry (docs/decisions/0089-draws-ride-in-the-order.md). */
final class SeedsOfEntriesTest {
    private final ReplicaRig rig = ReplicaRig.started("a", "a");

    SeedsOfEntriesTest() {
        rig.draws = true;
    }

    @Test
    void theExecutionsOfAnEntryCarryItsSeed() {
        rig.copies(1, 2);
        Submitted entry = rig.deliverNext();
        assertEquals(1, first(entry));
        for (Execution execution : rig.executing) {
            assertArrayEquals(
                    entry.entry().seed().orElseThrow(), execution.seed().orElseThrow());
        }
        assertEquals(List.of(0, 1), rig.executing.stream().map(Execution::index).toList());
    }

    /** The seed of the member that submitted the entry counts, not one that this member would draw. */
    @Test
    void theSeedOfAnotherMembersEntryIsTaken() {
        OrderedEntry plain = ReplicaRig.entryOf("b", 1, rig.groupTime(), rig.request(7));
        byte[] seed = new byte[OrderedEntry.SEED_BYTES];
        seed[5] = 99;
        rig.deliver(EntryBuilder.from(plain).seed(seed).entry());
        assertArrayEquals(seed, rig.executing.remove().seed().orElseThrow());
        assertEquals(0, rig.seedsDrawn);
    }

    @Test
    void anEntryWithoutRequestsHasNone() {
        rig.replica.onFinished(ReplicaRig.C, org.amo.core.sack.FinishedNumbers.of(1), rig.now);
        assertEquals(Optional.empty(), rig.submitted.remove().entry().seed());
        assertEquals(0, rig.seedsDrawn);
    }

    @Test
    void anEntryOfAMemberThatDrawsNoneHasNone() {
        rig.draws = false;
        rig.copy("one", rig.request(1));
        assertEquals(Optional.empty(), rig.deliverNext().entry().seed());
        assertEquals(Optional.empty(), rig.executing.remove().seed());
    }

    /** Whatever makes requests go again: a seed belongs to one entry. */
    @Test
    void aSeedIsNeverInTwoEntries() {
        List<Submitted> all = new ArrayList<>();
        Request request = rig.request(1);
        rig.copy("one", request);
        Submitted rejected = rig.submitted.remove();
        all.add(rejected);
        rig.replica.onRejected(rejected.number(), rig.now);
        rig.now += 100;
        rig.tick();
        Submitted lost = rig.submitted.remove();
        all.add(lost);
        // No word of it for long: it goes again, and both may be delivered.
        rig.now += 2_100;
        rig.tick();
        Submitted again = rig.submitted.remove();
        all.add(again);
        rig.replica.onLeader("b", rig.now);
        all.add(rig.submitted.remove());
        Set<Integer> seeds = new HashSet<>();
        for (Submitted each : all) {
            assertEquals(
                    List.of(request.id()),
                    each.requests().stream().map(Request::id).toList());
            seeds.add(first(each));
        }
        assertEquals(all.size(), seeds.size());
        rig.deliver(lost.entry());
        rig.deliver(again.entry());
        assertEquals(1, rig.executing.size());
        assertEquals(first(lost), rig.executing.remove().seed().orElseThrow()[0]);
        assertNotEquals(first(lost), first(again));
    }

    private static int first(Submitted submitted) {
        return submitted.entry().seed().orElseThrow()[0];
    }
}
