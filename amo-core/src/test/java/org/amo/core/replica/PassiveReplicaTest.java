package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

    /** This member executes the next request. @return its place */
    private Place run(String reply) {
        Execution execution = rig.executing.remove();
        rig.replica.onRun(List.of(execution), List.of(ReplicaRig.bytes(reply)), ReplicaRig.bytes("update"), rig.now);
        return execution.place();
    }

    private void deliverOutcome(String member, RunOutcome outcome) {
        rig.deliver(ReplicaRig.outcomeEntry(member, 90, rig.groupTime(), outcome));
    }

    private static RunOutcome ofB(Place place) {
        return UpdateChainTest.outcome(place, 0, "of b");
    }

    /** As a backup this member has been told of a request, and has its place. */
    private Place requestOfAGroupThatBLeads() {
        rig.replica.onLeader("b", rig.now);
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        return rig.executing.element().place();
    }

    private void report(String member, Place place, Word word) {
        ExecutionReport report = new ExecutionReport(place, word, rig.position, List.of("a", "b", "c"), List.of());
        rig.deliverOf(member, 91, Optional.of(report));
    }

    private List<Word> said() {
        return rig.submitted.stream()
                .flatMap(each -> each.entry().report().stream())
                .map(ExecutionReport::word)
                .toList();
    }

    /** Places of the outcomes that this member submits. */
    private List<Place> offered() {
        return rig.submitted.stream()
                .flatMap(each -> each.entry().outcome().stream())
                .map(RunOutcome::first)
                .toList();
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
    void aRunThatIsUndoneIsAnsweredOnceTheOrderHasAcceptedIt() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Execution execution = rig.executing.remove();
        rig.replica.onUndone(List.of(execution), List.of(ReplicaRig.bytes("sorry")), rig.now);
        assertEquals("-", rig.answer("one"));
        rig.deliverNext();
        assertEquals(List.of("primary true", "primary false", "undone 1 own"), rig.passiveSteps);
        rig.acceptedNext();
        assertEquals("sorry", rig.answer("one"));
    }

    @Test
    void aBackupTakesTheOutcomeOfThePrimary() {
        deliverOutcome("b", ofB(requestOfAGroupThatBLeads()));
        assertEquals(List.of("accepted 1"), rig.passiveSteps);
        rig.acceptedNext();
        assertEquals("of b", rig.answer("one"));
    }

    @Test
    void anOutcomeThatIsLostGoesAgainWhileTheMemberLeads() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Place place = rig.executing.element().place();
        run("drawn");
        rig.submitted.clear();
        rig.now += 2_500;
        rig.tick();
        assertEquals(List.of(place), offered());
        rig.replica.onLeader("b", rig.now);
        rig.submitted.clear();
        rig.now += 2_500;
        rig.tick();
        assertEquals(List.of(), offered());
    }

    /** The order has lost the first of two: the second alone would be ignored, again and again. */
    @Test
    void outcomesThatRestOnALostOneGoAgainBehindIt() {
        lead();
        rig.deliverOf("b", 5, rig.request(1));
        rig.deliverOf("b", 6, rig.request(2));
        Place first = run("one");
        Place second = run("two");
        rig.submitted.remove();
        rig.deliverNext();
        assertEquals(List.of(first, second), offered());
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
        deliverOutcome("b", ofB(place));
        assertTrue(rig.passiveSteps.contains("begin anew " + place), rig.passiveSteps::toString);
        assertEquals("-", rig.answer("one"));
    }

    @Test
    void aRunOfPlacesThatHaveAnOutcomeByNowIsWorthNothing() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Place place = rig.executing.element().place();
        deliverOutcome("b", ofB(place));
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
    void anOutcomeOnItsWayIsNotSubmittedAgain() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Place place = rig.executing.element().place();
        run("drawn");
        assertEquals(List.of(place), offered());
        rig.tick();
        assertEquals(List.of(place), offered());
    }

    @Test
    void aRejectedOutcomeIsSubmittedAgainWithoutAWait() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Place place = rig.executing.element().place();
        run("drawn");
        long rejected = rig.submitted.remove().number();
        rig.replica.onRejected(rejected, rig.now);
        rig.now += 20;
        rig.tick();
        assertEquals(List.of(place), offered());
    }

    @Test
    void aRejectedEntryBehindWhichALeaderExecutesIsSubmittedAgainWithoutAWait() {
        rig.replica.onLeader("a", rig.now);
        long rejected = rig.submitted.remove().number();
        rig.replica.onRejected(rejected, rig.now);
        rig.now += 20;
        rig.tick();
        rig.deliverNext();
        assertEquals(List.of("primary true"), rig.passiveSteps);
    }

    @Test
    void theStatusNamesTheStyleAndTheMemberThatExecutes() {
        assertEquals("passive", rig.replica.status().style());
        assertEquals("", rig.replica.status().primary());
        rig.replica.onLeader("b", rig.now);
        assertEquals("b", rig.replica.status().primary());
        rig.replica.onLeader("a", rig.now);
        assertEquals("", rig.replica.status().primary(), "it may lack outcomes of b");
        lead();
        assertEquals("a", rig.replica.status().primary());
        ReplicaStatus active = ReplicaRig.started("a", "b").replica.status();
        assertEquals("active", active.style());
        assertEquals("", active.primary());
    }

    @Test
    void theFirstLeaderGivesTheGroupItsStyle() {
        ReplicaRig first = ReplicaRig.passiveAlone("a");
        first.replica.onLeader("a", first.now);
        first.reportClock("b", ReplicaRig.EPOCH);
        first.reportClock("c", ReplicaRig.EPOCH);
        first.tick();
        first.deliverNext();
        assertTrue(first.replica.started());
        assertEquals(List.of(), first.passiveSteps);
    }

    // ------------------------------------------------- requests that end members

    @Test
    void aBackupHoldsARequestAsSoonAsOneMemberDiedOfIt() {
        Place place = requestOfAGroupThatBLeads();
        report("b", place, Word.DIED);
        rig.tick();
        assertEquals(List.of("hold " + place), rig.asked);
        rig.replica.onHeld(place);
        rig.tick();
        assertEquals(List.of(Word.HELD), said());
        rig.deliverNext();
        report("c", place, Word.HELD);
        assertEquals(
                List.of("hold " + place, "skip " + place), rig.asked, "one death is enough if no member has run it");
    }

    @Test
    void theLeaderHoldsNoRequestThatOneOtherMemberDiedOf() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        report("b", rig.executing.element().place(), Word.DIED);
        rig.tick();
        assertEquals(List.of(), rig.asked);
    }

    @Test
    void aRequestWithAnAcceptedOutcomeCountsAsExecuted() {
        Place place = requestOfAGroupThatBLeads();
        deliverOutcome("b", ofB(place));
        report("c", place, Word.DIED);
        rig.tick();
        assertEquals(List.of(Word.EXECUTED), said());
        assertEquals(List.of(), rig.asked);
    }

    @Test
    void aFormerPrimaryOffersItsOutcomeOfARequestThatEndedMembers() {
        lead();
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Place place = rig.executing.element().place();
        run("drawn");
        rig.replica.onLeader("b", rig.now);
        rig.submitted.clear();
        rig.tick();
        assertEquals(List.of(), offered());
        report("b", place, Word.DIED);
        rig.tick();
        assertEquals(List.of(place), offered());
    }

    // ------------------------------------------------- divergence

    /** The votes of the others come before the digest of this member. */
    @Test
    void aPrimaryThatHasDivergedStopsWithItsVerdict() {
        ReplicaRig diverging = ReplicaRig.passive("a", ReplicaSettings.Divergence.STOP);
        diverging.replica.onLeader("a", diverging.now);
        diverging.deliverNext();
        diverging.deliverOf("b", 2, diverging.request(1));
        Place place = diverging.executing.element().place();
        diverging.deliver(ReplicaRig.outcomeEntry("b", 90, diverging.groupTime(), ofB(place)));
        diverging.deliver(marked("b", true, Optional.empty()));
        DigestVote vote =
                new DigestVote(diverging.position, 7, OptionalLong.empty(), List.of("a", "b", "c"), Optional.empty());
        diverging.deliver(marked("b", false, Optional.of(vote)));
        diverging.deliver(marked("c", false, Optional.of(vote)));
        assertEquals(List.of("primary true", "accepted 1"), diverging.passiveSteps);
        diverging.acceptedNext();
        assertEquals(List.of("primary true", "accepted 1", "primary false"), diverging.passiveSteps);
    }

    private OrderedEntry marked(String member, boolean mark, Optional<DigestVote> vote) {
        return EntryBuilder.of(member, ReplicaRig.incarnation(member), 92, rig.groupTime())
                .mark(mark)
                .vote(vote)
                .entry();
    }

    // ------------------------------------------------- snapshots

    @Test
    void aMemberTakesASnapshotWhileItExecutes() {
        deliverOutcome("b", ofB(requestOfAGroupThatBLeads()));
        SnapshotCut cut = rig.replica.snapshots().cut();
        rig.acceptedNext();
        ReplicaRig slow = ReplicaRig.passive("c");
        slow.deliverOf("b", 1, slow.request(1));
        assertFalse(slow.replica.snapshots().isSettled());
        slow.replica.snapshots().install(cut.encode(), slow.now);
        assertEquals(cut.position(), slow.replica.executedPosition());
        assertTrue(slow.replica.snapshots().isSettled());
    }

    @Test
    void aSnapshotOfAnotherStyleIsRefused() {
        byte[] ofActive = ReplicaRig.started("b", "b").replica.snapshots().take();
        rig.replica.snapshots().install(ofActive, rig.now);
        assertEquals(List.of("style differs"), rig.passiveSteps);
        ReplicaRig active = ReplicaRig.started("a", "b");
        active.replica
                .snapshots()
                .install(ReplicaRig.passive("c").replica.snapshots().take(), active.now);
        assertEquals(List.of("style differs"), active.passiveSteps);
    }

    @Test
    void aSnapshotHoldsTheChainAndAMemberGoesOnFromIt() {
        RunOutcome first = ofB(requestOfAGroupThatBLeads());
        SnapshotCut cut = rig.replica.snapshots().cut();
        deliverOutcome("b", first);
        rig.acceptedNext();
        assertTrue(cut.isComplete());
        ReplicaRig other = ReplicaRig.passive("c");
        other.replica.snapshots().install(cut.encode(), other.now);
        other.position = cut.position();
        other.deliver(ReplicaRig.outcomeEntry("b", 90, rig.groupTime(), first));
        assertEquals(List.of(), other.passiveSteps, "its state holds the outcome");
        assertEquals(rig.replica.digest(), other.replica.digest());
    }
}
