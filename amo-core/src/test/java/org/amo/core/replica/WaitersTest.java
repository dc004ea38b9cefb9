package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;
import org.amo.core.replica.ReplicaRig.Submitted;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** Attempts that wait for a reply which another attempt, another member or a snapshot brings. */
final class WaitersTest {
    private final ReplicaRig rig = ReplicaRig.started("a", "b");

    /** Its number is accepted, so no member can say that it did not run. */
    @Test
    void anAttemptThatJoinedARunningRequestIsUnknownAtItsDeadline() {
        Request request = rig.request(1);
        rig.deliverOf("c", 1, request);
        rig.copy("joined", request);
        rig.now += 6_000;
        rig.tick();
        assertEquals("UNKNOWN", rig.answer("joined"));
    }

    @Test
    void anAttemptThatJoinedUnderAnotherTimestampIsUnknownAtItsDeadlineToo() {
        Request request = rig.request(1);
        rig.deliverOf("c", 1, request);
        rig.copy("joined", laterStamped(request));
        rig.now += 6_000;
        rig.tick();
        assertEquals("UNKNOWN", rig.answer("joined"));
    }

    @Test
    void anAttemptIsAnsweredAtItsDeliveryWithTheReplyOfAnotherThatRanBefore() {
        Request request = rig.request(1);
        rig.copy("later stamp", laterStamped(request));
        rig.deliverOf("c", 1, request);
        rig.executeAll();
        assertEquals("-", rig.answer("later stamp"), "its own submission has not been delivered");
        rig.deliverNext();
        assertEquals("reply to op1", rig.answer("later stamp"));
        assertEquals(1, rig.executed.size());
        assertEquals(1, rig.replica.status().replayed());
    }

    /** A caller that is answered twice would count as one call less than none, and never be forgotten. */
    @Test
    void aPlainCallIsAnsweredOnceHoweverOftenItsResultIsTold() {
        rig.plain("1", "first");
        Submitted first = rig.submitted.remove();
        Answer reply = Answer.reply(ReplicaRig.bytes("reply"), rig.groupTime(), 0);
        rig.results("b", first.number(), new Result(0, reply));
        rig.results("b", first.number(), new Result(0, reply));
        assertEquals("reply", rig.answer("1"));
        rig.deliver(first.entry());
        rig.executeAll();
        rig.tick();
        rig.deliverNext();
        rig.now += 60_001;
        rig.tick();
        rig.plain("2", "second");
        assertNotEquals(
                ReplicaRig.PLAIN,
                rig.submitted.getLast().requests().get(0).id().client(),
                "its caller was forgotten after a minute");
    }

    @Test
    void aSnapshotLeavesAnAttemptAloneThatWasNotSubmitted() {
        ReplicaRig donor = ReplicaRig.started("b", "b");
        donor.deliverOf("c", 1);
        ReplicaRig joiner = new ReplicaRig("a");
        joiner.now = donor.now;
        joiner.copy("waits for a leader", joiner.request(1));
        install(donor, joiner);
        assertEquals("-", joiner.answer("waits for a leader"));
        joiner.replica.onLeader("b", joiner.now);
        assertEquals(List.of(1L), joiner.numbersSubmitted());
        joiner.deliverNext();
        joiner.executeAll();
        assertEquals("reply to op1", joiner.answer("waits for a leader"));
    }

    @Test
    void aSnapshotWithItsReplyAnswersAnAttemptThatWasNotSubmitted() {
        ReplicaRig donor = ReplicaRig.started("b", "b");
        Request request = donor.request(1);
        donor.deliverOf("c", 1, request);
        donor.executeAll();
        ReplicaRig joiner = new ReplicaRig("a");
        joiner.now = donor.now;
        joiner.copy("waits for a leader", request);
        install(donor, joiner);
        assertEquals("reply to op1", joiner.answer("waits for a leader"));
    }

    /** One client's thousand attempts of a call with a large reply must not make one message of gigabytes. */
    @Test
    void theLeaderTellsAQuarterOfAMegabyteOfTheRepliesToAnEntryAtMost() {
        ReplicaRig leader = ReplicaRig.started("a", "a");
        leader.servant = request -> new byte[64 << 10];
        Request first = leader.request(1);
        Request[] attempts = {first, later(first, 1), later(first, 2), later(first, 3), later(first, 4), later(first, 5)
        };
        leader.deliverOf("c", 2, attempts);
        leader.executeAll();
        assertEquals(1, leader.executed.size());
        assertEquals(4, resultsTold(leader), "of the execution");
        leader.deliverOf("c", 3, attempts);
        assertEquals(4, resultsTold(leader), "of the kept reply");
    }

    @Test
    void theLeaderTellsNoLongReply() {
        ReplicaRig leader = ReplicaRig.started("a", "a");
        leader.servant = request -> new byte[(64 << 10) + 1];
        Request first = leader.request(1);
        leader.deliverOf("c", 2, first, later(first, 1));
        leader.executeAll();
        assertEquals(0, resultsTold(leader));
    }

    /** A table searches keys of one hash by their order, if they have one. */
    @Test
    void requestsWithKeysOfOneHashHaveAnOrder() {
        Set<Waiters.Key> keys = new TreeSet<>();
        for (long number = 1; number <= 20_000; number++) {
            keys.add(key(RequestId.own(ReplicaRig.C, number * ((1L << 32) + 1)), 3, 4));
        }
        assertEquals(20_000, keys.size());
        assertEquals(1, keys.stream().mapToInt(Waiters.Key::hashCode).distinct().count());
    }

    @Test
    void keysThatDifferInOnePartHaveAnOrder() {
        RequestId id = RequestId.own(ReplicaRig.C, 1);
        assertEquals(
                6,
                new TreeSet<>(List.of(
                                key(id, 3, 4),
                                key(id, 3, 5),
                                key(id, 4, 4),
                                key(RequestId.own(ReplicaRig.C, 2), 3, 4),
                                key(RequestId.own(ReplicaRig.D, 1), 3, 4),
                                key(new RequestId(RequestId.Space.FOREIGN, ReplicaRig.C, 1), 3, 4)))
                        .size());
        assertEquals(0, key(id, 3, 4).compareTo(key(id, 3, 4)));
    }

    private static Waiters.Key key(RequestId id, long fingerprint, long timestampMillis) {
        return new Waiters.Key(id, fingerprint, timestampMillis);
    }

    private static int resultsTold(ReplicaRig leader) {
        int told = leader.sent.stream()
                .map(ReplicaRig.Sent::message)
                .mapToInt(message ->
                        message instanceof Results results ? results.results().size() : 0)
                .sum();
        leader.sent.clear();
        return told;
    }

    private static void install(ReplicaRig donor, ReplicaRig joiner) {
        joiner.replica.snapshots().install(donor.replica.snapshots().take(), joiner.now);
        joiner.position = donor.position;
    }

    private static Request laterStamped(Request request) {
        return later(request, 7);
    }

    private static Request later(Request request, long millis) {
        return new Request(
                request.id(),
                request.timestampMillis() + millis,
                request.deadlineMillis(),
                request.fingerprint(),
                request.oneway(),
                request.body());
    }
}
