package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.GroupClient;
import org.amo.core.client.GroupClientEffects;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
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

    /**
     * A first call by datagram, by a clock that is ahead: it is refused as TOO_EARLY, and the network delivers it once more when its time
     * has come. Under a new number the call would run twice.
     */
    @Test
    void aRefusedDatagramThatTheNetworkDeliversAgainDoesNotRunBesideAnotherNumber() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        List<Attempt> sent = new ArrayList<>();
        List<String> replies = new ArrayList<>();
        GroupClient<String> client = new GroupClient<>(
                new ClientSession(new ClientId(5, 6)),
                1,
                0,
                3_000,
                GroupClient.Datagrams.FIRST,
                new FirstCallEffects(sent, replies));
        long ahead = ReplicaRig.PARAMETERS.skewMillis() + 50;
        client.onCall("x", new byte[] {1}, false, 5_000, rig.now, rig.groupTime() + ahead);
        arrive(rig, "datagram", sent.get(0));
        rig.deliverNext();
        Answer refusal = rig.answers.get("datagram").get(0);
        assertEquals(Optional.of(Refusal.TOO_EARLY), refusal.refusal());
        client.onAnswer(0, sent.get(0).copy(), refusal, rig.now, rig.groupTime() + ahead);
        client.onConnected(0, Answer.NO_BOUND, rig.now, rig.groupTime() + ahead);

        rig.now += 200;
        client.onTick(rig.now, rig.groupTime() + ahead);
        arrive(rig, "retry", sent.get(1));
        rig.deliverNext();
        rig.executeAll();
        client.onAnswer(0, sent.get(1).copy(), rig.answers.get("retry").get(0), rig.now, rig.groupTime() + ahead);
        assertEquals(List.of("x"), replies);
        arrive(rig, "again", sent.get(0));
        while (!rig.submitted.isEmpty()) {
            rig.deliverNext();
            rig.executeAll();
        }
        assertEquals(1, rig.executed.size(), "the application called once");
    }

    private static void arrive(ReplicaRig rig, String name, Attempt attempt) {
        rig.copy(
                name,
                ReplicaRig.request(
                        attempt.id().client(),
                        attempt.id().number(),
                        "op",
                        attempt.timestampMillis(),
                        attempt.deadlineMillis()));
    }

    private record FirstCallEffects(List<Attempt> sent, List<String> replies) implements GroupClientEffects<String> {
        @Override
        public void connect(int member) {}

        @Override
        public boolean fitsDatagram(int member, String caller) {
            return true;
        }

        @Override
        public void sendDatagram(int member, String caller, Attempt copy) {
            sent.add(copy);
        }

        @Override
        public void send(int member, String caller, Attempt copy) {
            sent.add(copy);
        }

        @Override
        public void acknowledge(int member, FinishedNumbers finished) {}

        @Override
        public void replied(String caller, RequestId id, byte[] reply) {
            replies.add(caller);
        }

        @Override
        public void notExecuted(String caller, RequestId id, Optional<Refusal> reason, Optional<Budget> budget) {
            replies.add(caller + " not executed");
        }

        @Override
        public void unknown(String caller, RequestId id, Optional<Refusal> reason) {
            replies.add(caller + " unknown");
        }
    }
}
