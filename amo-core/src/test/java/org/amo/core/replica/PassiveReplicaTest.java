package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One member of a group of style passive: when it executes, when it answers, and when its state is worth nothing. */
class PassiveReplicaTest {
    private final ReplicaRig rig = ReplicaRig.passive("a");

    private void lead() {
        rig.replica.onLeader("a", rig.now);
        while (!rig.submitted.isEmpty()) {
            rig.deliverNext();
        }
    }

    private RunOutcome run(String reply) {
        Execution execution = rig.executing.remove();
        rig.replica.onRun(List.of(execution), List.of(ReplicaRig.bytes(reply)), ReplicaRig.bytes("update"), rig.now);
        return new RunOutcome(
                execution.place(),
                0,
                List.of(new RunOutcome.Reply(ReplicaRig.bytes(reply), false)),
                ReplicaRig.bytes("update"));
    }

    private void deliverOutcome(String member, RunOutcome outcome) {
        rig.deliver(new OrderedEntry(
                member,
                ReplicaRig.incarnation(member),
                90,
                rig.groupTime(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.of(outcome),
                List.of()));
    }

    @Test
    void aLeaderExecutesOnceAnEntryOfItsOwnIsDelivered() {
        rig.replica.onLeader("a", rig.now);
        assertTrue(rig.passiveSteps.isEmpty(), rig.passiveSteps::toString);
        rig.deliverNext();
        assertEquals(List.of("primary true"), rig.passiveSteps);
        rig.replica.onLeader("b", rig.now);
        assertEquals(List.of("primary true", "primary false"), rig.passiveSteps);
    }

    @Test
    void thePrimaryAnswersOnceItsOutcomeIsAccepted() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        run("drawn");
        assertEquals("-", rig.answer("one"));
        rig.deliverNext();
        assertEquals("accepted 1 own", rig.passiveSteps.get(rig.passiveSteps.size() - 1));
        assertEquals("-", rig.answer("one"));
        rig.acceptedNext();
        assertEquals("drawn", rig.answer("one"));
    }

    @Test
    void aBackupTakesTheOutcomeOfThePrimary() {
        rig.replica.onLeader("b", rig.now);
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Execution waits = rig.executing.element();
        deliverOutcome(
                "b",
                new RunOutcome(
                        waits.place(),
                        0,
                        List.of(new RunOutcome.Reply(ReplicaRig.bytes("of b"), false)),
                        ReplicaRig.bytes("update of b")));
        assertEquals(List.of("accepted 1"), rig.passiveSteps);
        rig.acceptedNext();
        assertEquals("of b", rig.answer("one"));
    }

    @Test
    void anOutcomeThatIsLostGoesAgainWhileTheMemberLeads() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        run("drawn");
        rig.submitted.clear();
        rig.now += 2_500;
        rig.tick();
        assertTrue(rig.submitted.stream().anyMatch(one -> one.entry().outcome().isPresent()));
        rig.replica.onLeader("b", rig.now);
        rig.submitted.clear();
        rig.now += 2_500;
        rig.tick();
        assertTrue(rig.submitted.stream().noneMatch(one -> one.entry().outcome().isPresent()));
    }

    /** The order has lost the first of two: the second alone would be ignored, again and again. */
    @Test
    void outcomesThatRestOnALostOneGoAgainBehindIt() {
        lead();
        rig.deliverOf("b", 5, rig.request(1));
        rig.deliverOf("b", 6, rig.request(2));
        Place first = run("one").first();
        Place second = run("two").first();
        rig.submitted.remove();
        rig.deliverNext();
        assertEquals(
                List.of(first, second),
                rig.submitted.stream()
                        .flatMap(one -> one.entry().outcome().stream())
                        .map(RunOutcome::first)
                        .toList());
        rig.deliverNext();
        rig.deliverNext();
        assertEquals(List.of("primary true", "accepted 1 own", "accepted 1 own"), rig.passiveSteps);
    }

    /** On a slow network, its copies would delay all that follows. */
    @Test
    void aLargeOutcomeHasMoreTimeBeforeItGoesAgain() {
        lead();
        rig.deliverOf("b", 5, rig.request(1));
        rig.replica.onRun(
                List.of(rig.executing.remove()), List.of(ReplicaRig.bytes("one")), new byte[10 << 20], rig.now);
        rig.submitted.clear();
        rig.now += 5_000;
        rig.tick();
        assertTrue(rig.submitted.stream().noneMatch(one -> one.entry().outcome().isPresent()));
        rig.now += 8_000;
        rig.tick();
        assertTrue(rig.submitted.stream().anyMatch(one -> one.entry().outcome().isPresent()));
    }

    @Test
    void aMemberThatExecutedForItselfBeginsAnew() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        run("drawn");
        Place place = new Place(rig.position, 0);
        rig.replica.onLeader("b", rig.now);
        deliverOutcome(
                "b",
                new RunOutcome(
                        place,
                        0,
                        List.of(new RunOutcome.Reply(ReplicaRig.bytes("of b"), false)),
                        ReplicaRig.bytes("update of b")));
        assertTrue(rig.passiveSteps.contains("begin anew " + place), rig.passiveSteps::toString);
        assertEquals("-", rig.answer("one"));
    }

    @Test
    void aRunOfPlacesThatHaveAnOutcomeByNowIsWorthNothing() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Place place = rig.executing.element().place();
        deliverOutcome(
                "b",
                new RunOutcome(
                        place,
                        0,
                        List.of(new RunOutcome.Reply(ReplicaRig.bytes("of b"), false)),
                        ReplicaRig.bytes("update of b")));
        run("drawn");
        assertTrue(rig.passiveSteps.contains("begin anew " + place), rig.passiveSteps::toString);
    }

    @Test
    void aGroupOfAnotherStyleIsNotJoined() {
        ReplicaRig active = new ReplicaRig("a");
        active.deliver(ReplicaRig.passiveStart());
        assertEquals(List.of("style differs"), active.passiveSteps);
        ReplicaRig passive = ReplicaRig.passiveAlone("a");
        passive.deliverStart(ReplicaRig.PARAMETERS);
        assertEquals(List.of("style differs"), passive.passiveSteps);
    }

    @Test
    void aSnapshotHoldsTheChainAndAMemberGoesOnFromIt() {
        rig.replica.onLeader("b", rig.now);
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        SnapshotCut cut = rig.replica.cut();
        RunOutcome first = new RunOutcome(
                rig.executing.element().place(),
                0,
                List.of(new RunOutcome.Reply(ReplicaRig.bytes("of b"), false)),
                ReplicaRig.bytes("update"));
        deliverOutcome("b", first);
        rig.acceptedNext();
        assertTrue(cut.isComplete());
        ReplicaRig other = ReplicaRig.passive("c");
        other.replica.install(cut.encode(), other.now);
        other.position = cut.position();
        other.deliver(new OrderedEntry(
                "b",
                ReplicaRig.incarnation("b"),
                90,
                rig.groupTime(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.of(first),
                List.of()));
        assertEquals(List.of(), other.passiveSteps, "its state holds the outcome");
        assertEquals(rig.replica.digest(), other.replica.digest());
    }
}
