package org.amo.core.replica;

import static org.amo.core.replica.ReplicaRig.C;
import static org.amo.core.replica.ReplicaRig.D;
import static org.amo.core.replica.RigGroup.entries;
import static org.amo.core.replica.RigGroup.executions;
import static org.amo.core.replica.RigGroup.mostExecutionsOfOneId;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Step;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;
import org.junit.jupiter.api.Test;

/**
 * Friedman and Hadad, "Using Selective Acknowledgements to Reduce the Memory Footprint of Replicated Services":
 * what it promises and can be seen without an ORB or a network. Where we differ, the test says so.
 */
final class FtsPaperTest {
    private static final FinishedNumbers ONE = FinishedNumbers.of(1);

    private final RigGroup group = RigGroup.started();

    // ------------------------------------------------- section 1

    /** 1: "must then return the reply that was generated for the original request and avoid re-executing it". */
    @Test
    void aReissuedRequestGetsTheOriginalReplyAtEveryServerAndIsNotExecutedAgain() {
        Request request = group.a.request(1);
        assertEquals("reply to op1", group.call(group.a, "1", request));
        for (ReplicaRig rig : group.all) {
            assertEquals("reply to op1", group.call(rig, "again", request));
            assertEquals(1, executions(rig, request.id()));
        }
    }

    /** 1: "a new request arriving from the same client machine cannot be assumed to implicitly acknowledge". */
    @Test
    void aNewRequestAcknowledgesNothingByItself() {
        for (int number = 1; number <= 5; number++) {
            group.call(group.a, "" + number, group.a.request(number));
        }
        for (ReplicaRig rig : group.all) {
            assertEquals(5, entries(rig));
        }
    }

    // ------------------------------------------------- section 2.1

    /** 2.1: "they can eliminate the corresponding requests and replies from their cache". */
    @Test
    void anAcknowledgedReplyLeavesTheCacheOfEveryServer() {
        group.call(group.a, "1", group.a.request(1));
        group.a.replica.onFinished(C, ONE, group.a.now);
        group.settle();
        for (ReplicaRig rig : group.all) {
            assertEquals(0, entries(rig));
            assertEquals(0, rig.replica.status().bytes());
            assertEquals(1, rig.replica.status().purgedBySack());
        }
    }

    /** 2.1: "Each server executes the request after receiving it from the ABCAST. Thus, implicitly, each cache includes the request." */
    @Test
    void everyCacheIncludesARequestThatOneServerReceived() {
        group.call(group.a, "1", group.a.request(1));
        for (ReplicaRig rig : group.all) {
            assertEquals(1, entries(rig));
            assertEquals(1, rig.executed.size());
        }
    }

    /** 2.1: "a race between a SACK and the propagation of the original request ... may cause some servers to either never execute a request, or to drop the SACK". */
    @Test
    void aServerThatIsSlowExecutesTheRequestAndDoesNotDropTheAcknowledgement() {
        Request request = group.a.request(1);
        group.a.copy("1", request);
        group.settle(List.of(group.a, group.b));
        assertEquals("reply to op1", group.a.answer("1"));
        group.a.replica.onFinished(C, ONE, group.a.now);
        group.settle(List.of(group.a, group.b));
        assertEquals(0, group.c.executed.size());
        group.settle();
        assertEquals(1, executions(group.c, request.id()));
        assertEquals(0, entries(group.c));
    }

    // ------------------------------------------------- section 2.2

    /** 2.2: "Whenever a server receives a request, it first broadcast the request to all other replicas in total ordering". */
    @Test
    void nothingIsExecutedBeforeItWasDeliveredInTheOrder() {
        group.a.copy("1", group.a.request(1));
        assertTrue(group.a.executing.isEmpty());
        group.order(group.a);
        assertTrue(group.a.executing.isEmpty());
        group.deliverOnly(group.a);
        assertEquals(1, group.a.executing.size());
    }

    /** 2.2: "it is locally executed by each of the servers", and (F3) at the same position and in the same order. */
    @Test
    void everyServerExecutesTheSameRequestsInTheSameOrder() {
        for (int number = 1; number <= 20; number++) {
            ReplicaRig to = group.all.get(number % 3);
            to.copy("" + number, to.request(number));
            if (number % 4 == 0) {
                group.settle();
            }
        }
        group.settle();
        assertEquals(20, group.a.executed.size());
        assertEquals(positions(group.a), positions(group.b));
        assertEquals(positions(group.a), positions(group.c));
        assertEquals(group.a.replica.status().digest(), group.b.replica.status().digest());
        assertEquals(group.a.replica.status().digest(), group.c.replica.status().digest());
    }

    /** 2.2: "only the server that holds the IIOP connection with the client sends the reply". */
    @Test
    void onlyTheServerThatReceivedTheCopyAnswersIt() {
        group.call(group.a, "1", group.a.request(1));
        assertEquals(1, group.a.answers.get("1").size());
        assertTrue(group.b.answers.isEmpty());
        assertTrue(group.c.answers.isEmpty());
    }

    /** 2.2: "All servers, however, keep the reply in a local cache in case the request is later resent by the client". */
    @Test
    void everyServerAnswersFromItsOwnCacheWithoutTheOrder() {
        Request request = group.a.request(1);
        group.call(group.a, "1", request);
        int ordered = group.order.size();
        for (ReplicaRig rig : group.all) {
            rig.copy("again", request);
            assertEquals("reply to op1", rig.answer("again"));
        }
        group.settle();
        assertEquals(ordered, group.order.size());
    }

    /** 2.2: "If the connection between a client and a server breaks, or a request is timed out ... redirects the request to an available server" (F6: also while it executes). */
    @Test
    void aRedirectedCopyOfAnExecutingRequestIsAnsweredByTheOneExecution() {
        Request request = group.a.request(1);
        group.a.copy("1", request);
        group.order(group.a);
        group.deliverOnly(group.c);
        group.c.copy("redirected", request);
        assertEquals("-", group.c.answer("redirected"));
        group.c.executeAll();
        assertEquals("reply to op1", group.c.answer("redirected"));
        group.settle();
        for (ReplicaRig rig : group.all) {
            assertEquals(1, executions(rig, request.id()));
        }
    }

    /** 2.2, F4: the access server dies after the order and before its reply. */
    @Test
    void aRedirectedCopyGetsTheSameReplyAfterTheAccessServerDied() {
        Request request = group.a.request(1);
        group.a.copy("1", request);
        group.order(group.a);
        List<ReplicaRig> survivors = List.of(group.b, group.c);
        group.settle(survivors);
        group.c.copy("redirected", request);
        group.settle(survivors);
        assertEquals("reply to op1", group.c.answer("redirected"));
        assertEquals(1, executions(group.b, request.id()));
        assertEquals(1, executions(group.c, request.id()));
    }

    // ------------------------------------------------- section 2.3

    /** 2.3: "collects request IDs of replies and attaches them as SACKs to subsequent invocations". */
    @Test
    void theNextInvocationCarriesTheAcknowledgementOfTheLastReply() {
        ClientSession session = new ClientSession(C);
        assertEquals(Step.Kind.REPLY, invoke(session, group.a, "1"));
        assertEquals(1, entries(group.c));
        assertEquals(Step.Kind.REPLY, invoke(session, group.a, "2"));
        for (ReplicaRig rig : group.all) {
            assertEquals(1, entries(rig), "the first is gone everywhere, the second not yet");
        }
    }

    /** 2.3: "SACKs of multiple independent invocations, such as by multiple client threads or using asynchronous invocations, are also collected and sent in a subsequent request from the same client". */
    @Test
    void oneCarrierAcknowledgesTheRepliesOfAllThreads() {
        ClientSession session = new ClientSession(C);
        List<ClientCall> threads = new ArrayList<>();
        for (int thread = 1; thread <= 4; thread++) {
            ClientCall call = session.begin(false, 5_000, group.a.now, group.a.groupTime());
            threads.add(call);
            send(session, call, group.a, "thread " + thread);
        }
        // The second thread's call is still under way: floors alone could not say this.
        for (int thread : new int[] {4, 1, 3}) {
            hand(threads.get(thread - 1), group.a, "thread " + thread);
        }
        assertEquals(4, entries(group.b));
        invoke(session, group.a, "later");
        for (ReplicaRig rig : group.all) {
            assertEquals(2, entries(rig), "the second thread's and the carrier itself");
        }
    }

    /** 2.3: "FTS also allows to accumulate SACKs according to the target replication context group": a session is one group's. */
    @Test
    void acknowledgementsOfOneGroupAreNotSentToAnother() {
        ClientSession here = new ClientSession(C);
        ClientSession elsewhere = new ClientSession(C);
        invoke(here, group.a, "1");
        assertEquals(ONE, here.finishedToSend());
        assertEquals(FinishedNumbers.NONE, elsewhere.finishedToSend());
    }

    /** 2.3: "The arrived store contains SACKs that arrived from clients and are pending ABCAST." */
    @Test
    void acknowledgementsThatArriveWhileAnEntryIsUnderWayWaitForTheNext() {
        group.a.copy("1", group.a.request(1));
        for (int client = 0; client < 100; client++) {
            group.a.replica.onFinished(new ClientId(50, client), ONE, group.a.now);
        }
        assertEquals(100, group.a.replica.status().sacksWaiting());
        group.settle();
        assertEquals(0, group.a.replica.status().sacksWaiting());
    }

    /** 2.3: "periodically (once per second) collects and sends the arrived SACKs in batches". Ours need no timer: they go with the next entry. */
    @Test
    void manyAcknowledgementsNeedFewEntries() {
        group.a.copy("1", group.a.request(1));
        for (int client = 0; client < 1_000; client++) {
            group.a.replica.onFinished(new ClientId(50, client), ONE, group.a.now);
        }
        int before = group.order.size();
        group.settle();
        assertEquals(2, group.order.size() - before, "the request, and one batch");
    }

    /** 2.4, footnote 5: "SACK batches are also limited to 5000 SACKs each" (F12): ours by bytes, and no request waits behind them. */
    @Test
    void twelveThousandScatteredAcknowledgementsAreAFewEntriesAndHoldNoRequestBack() {
        group.a.copy("0", group.a.request(D, 1, "keeps the entry in flight"));
        for (int client = 0; client < 12; client++) {
            long[] bounds = new long[2_000];
            for (int i = 0; i < bounds.length; i += 2) {
                bounds[i] = 3L * i + 5;
                bounds[i + 1] = bounds[i];
            }
            group.a.replica.onFinished(new ClientId(50, client), FinishedNumbers.of(0, bounds), group.a.now);
        }
        group.a.copy("1", group.a.request(1));
        group.order(group.a);
        group.deliver(group.a);
        assertEquals(List.of(1L), group.a.numbersSubmitted(), "the request goes first");
        int before = group.order.size();
        group.settle();
        assertTrue(group.order.size() - before <= 4, "entries: " + (group.order.size() - before));
    }

    /** 2.3: "locating their matching requests in the cache and tagging them as removable. The actual removal of a request takes place only after the request is done executing." Ours: the number is resolved at once, the execution ends undisturbed, and its reply is not kept. */
    @Test
    void anAcknowledgementOfAnExecutingRequestDoesNotDisturbTheExecution() {
        Request request = group.a.request(1);
        group.a.copy("1", request);
        group.order(group.a);
        group.deliverOnly(group.c);
        assertEquals(1, group.c.executing.size());
        group.settle(List.of(group.a, group.b));
        group.a.replica.onFinished(C, ONE, group.a.now);
        group.order(group.a);
        group.deliverOnly(group.c);
        assertEquals(0, entries(group.c), "resolved at once");
        group.c.executeAll();
        assertEquals(1, executions(group.c, request.id()));
        assertEquals(0, group.c.replica.status().bytes());
        assertEquals("STALE", group.call(group.c, "late", request));
    }

    // ------------------------------------------------- section 2.4

    /** 2.4: "acknowledging one request ID cannot be used to acknowledge additional request IDs that might have preceded it". */
    @Test
    void acknowledgingOneNumberAcknowledgesNoneBeforeIt() {
        for (int number = 1; number <= 3; number++) {
            group.call(group.a, "" + number, group.a.request(number));
        }
        group.a.replica.onFinished(C, FinishedNumbers.of(0, 3, 3), group.a.now);
        group.settle();
        for (ReplicaRig rig : group.all) {
            assertEquals(2, entries(rig));
        }
    }

    /** 2.4: "merely an optimization to the existing timeout-based purging mechanism", "the request expiration limit which is set to 10 seconds". */
    @Test
    void withoutAcknowledgementsARequestIsPurgedAfterItsTimeEverywhereAtOnePosition() {
        Request request = group.a.request(1);
        group.call(group.a, "1", request);
        group.live(5_000);
        assertEquals(1, entries(group.b));
        group.live(300);
        for (ReplicaRig rig : group.all) {
            assertEquals(0, entries(rig));
            assertEquals(1, rig.replica.status().purgedByTimeout());
            assertEquals("STALE", group.call(rig, "late", request));
        }
    }

    /** 2.4: "clients send SACKs only after receiving a correct reply". */
    @Test
    void aClientAcknowledgesNothingBeforeItsReplyWasHandedOver() {
        ClientSession session = new ClientSession(C);
        ClientCall call = session.begin(false, 5_000, group.a.now, group.a.groupTime());
        send(session, call, group.a, "1");
        assertEquals(FinishedNumbers.NONE, session.finishedToSend());
        hand(call, group.a, "1");
        assertEquals(ONE, session.finishedToSend());
    }

    /** 2.4: "a request removed through a SACK is guaranteed not to be needed again". The reply is not; the id is (T-F1). */
    @Test
    void aCopyThatWaitedInASlowServerUntilAfterTheAcknowledgementIsRefusedEverywhere() {
        Request request = group.a.request(1);
        group.c.copy("stuck in a slow server", request);
        OrderedEntry late = group.c.submitted.remove().entry();
        group.call(group.a, "redirected", request);
        group.call(group.a, "2", group.a.request(2), ONE);
        group.order.add(late);
        group.settle();
        for (ReplicaRig rig : group.all) {
            assertEquals(1, executions(rig, request.id()));
        }
    }

    /** 2.4: "SACKs that refer to non-existing requests are simply discarded with no other effect". Without a record, yes; a known client's number becomes resolved (F15). */
    @Test
    void acknowledgementsOfNumbersThatDoNotExistDisturbNobody() {
        group.call(group.a, "1", group.a.request(D, 1, "of D"));
        group.a.replica.onFinished(new ClientId(77, 77), FinishedNumbers.of(5, 8, 9), group.a.now);
        group.a.replica.onFinished(D, FinishedNumbers.of(0, 8, 9), group.a.now);
        group.settle();
        for (ReplicaRig rig : group.all) {
            assertEquals(1, rig.replica.status().clients());
            assertEquals(1, entries(rig));
            assertEquals(1, rig.replica.maxRanges());
        }
        assertEquals("STALE", group.call(group.b, "8", group.b.request(D, 8, "forged before it was sent")));
        assertEquals("reply to op8", group.call(group.b, "C8", group.b.request(8)));
    }

    /** 2.4: "these operating rules do not violate the underlying safety conditions" and (F16) losing every SACK changes no result. */
    @Test
    void withEveryAcknowledgementLostTheResultsAreTheSame() {
        RigGroup without = RigGroup.started();
        NumberRanges finished = new NumberRanges();
        for (int number = 1; number <= 30; number++) {
            Request request = group.a.request(number);
            String with = group.call(group.a, "" + number, request, finished.toFinished(0, FinishedNumbers.MAX_RANGES));
            assertEquals(with, without.call(without.a, "" + number, request));
            finished.add(number, number);
        }
        assertEquals(positionsless(group.c), positionsless(without.c));
        assertEquals(1, entries(group.c));
        assertEquals(30, entries(without.c));
    }

    // ------------------------------------------------- section 3

    /** 3.1: "the size of the cache when not using SACKs indeed matches the product of the cluster throughput and request expiration timeout" (ours: and skew). */
    @Test
    void withoutAcknowledgementsTheCacheIsThroughputTimesTimeout() {
        // One request each 100 ms with a deadline of 5 s and a skew of 0.1 s: 51 of them, and the one just sent.
        for (int number = 1; number <= 120; number++) {
            group.call(group.a, "" + number, group.a.request(number));
            group.live(100);
        }
        for (ReplicaRig rig : group.all) {
            assertTrue(Math.abs(entries(rig) - 51) <= 1, "entries: " + entries(rig));
            assertEquals(entries(rig), rig.replica.status().timeoutOnlyEntries());
        }
    }

    /** 3.1: "applying SACKs reduces the cache size by at least a factor of 2". */
    @Test
    void withAcknowledgementsTheCacheIsSmallerByFarMoreThanTwo() {
        NumberRanges finished = new NumberRanges();
        for (int number = 1; number <= 120; number++) {
            group.call(
                    group.a, "" + number, group.a.request(number), finished.toFinished(0, FinishedNumbers.MAX_RANGES));
            finished.add(number, number);
            group.live(100);
        }
        for (ReplicaRig rig : group.all) {
            assertTrue(rig.replica.status().entriesPeak() <= 2);
            assertTrue(rig.replica.status().timeoutOnlyEntriesPeak() >= 50, "what it would have been");
        }
    }

    /** 3.1: "The message overhead, on the other hand, grows smaller at higher loads": acknowledgements that ride need no entry at all. */
    @Test
    void underLoadAcknowledgementsNeedNoEntriesOfTheirOwn() {
        NumberRanges finished = new NumberRanges();
        for (int number = 1; number <= 50; number++) {
            group.call(
                    group.a, "" + number, group.a.request(number), finished.toFinished(0, FinishedNumbers.MAX_RANGES));
            finished.add(number, number);
        }
        assertEquals(0L, group.a.replica.status().orderedEntries().get("acknowledgements"));
        assertTrue(group.a.replica.status().sackBytes() > 0);
    }

    /** 3.1: "each stored request being accessed and removed only once, either because of a SACK or because of a time-out". */
    @Test
    void eachEntryIsRemovedOnceEitherByAcknowledgementOrByTime() {
        for (int number = 1; number <= 10; number++) {
            group.call(group.a, "" + number, group.a.request(number));
        }
        group.a.replica.onFinished(C, FinishedNumbers.of(4), group.a.now);
        group.settle();
        group.live(6_000);
        for (ReplicaRig rig : group.all) {
            assertEquals(4, rig.replica.status().purgedBySack());
            assertEquals(6, rig.replica.status().purgedByTimeout());
            assertEquals(0, entries(rig));
        }
    }

    /** 4: "the cache ensures that the same request is not executed more than once": it never evicts, it refuses. */
    @Test
    void nothingIsEvictedForLackOfRoom() {
        DecisionTable table = new DecisionTable();
        table.start(
                ReplicaRig.EPOCH,
                GroupParameters.builder().maxEntriesPerClient(3).build());
        table.advance(ReplicaRig.EPOCH + 5_000);
        for (int number = 1; number <= 5; number++) {
            Decision decision = table.decide(
                    ReplicaRig.request(C, number, "op", ReplicaRig.EPOCH + 5_000, ReplicaRig.EPOCH + 9_000),
                    Principal.UNKNOWN);
            assertEquals(number <= 3 ? Decision.EXECUTE : Decision.NO_CLIENT_ENTRIES, decision);
        }
        assertEquals(3, table.entries());
    }

    // ------------------------------------------------- the sequences that broke others

    /** X1 (Apache Ratis ran it a second time): call 100, again 100, then 101 that acknowledges 100, then 100 once more. */
    @Test
    void x1TheLateDuplicateAfterItsAcknowledgementIsStaleAtEveryReplica() {
        Request hundred = group.a.request(100);
        assertEquals("reply to op100", group.call(group.a, "1", hundred));
        assertEquals("reply to op100", group.call(group.b, "2", hundred));
        assertEquals("reply to op101", group.call(group.c, "3", group.c.request(101), FinishedNumbers.of(0, 100, 100)));
        for (ReplicaRig rig : group.all) {
            assertEquals("STALE", group.call(rig, "4", hundred));
            assertEquals(2, rig.executed.size());
        }
    }

    /** X2 (Ratis: 1 on the leader, 2,000 on each follower): acknowledgements prune every replica alike. */
    @Test
    void x2AfterTwoThousandCallsEveryReplicaHoldsAsManyEntries() {
        ClientSession session = new ClientSession(C);
        for (int call = 1; call <= 2_000; call++) {
            assertEquals(Step.Kind.REPLY, invoke(session, group.all.get(call % 3), "call " + call));
        }
        for (ReplicaRig rig : group.all) {
            assertEquals(2_000, rig.executed.size());
            assertEquals(1, entries(rig));
            assertEquals(0, rig.replica.maxRanges());
        }
    }

    /** X6 (the paper's rule: 325 double executions in 24,000): some copies wait in a slow replica, the client fails over. */
    @Test
    void x6NoCopyThatWaitedInASlowReplicaRunsAgain() {
        for (long seed = 1; seed <= 5; seed++) {
            slowReplica(seed);
        }
    }

    private static void slowReplica(long seed) {
        Random random = new Random(seed);
        RigGroup group = RigGroup.started();
        group.loseMessages();
        NumberRanges finished = new NumberRanges();
        List<OrderedEntry> stuck = new ArrayList<>();
        int copies = 0;
        for (int number = 1; number <= 300; number++) {
            Request request = group.a.request(number);
            FinishedNumbers sack = finished.toFinished(0, FinishedNumbers.MAX_RANGES);
            if (random.nextInt(12) == 0) {
                stuck.add(EntryBuilder.entry(
                        "slow",
                        5,
                        number,
                        group.a.groupTime(),
                        Optional.empty(),
                        List.of(new OrderedEntry.Item(C, sack, Optional.of(request), Principal.UNKNOWN))));
            }
            ReplicaRig to = group.all.get(random.nextInt(3));
            assertEquals("reply to op" + number, group.call(to, "copy " + ++copies, request, sack), "seed " + seed);
            if (random.nextInt(9) > 0) {
                finished.add(number, number);
            }
            group.live(random.nextInt(20) == 0 ? 1_500 : 20);
            while (!stuck.isEmpty() && random.nextInt(10) == 0) {
                group.order.add(stuck.remove(random.nextInt(stuck.size())));
            }
            group.settle();
        }
        group.live(8_000);
        group.order.addAll(stuck);
        group.settle();
        group.live(60_000);
        for (ReplicaRig rig : group.all) {
            assertEquals(1, mostExecutionsOfOneId(rig), "seed " + seed);
            assertEquals(300, rig.executed.size(), "seed " + seed);
            assertEquals(0, entries(rig));
            assertEquals(0, rig.replica.status().clients());
            assertEquals(group.a.replica.status().digest(), rig.replica.status().digest());
        }
    }

    // ------------------------------------------------- helpers

    /** One call of a client through its session, all settled. */
    private Step.Kind invoke(ClientSession session, ReplicaRig to, String name) {
        ClientCall call = session.begin(false, 5_000, to.now, to.groupTime());
        send(session, call, to, name);
        return hand(call, to, name);
    }

    private void send(ClientSession session, ClientCall call, ReplicaRig to, String name) {
        call.onCopySent();
        to.copy(
                name,
                new Request(
                        call.id(),
                        call.timestampMillis(),
                        call.deadlineMillis(),
                        name.hashCode(),
                        false,
                        name.getBytes(StandardCharsets.UTF_8)),
                session.finishedToSend());
        group.settle();
    }

    private Step.Kind hand(ClientCall call, ReplicaRig to, String name) {
        Answer answer = to.answers.get(name).get(0);
        Step step = call.onAnswer(answer, to.now, to.groupTime());
        call.onHandedOver();
        return step.kind();
    }

    private static List<String> positions(ReplicaRig rig) {
        return rig.executed.stream()
                .map(execution ->
                        execution.position() + ":" + execution.request().id())
                .toList();
    }

    private static List<String> positionsless(ReplicaRig rig) {
        return rig.executed.stream()
                .map(execution -> execution.request().id().toString())
                .toList();
    }
}
