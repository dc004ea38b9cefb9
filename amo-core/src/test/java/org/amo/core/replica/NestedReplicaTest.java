package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One member with an operation that makes a nested call. {@link OperationFactsTest} has the rules, this the way through a replica. */
final class NestedReplicaTest {
    private static final Optional<byte[]> ID = Optional.of(ReplicaRig.bytes("id"));
    private static final Optional<byte[]> SUM = Optional.of(ReplicaRig.bytes("sum"));

    private ReplicaRig rig = ReplicaRig.started("a", "a");

    /** An operation of this member waits in its first call. @return its place */
    private Place waits() {
        rig.copy("one", rig.request(1));
        rig.deliverNext();
        Place place = rig.executing.element().place();
        rig.replica.operations().onNestedCall(place, 0, rig.groupTime() + 20_000, rig.now);
        return place;
    }

    /** The facts on their way into the order. */
    private List<NestedFact.Kind> submitted() {
        return rig.submitted.stream()
                .flatMap(each -> each.entry().facts().stream())
                .map(NestedFact::kind)
                .toList();
    }

    private void tickAfter(long millis) {
        rig.now += millis;
        rig.tick();
    }

    @Test
    void theClaimAndTheResultGoIntoTheOrderAtOnceAndTheOperationGoesOn() {
        Place place = waits();
        assertEquals(List.of("identify 2/0 0"), rig.nestedSteps);
        rig.replica.operations().onNestedIdentity(place, 0, ID, rig.now);
        assertEquals(List.of(NestedFact.Kind.CLAIM), submitted());
        rig.deliverNext();
        assertEquals(List.of("identify 2/0 0", "send 2/0 0 id"), rig.nestedSteps);
        rig.replica.operations().onNestedSent(place, 0, SUM, rig.now);
        assertEquals(List.of(NestedFact.Kind.RESULT), submitted());
        rig.deliverNext();
        assertEquals(List.of("identify 2/0 0", "send 2/0 0 id", "result 2/0 0 sum"), rig.nestedSteps);
        rig.executeAll();
        assertEquals("reply to op1", rig.answer("one"));
    }

    @Test
    void aRejectedFactIsSubmittedAgainWithoutAWait() {
        rig.replica.operations().onNestedIdentity(waits(), 0, ID, rig.now);
        long rejected = rig.submitted.remove().number();
        rig.replica.onRejected(rejected, rig.now);
        assertEquals(List.of(), submitted());
        tickAfter(20);
        assertEquals(List.of(NestedFact.Kind.CLAIM), submitted());
    }

    @Test
    void theFactsOfAnExecutedRequestAreNotSubmittedAgain() {
        rig.replica.operations().onNestedIdentity(waits(), 0, ID, rig.now);
        rig.submitted.clear();
        rig.executeOne();
        tickAfter(2_500);
        assertEquals(List.of(), submitted());
    }

    @Test
    void aFollowerActsAsSoonAsItLeads() {
        rig = ReplicaRig.started("a", "b");
        waits();
        assertEquals(List.of(), rig.nestedSteps);
        rig.replica.onLeader("a", rig.now);
        assertEquals(List.of("identify 2/0 0"), rig.nestedSteps);
    }

    @Test
    void aFollowerActsAtATickIfTheLeaderDoesNot() {
        rig = ReplicaRig.started("a", "b");
        waits();
        tickAfter(1_499);
        assertEquals(List.of(), rig.nestedSteps);
        tickAfter(1);
        assertEquals(List.of("identify 2/0 0"), rig.nestedSteps);
    }

    @Test
    void aMessageIsAWordOfTheMemberThatSendsACall() {
        rig = ReplicaRig.started("a", "b");
        rig.deliver(claimOfB(waits()));
        rig.now += 2_000;
        rig.reportClock("b", ReplicaRig.EPOCH + 2_000);
        tickAfter(2_999);
        assertEquals(List.of(), rig.nestedSteps);
        tickAfter(1);
        assertEquals(List.of("send 2/0 0 id"), rig.nestedSteps);
    }

    private OrderedEntry claimOfB(Place place) {
        return EntryBuilder.of("b", ReplicaRig.incarnation("b"), 5, rig.groupTime())
                .facts(List.of(NestedFact.claim(place, 0, ID)))
                .entry();
    }
}
