package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.request.Budget;
import org.amo.core.request.Request;
import org.junit.jupiter.api.Test;

/** Three members compare their digests: one of them has another result, or all have. */
class DivergenceTest {
    private final RigGroup group = RigGroup.started(Divergence.STOP);

    @Test
    void equalMembersStayAndTheirMarksEndWithTheRequests() {
        assertEquals("reply to one", call(group.a, 1, "one"));
        assertFalse(group.a.replica.snapshots().mayKeep(group.a.replica.position()), "no member has voted on it");
        group.live(2_000);
        assertTrue(group.order.stream().anyMatch(OrderedEntry::mark), "a mark was ordered");
        assertTrue(group.a.replica.snapshots().mayKeep(group.a.replica.executedPosition() - 3));
        int quiet = group.order.size();
        group.live(3_000);
        assertEquals(quiet, group.order.size(), "entries of a group that rests");
        for (ReplicaRig rig : group.all) {
            assertEquals(List.of(), rig.diverged);
            assertEquals(0, rig.replica.status().diverged());
            assertFalse(rig.replica.snapshots().isDisputed());
        }
    }

    @Test
    void aMemberWithAnotherReplyIsNamedWithinTwoSecondsAndAnswersNoMore() {
        call(group.a, 1, "one");
        group.live(1_000);
        divergesAt(group.c, "two");
        call(group.a, 2, "two");
        call(group.a, 3, "three");
        long place = group.a.executed.get(1).position();
        group.live(1_900);

        assertEquals(2, group.c.diverged.size(), group.c.diverged.toString());
        assertTrue(group.c.diverged.get(0).endsWith("from [a, b]"), group.c.diverged.toString());
        assertEquals("first at " + place + "/0 two", group.c.diverged.get(1));
        assertEquals("OVERLOADED", call(group.c, 4, "four"));
        assertFalse(group.c.replica.isCaughtUp(), "its state goes to no one");
        assertEquals("reply to four", call(group.a, 4, "four"));
        assertEquals(1, group.a.replica.status().diverged());
        assertEquals(List.of(), group.a.diverged);
    }

    @Test
    void aMemberThatCanGiveNoStateForItsTimersSaysSoToTheOneThatAsked() {
        ReplicaRig rig = new ReplicaRig("a");
        assertFalse(rig.replica.operations().hasPendingTimers());
        rig.replica.operations().onTimer(OptionalLong.of(rig.now + 5_000));
        assertTrue(rig.replica.operations().hasPendingTimers());
        rig.replica.snapshots().onTimersPending("c");
        assertEquals(List.of(new ReplicaRig.Sent("c", new PeerMessage.TimersPending())), List.copyOf(rig.sent));
        byte[] message = new PeerMessage.TimersPending().encode();
        rig.replica.onMessage("b", message, rig.now);
        rig.replica.onMessage("stranger", message, rig.now);
        assertEquals(List.of("timers are pending at b"), rig.asked);
    }

    /** What waits at the diverged member is answered without a reply, so that its client asks another one. */
    @Test
    void anAttemptThatWaitsAtADivergedMemberIsNotAnsweredByIt() {
        divergesAt(group.c, "one");
        call(group.a, 1, "one");
        group.loseMessages();
        Request late = request(2, "two");
        group.c.copy("late", late);
        group.order(group.c);
        group.deliverOnly(group.a);
        group.deliverOnly(group.b);
        group.deliverOnly(group.c);
        List<ReplicaRig> others = List.of(group.a, group.b);
        for (int i = 0; i < 20; i++) {
            group.pass(100);
            others.forEach(ReplicaRig::tick);
            group.settle(others);
            group.deliverOnly(group.c);
        }
        assertEquals("-", group.c.answer("late"));
        group.c.executeAll();
        assertEquals("UNKNOWN", group.c.answer("late"));
        assertEquals("reply to two", call(group.a, 2, late));
    }

    @Test
    void aStateThatNoReplyTellsIsComparedToo() {
        group.all.forEach(rig -> rig.stateDigest = OptionalLong.of(7));
        call(group.a, 1, "one");
        group.live(1_000);
        assertEquals(List.of(), group.c.diverged);
        group.c.stateDigest = OptionalLong.of(8);
        call(group.a, 2, "two");
        group.live(1_900);
        assertEquals(2, group.c.diverged.size(), group.c.diverged.toString());
        assertEquals("first at - -", group.c.diverged.get(1));
    }

    @Test
    void aSlowMemberHasNotDiverged() {
        List<ReplicaRig> others = List.of(group.a, group.b);
        group.a.copy("1", request(1, "one"));
        group.settle(others);
        for (int i = 0; i < 40; i++) {
            group.pass(100);
            others.forEach(ReplicaRig::tick);
            group.settle(others);
        }
        group.deliverOnly(group.c);
        group.c.tick();
        assertEquals(List.of(), group.c.diverged);
        assertEquals(0, group.a.replica.status().diverged());
        group.live(3_000);
        assertEquals(List.of(), group.c.diverged);
        assertEquals("reply to two", call(group.c, 2, "two"));
    }

    @Test
    void withoutAMajorityEachMemberNamesTheOperationWithinTwoSecondsAndTheGroupTakesNoRequests() {
        call(group.b, 1, "zero");
        group.live(1_000);
        divergesAt(group.a, "one");
        divergesAt(group.c, "one");
        call(group.b, 2, "one");
        call(group.b, 3, "two");
        long place = group.b.executed.get(1).position();
        group.live(1_900);
        for (ReplicaRig rig : group.all) {
            assertEquals(2, rig.diverged.size(), rig.diverged.toString());
            assertTrue(rig.replica.snapshots().isDisputed());
            assertTrue(rig.diverged.get(0).startsWith("disputed at "), rig.diverged.toString());
            String other = rig == group.a ? "b" : "a";
            assertEquals("disputed first at " + place + "/0 one with " + other, rig.diverged.get(1));
            rig.copy("4", request(4, "three"));
            assertEquals(Budget.DIVERGENCE, rig.answers.get("4").get(0).budget().orElseThrow());
        }
    }

    /** Members b and c agree on the first operation on which a differs from them, and differ from each other later. */
    @Test
    void withoutAMajorityAMemberNamesTheEarliestDifferenceOfTheGroup() {
        divergesAt(group.a, "one");
        divergesAt(group.c, "two");
        call(group.b, 1, "one");
        call(group.b, 2, "two");
        group.live(1_900);
        long place = group.b.executed.get(0).position();
        for (ReplicaRig rig : List.of(group.b, group.c)) {
            assertEquals("disputed first at " + place + "/0 one with a", rig.diverged.get(1));
        }
    }

    @Test
    void aGroupThatOnlyReportsGoesOn() {
        RigGroup reporting = RigGroup.started(Divergence.REPORT);
        divergesAt(reporting.a, "one");
        divergesAt(reporting.c, "one");
        reporting.call(reporting.b, "1", reporting.b.request(ReplicaRig.C, 1, "one"));
        reporting.live(1_900);
        assertTrue(reporting.b.diverged.get(0).startsWith("disputed at "), reporting.b.diverged.toString());
        assertEquals("reply to two", reporting.call(reporting.b, "2", reporting.b.request(ReplicaRig.C, 2, "two")));
    }

    /** Two of three differ, the third is absent: nobody knows which is right until it comes back. */
    @Test
    void theMissingMemberDecides() {
        List<ReplicaRig> two = List.of(group.b, group.c);
        divergesAt(group.c, "one");
        group.b.copy("1", request(1, "one"));
        for (int i = 0; i < 40; i++) {
            group.settle(two);
            group.pass(100);
            two.forEach(ReplicaRig::tick);
        }
        assertTrue(group.b.diverged.get(0).startsWith("disputed at "), group.b.diverged.toString());
        assertTrue(group.b.diverged.get(1).endsWith(" one with c"), group.b.diverged.toString());
        group.live(6_000);
        assertEquals("agreed", group.b.diverged.get(2));
        assertTrue(group.c.diverged.stream().anyMatch(said -> said.startsWith("diverged at ")));
        assertEquals("reply to two", call(group.b, 2, "two"));
    }

    @Test
    void aRestartedMemberIsTrustedOnceItsReplayIsEqual() {
        call(group.a, 1, "one");
        group.live(1_000);
        call(group.a, 2, "two");
        group.live(1_000);
        ReplicaRig again = new ReplicaRig("c", Divergence.STOP);
        long mark = 0;
        for (int i = 0; i < group.order.size(); i++) {
            mark = group.order.get(i).mark() ? i + 1 : mark;
        }
        again.replica.distrust(mark);
        again.replica.onLeader("b", again.now);
        again.now = group.c.now;
        group.deliver(again);
        assertEquals(List.of("trusted"), again.diverged);

        ReplicaRig other = new ReplicaRig("c", Divergence.STOP);
        divergesAt(other, "one");
        group.deliver(other);
        assertEquals(1, other.diverged.size(), other.diverged.toString());
        assertTrue(other.diverged.get(0).startsWith("diverged at "), other.diverged.toString());
    }

    /** Its snapshot is damaged, and its log is there from the beginning. */
    @Test
    void aRepairedMemberThatLostTheStateBehindItsDivergenceIsTrustedOnceItsReplayIsEqual() {
        call(group.a, 1, "one");
        group.live(1_000);
        long mark = 0;
        for (int i = 0; i < group.order.size(); i++) {
            mark = group.order.get(i).mark() ? i + 1 : mark;
        }
        ReplicaRig again = new ReplicaRig("c", Divergence.STOP);
        again.replica.wasRepaired(mark);
        assertTrue(again.replica.isCaughtUp(), "it may begin with the snapshot");
        again.replica.onLeader("b", again.now);
        again.now = group.c.now;
        again.deliver(group.order.get(0));
        assertFalse(again.replica.isCaughtUp());
        group.order.stream().skip(1).forEach(again::deliver);
        again.executeAll();
        assertEquals(List.of("trusted"), again.diverged);
        assertTrue(again.replica.isCaughtUp());

        ReplicaRig whole = new ReplicaRig("c", Divergence.STOP);
        whole.replica.wasRepaired(mark);
        whole.now = group.a.now;
        whole.replica.snapshots().install(group.a.replica.snapshots().take(), whole.now);
        whole.position = group.order.size();
        whole.deliverOf("b", 99, request(2, "two"));
        assertTrue(whole.replica.isCaughtUp());
        assertEquals(List.of(), whole.diverged);
    }

    /** It is told to ask another member, and does not wait for the end of the replay. */
    @Test
    void anAttemptThatCameBeforeAMemberKnewThatItIsNotTrustedIsRefused() {
        ReplicaRig again = new ReplicaRig("c", Divergence.STOP);
        again.replica.wasRepaired(7);
        again.copy("early", request(1, "one"));
        assertEquals("-", again.answer("early"));
        again.replica.onLeader("b", again.now);
        again.deliver(group.order.get(0));
        assertEquals("OVERLOADED", again.answer("early"));
    }

    @Test
    void aMemberThatIsNotTrustedHandsOutNothingUntilASnapshotReplacesItsState() {
        call(group.a, 1, "one");
        group.live(1_000);
        ReplicaRig again = new ReplicaRig("c", Divergence.STOP);
        again.replica.distrust(1);
        assertFalse(again.replica.isCaughtUp());
        assertFalse(again.replica.snapshots().mayKeep(0));
        again.now = group.a.now;
        again.replica.snapshots().install(group.a.replica.snapshots().take(), again.now);
        assertEquals(List.of("trusted"), again.diverged);
        assertTrue(again.replica.isCaughtUp());
        assertTrue(again.replica.snapshots().mayKeep(again.replica.position()));
    }

    /** A snapshot is being taken, and may be kept once the members agree on its position. */
    @Test
    void aFollowerThatWantsAMarkOrdersOneSoon() {
        call(group.a, 1, "one");
        group.a.replica.snapshots().wantMark();
        group.a.now += 50;
        group.a.tick();
        group.a.now += 50;
        group.a.tick();
        assertEquals(1, group.a.submitted.size());
        assertTrue(group.a.submitted.element().entry().mark());
        group.settle();
        group.live(200);
        assertTrue(group.a.replica.snapshots().mayKeep(group.a.replica.position()));
    }

    @Test
    void votesNameThePresentMembers() {
        group.all.forEach(rig -> rig.replica.onMembers(List.of("a", "b")));
        call(group.a, 1, "one");
        group.live(2_000);
        List<List<String>> named = group.order.stream()
                .flatMap(entry -> entry.vote().stream())
                .map(DigestVote::members)
                .distinct()
                .toList();
        assertEquals(List.of(List.of("a", "b")), named);
    }

    /** The leader learns from an entry that it has diverged: it tells no result of that entry any more. */
    @Test
    void aVoteCountsBeforeTheItemsOfItsEntry() {
        ReplicaRig leader = new ReplicaRig("b", Divergence.STOP);
        leader.replica.onLeader("b", leader.now);
        leader.deliverStart(ReplicaRig.PARAMETERS);
        leader.now += 1_000;
        Request request = leader.request(1);
        leader.deliverOf("a", 1, request);
        leader.executeAll();
        leader.deliver(entry(leader, "a", 2, true, Optional.empty()));
        leader.executeAll();
        DigestVote other =
                new DigestVote(leader.position, 4711, OptionalLong.empty(), List.of("a", "b", "c"), Optional.empty());
        leader.deliver(entry(leader, "a", 3, false, Optional.of(other)));
        leader.sent.clear();
        leader.deliver(entry(leader, "c", 1, false, Optional.of(other), request));
        assertEquals(1, leader.diverged.size(), leader.diverged.toString());
        assertEquals(List.of(), leader.resultsSentTo("c"), "a reply of a diverged member");
    }

    private static OrderedEntry entry(
            ReplicaRig rig, String origin, long submission, boolean mark, Optional<DigestVote> vote, Request... items) {
        OrderedEntry plain = ReplicaRig.entryOf(origin, submission, rig.groupTime(), items);
        return EntryBuilder.from(plain).mark(mark).vote(vote).entry();
    }

    private static void divergesAt(ReplicaRig rig, String body) {
        rig.servant = request -> new String(request.body(), StandardCharsets.UTF_8).equals(body)
                ? ReplicaRig.bytes("another reply of " + rig.id)
                : ReplicaRig.replyTo(request);
    }

    private Request request(long number, String body) {
        return group.a.request(new ClientId(1, 1), number, body);
    }

    private String call(ReplicaRig to, long number, String body) {
        return call(to, number, request(number, body));
    }

    private String call(ReplicaRig to, long number, Request request) {
        return group.call(to, "call " + number + " at " + to.id + " " + to.now, request);
    }
}
