package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
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
        rig.deliver(entry(member, outcome));
    }

    private OrderedEntry entry(String member, RunOutcome outcome) {
        return EntryBuilder.of(member, ReplicaRig.incarnation(member), 90, rig.groupTime())
                .outcome(outcome)
                .entry();
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
        other.deliver(entry("b", first));
        assertEquals(List.of(), other.passiveSteps, "its state holds the outcome");
        assertEquals(rig.replica.digest(), other.replica.digest());
    }
}
