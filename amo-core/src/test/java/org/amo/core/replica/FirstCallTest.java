package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.junit.jupiter.api.Test;

/** SCMP's rule in the replicated group: no handshake and no registration, and the group's time instead of the client's clock. */
final class FirstCallTest {

    @Test
    void aFirstCallOfAnUnknownClientIsOneOrderedEntryAndNothingElse() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        ClientId unknown = new ClientId(77, 78);
        Request first = rig.request(unknown, 1, "hello");
        rig.copy("first", first);
        ReplicaRig.Submitted entry = rig.deliverNext();
        assertEquals(1, entry.entry().items().size());
        assertEquals(1, entry.requests().size());
        rig.executeAll();
        assertEquals("reply to hello", rig.answer("first"));
        assertTrue(rig.submitted.isEmpty(), "no entry registers the client");
        rig.copy("copy", first);
        assertEquals("reply to hello", rig.answer("copy"));
        assertEquals(1, rig.executed.size());
    }

    @Test
    void aRefusedFirstCallTellsTheGroupsTimeAndTheNextOneFits() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        long hourAhead = 3_600_000;
        ClientSession session = new ClientSession(new ClientId(5, 6));
        ClientCall call = session.begin(false, 5_000, rig.now, rig.groupTime() + hourAhead);
        assertTrue(call.timestampMillis() > rig.groupTime() + ReplicaRig.PARAMETERS.skewMillis());

        call.onCopySent();
        rig.copy(
                "1",
                ReplicaRig.request(
                        call.id().client(), call.id().number(), "op", call.timestampMillis(), call.deadlineMillis()));
        rig.deliverNext();
        Answer refusal = rig.answers.get("1").get(0);
        assertEquals(Optional.of(Refusal.TOO_EARLY), refusal.refusal());
        assertTrue(refusal.orderedTimeMillis() > 0, "refusals carry the time too");
        call.onAnswer(refusal, rig.now, rig.groupTime() + hourAhead);

        // The wall clock is still an hour ahead, and is not asked any more: the second copy takes the group's time.
        assertTrue(Math.abs(call.timestampMillis() - rig.groupTime()) <= ReplicaRig.PARAMETERS.skewMillis());
        call.onCopySent();
        rig.copy(
                "2",
                ReplicaRig.request(
                        call.id().client(), call.id().number(), "op", call.timestampMillis(), call.deadlineMillis()));
        rig.deliverNext();
        rig.executeAll();
        assertEquals("reply to op", rig.answer("2"));
    }
}
