package org.amo.linearizable.rpclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseAnswer.Status;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.LeaseValidator;
import org.junit.jupiter.api.Test;

/** What sections III-B, IV-C and V of Park's paper promise about a master's table (rows R3 to R6, R11, R12, R14, R15). */
class RpcLogPaperTest {
    private static final LeaseId CLIENT = new LeaseId(9);
    private static final LeaseId OTHER = new LeaseId(10);

    private final List<String> gone = new ArrayList<>();
    private final LeaseValidator lease = new LeaseValidator();
    private final UnackedRpcResults table = table(512, 100);

    private UnackedRpcResults table(int window, int clients) {
        RpcLogEffects effects = new RpcLogEffects() {
            @Override
            public void acknowledged(RpcId id) {
                gone.add(id.client().value() + "-" + id.number());
            }

            @Override
            public void forgotten(LeaseId client) {
                gone.add(client.value() + " all");
            }
        };
        lease.onLearned(lease.mustLearn(), new ClusterTime(100));
        return new UnackedRpcResults(
                lease,
                RpcLogOptions.builder(7).window(window).maxClients(clients).build(),
                effects);
    }

    private static RpcId id(long number) {
        return new RpcId(CLIENT, number);
    }

    private static RpcHeader call(long number, long ackId) {
        return call(number, ackId, 1_000);
    }

    private static RpcHeader call(long number, long ackId, long expires) {
        return new RpcHeader(id(number), ackId, new ClusterTime(expires), ClusterTime.ZERO);
    }

    private static LeaseAnswer answer(Status status, long expires, long now) {
        return new LeaseAnswer(status, CLIENT, new ClusterTime(expires), new ClusterTime(now));
    }

    /** III-B: "If a duplicate RPC comes in while processing the original RPC [...] Retry Later". */
    @Test
    void aCopyOfACallThatIsExecutedWaitsAndThenGetsTheResult() {
        assertEquals(RpcVerdict.EXECUTE, table.start(call(1, 0)));
        assertEquals(RpcVerdict.RETRY_LATER, table.start(call(1, 0)));
        table.complete(id(1));
        assertEquals(RpcVerdict.REPLAY, table.start(call(1, 0)));
        assertEquals(RpcVerdict.REPLAY, table.start(call(1, 0)));
    }

    @Test
    void callsOfOneClientRunBesideEachOtherInAnyOrder() {
        for (long number : new long[] {3, 1, 5}) {
            assertEquals(RpcVerdict.EXECUTE, table.start(call(number, 0)));
        }
        table.complete(id(5));
        assertEquals(RpcVerdict.RETRY_LATER, table.start(call(3, 0)));
        assertEquals(RpcVerdict.REPLAY, table.start(call(5, 0)));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(2, 0)));
    }

    /** V-A: the master discards what is acknowledged; a late copy of that is refused and never executed. */
    @Test
    void anAcknowledgedCallIsStaleForEver() {
        table.start(call(1, 0));
        table.complete(id(1));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(2, 1)));
        assertEquals(List.of("9-1"), gone);
        assertEquals(RpcVerdict.STALE, table.start(call(1, 0)));
        assertEquals(1, table.ackId(CLIENT));
    }

    /** The off-by-one: a server that read ackId as "all below" would keep 1; one that read more would lose 2. */
    @Test
    void theNumberThatIsNamedIsAcknowledgedAndTheOneAfterItIsNot() {
        table.start(call(1, 0));
        table.start(call(2, 0));
        table.complete(id(1));
        table.complete(id(2));
        table.start(call(3, 1));
        assertEquals(RpcVerdict.STALE, table.start(call(1, 0)));
        assertEquals(RpcVerdict.REPLAY, table.start(call(2, 0)));
    }

    /** T-R3. */
    @Test
    void aCallThatWasGivenUpWhileItRanLeavesNothing() {
        table.start(call(1, 0));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(2, 1)));
        assertEquals(RpcVerdict.STALE, table.start(call(1, 0)));
        assertEquals(List.of(), gone, "its record is not written yet");
        table.complete(id(1));
        assertEquals(List.of("9-1"), gone);
        assertEquals(RpcVerdict.STALE, table.start(call(1, 0)));
    }

    /** T-R4. */
    @Test
    void aCallThatFailedBeforeItWroteMayBeTriedAgain() {
        table.start(call(1, 0));
        table.reset(id(1));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(1, 0)));
        table.complete(id(1));
        table.reset(id(1));
        assertEquals(RpcVerdict.REPLAY, table.start(call(1, 0)), "a result is not taken back");
    }

    @Test
    void aNumberBeyondTheWindowIsRefused() {
        UnackedRpcResults narrow = table(4, 100);
        assertEquals(RpcVerdict.BEYOND_WINDOW, narrow.start(call(5, 0)));
        assertEquals(RpcVerdict.EXECUTE, narrow.start(call(4, 0)));
        assertEquals(RpcVerdict.BEYOND_WINDOW, narrow.start(call(9, 4)));
        assertEquals(RpcVerdict.EXECUTE, narrow.start(call(8, 4)));
    }

    @Test
    void aFullTableRefusesAnotherClientAndForgetsNone() {
        UnackedRpcResults narrow = table(4, 1);
        assertEquals(RpcVerdict.EXECUTE, narrow.start(call(1, 0)));
        RpcHeader other = new RpcHeader(new RpcId(OTHER, 1), 0, new ClusterTime(1_000), ClusterTime.ZERO);
        assertEquals(RpcVerdict.NOT_NOW, narrow.start(other));
        assertEquals(RpcVerdict.RETRY_LATER, narrow.start(call(1, 0)));
    }

    /** V-B: "If not, master checks with coordinator for lease validity before processing the request." */
    @Test
    void aLeaseThatMayBeOverIsAskedAboutAndOneThatIsOverIsRefused() {
        lease.onHeard(new ClusterTime(1_000));
        assertEquals(RpcVerdict.LEASE_IN_DOUBT, table.start(call(1, 0, 1_000)));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(1, 0, 1_000), answer(Status.LIVE, 2_000, 1_001)));
        assertEquals(new ClusterTime(1_001), lease.now());
        assertEquals(RpcVerdict.EXECUTE, table.start(call(2, 0, 1_000)), "its renewal is known now");
        lease.onHeard(new ClusterTime(2_000));
        assertEquals(RpcVerdict.LEASE_IN_DOUBT, table.start(call(3, 0, 1_000)));
        assertEquals(RpcVerdict.LEASE_EXPIRED, table.start(call(3, 0, 1_000), answer(Status.EXPIRED, 2_000, 2_000)));
        assertEquals(
                RpcVerdict.LEASE_IN_DOUBT,
                table.start(call(3, 0, 1_000), answer(Status.LIVE, 2_000, 1_900)),
                "an answer that was long on its way");
    }

    /** T-R5. */
    @Test
    void copiesOfKnownCallsAreAnsweredWithoutALookAtTheLease() {
        table.start(call(1, 0));
        table.complete(id(1));
        table.start(call(3, 1));
        table.start(call(4, 1));
        table.complete(id(4));
        lease.onHeard(new ClusterTime(5_000));
        assertEquals(RpcVerdict.STALE, table.start(call(1, 0)));
        assertEquals(RpcVerdict.RETRY_LATER, table.start(call(3, 1)));
        assertEquals(RpcVerdict.REPLAY, table.start(call(4, 1)));
    }

    @Test
    void aServerThatDoesNotKnowTheTimeServesNobody() {
        table.start(call(1, 0));
        table.complete(id(1));
        lease.mustLearn();
        assertEquals(RpcVerdict.NOT_NOW, table.start(call(1, 0)));
        assertEquals(RpcVerdict.NOT_NOW, table.start(call(2, 1)));
        assertEquals(0, table.sweep(0, 100, client -> gone.add("asked")));
        assertEquals(List.of(), gone);
    }

    /** V-B: a dead client's state goes after its lease, when the authority says so, and not before. */
    @Test
    void aSweepAsksAboutEndedLeasesAndForgetsWhatTheAuthorityCallsExpired() {
        table.start(call(1, 0));
        table.complete(id(1));
        List<LeaseId> asked = new ArrayList<>();
        assertEquals(0, table.sweep(0, 100, asked::add));
        assertEquals(List.of(), asked);
        lease.onHeard(new ClusterTime(1_000));
        table.sweep(0, 100, asked::add);
        assertEquals(List.of(CLIENT), asked);
        assertEquals(1, table.overdue());
        assertFalse(table.onLease(answer(Status.LIVE, 1_500, 1_010)));
        assertEquals(0, table.overdue(), "it renewed without a word to this server");
        assertTrue(table.onLease(answer(Status.EXPIRED, 1_500, 1_500)));
        assertEquals(List.of("9 all"), gone);
        assertEquals(0, table.clients());
        assertEquals(RpcVerdict.LEASE_IN_DOUBT, table.start(call(1, 0, 1_500)), "the copy of a forgotten call");
        assertEquals(RpcVerdict.LEASE_EXPIRED, table.start(call(1, 0, 1_500), answer(Status.EXPIRED, 1_501, 1_501)));
    }

    @Test
    void aSweepInPartsVisitsEveryClientOnce() {
        for (int i = 1; i <= 10; i++) {
            table.recoverBound(new LeaseId(i), 1);
        }
        List<LeaseId> asked = new ArrayList<>();
        int next = table.sweep(0, 4, asked::add);
        assertEquals(4, next);
        next = table.sweep(next, 4, asked::add);
        assertEquals(0, table.sweep(next, 4, asked::add));
        assertEquals(10, asked.stream().distinct().count());
        assertEquals(10, asked.size());
    }

    @Test
    void aClientWithACallInProgressIsKept() {
        table.start(call(1, 0));
        assertFalse(table.onLease(answer(Status.EXPIRED, 1_000, 1_000)));
        assertEquals(RpcVerdict.RETRY_LATER, table.start(call(1, 0)));
        table.complete(id(1));
        assertTrue(table.onLease(answer(Status.EXPIRED, 1_000, 1_000)));
    }

    @Test
    void aCallThatEndsAfterItsClientWasForgottenLeavesNothingOnDisk() {
        table.start(call(1, 0));
        table.start(call(2, 1));
        table.reset(id(2));
        assertTrue(table.onLease(answer(Status.EXPIRED, 1_000, 1_000)), "1 was given up, so nothing is in progress");
        gone.clear();
        table.complete(id(1));
        assertEquals(List.of("9 all"), gone);
    }

    /** IV-C, and T-R9: the order of replay is arbitrary. */
    @Test
    void recoveryInAnyOrderGivesTheSameTable() {
        List<long[]> records = List.of(new long[] {1, 0}, new long[] {2, 0}, new long[] {4, 2}, new long[] {5, 2});
        for (int seed = 0; seed < 30; seed++) {
            List<long[]> shuffled = new ArrayList<>(records);
            java.util.Collections.shuffle(shuffled, new Random(seed));
            gone.clear();
            UnackedRpcResults recovered = table(512, 100);
            recovered.beginRecovery();
            for (long[] record : shuffled) {
                recovered.recoverRecord(id(record[0]), record[1]);
                assertFalse(recovered.onLease(answer(Status.EXPIRED, 0, 100)));
            }
            recovered.endRecovery();
            assertEquals(List.of("9-1", "9-2"), gone.stream().sorted().toList());
            assertEquals(RpcVerdict.STALE, recovered.start(call(1, 0)));
            assertEquals(RpcVerdict.STALE, recovered.start(call(2, 0)));
            assertEquals(RpcVerdict.EXECUTE, recovered.start(call(3, 2)));
            assertEquals(RpcVerdict.REPLAY, recovered.start(call(4, 2)));
            assertEquals(RpcVerdict.REPLAY, recovered.start(call(5, 2)));
        }
    }

    @Test
    void aRecoveredBoundAloneRefuses() {
        table.recoverBound(CLIENT, 6);
        assertEquals(RpcVerdict.STALE, table.start(call(6, 0)));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(7, 6)));
    }

    /** What survived of one client says nothing of another. */
    @Test
    void recoveredClientsHaveStateOfTheirOwn() {
        for (int i = 1; i <= 512; i++) {
            table.recoverBound(new LeaseId(i), i);
        }
        for (int i = 1; i <= 512; i++) {
            assertEquals(i, table.ackId(new LeaseId(i)));
        }
        assertEquals(512, table.clients());
        assertEquals(512, table.overdue(), "the ends of their leases are not on disk");
    }

    /** A time that comes with a call counts before the call is judged. */
    @Test
    void theTimeThatACallCarriesCountsForItself() {
        RpcHeader late = new RpcHeader(id(1), 0, new ClusterTime(1_000), new ClusterTime(1_000));
        assertEquals(RpcVerdict.LEASE_IN_DOUBT, table.start(late));
        assertEquals(new ClusterTime(1_000), lease.now());
    }

    @Test
    void theTimeThatAnAnswerCarriesCountsWhateverItSays() {
        table.start(call(1, 0), answer(Status.EXPIRED, 300, 300));
        assertEquals(new ClusterTime(300), lease.now());
        assertFalse(table.onLease(answer(Status.EXPIRED, 400, 400)), "of a client without state");
        assertEquals(new ClusterTime(400), lease.now());
    }

    /** A full authority answers no question about a lease. */
    @Test
    void anAnswerOfAFullAuthorityForgetsNobody() {
        table.start(call(1, 0));
        table.complete(id(1));
        assertFalse(table.onLease(answer(Status.FULL, 100, 100)));
        assertEquals(RpcVerdict.REPLAY, table.start(call(1, 0)));
    }

    @Test
    void aLeaseThatIsKnownToEndLaterIsNotShortenedByAnOldAnswer() {
        table.start(call(1, 0, 2_000));
        assertFalse(table.onLease(answer(Status.LIVE, 500, 200)));
        lease.onHeard(new ClusterTime(600));
        assertEquals(0, table.overdue());
        assertEquals(RpcVerdict.EXECUTE, table.start(call(2, 0, 500)));
    }

    @Test
    void aServerThatIsRecoveringAsksAboutNobody() {
        table.recoverRecord(id(1), 0);
        table.beginRecovery();
        assertEquals(3, table.sweep(3, 10, client -> gone.add("asked")));
        table.endRecovery();
        assertEquals(List.of(), gone);
        assertEquals(0, table.sweep(0, 10, client -> gone.add("asked")));
        assertEquals(List.of("asked"), gone);
    }

    /** A call that failed before it wrote is forgotten, whether it was alone or not, and that of no other client. */
    @Test
    void aResetOfOneCallLeavesTheOthers() {
        table.reset(new RpcId(OTHER, 1));
        assertEquals(0, table.clients());
        table.start(call(1, 0));
        table.start(call(2, 0));
        table.start(call(3, 0));
        table.complete(id(3));
        table.reset(id(2));
        assertEquals(RpcVerdict.RETRY_LATER, table.start(call(1, 0)));
        assertEquals(RpcVerdict.REPLAY, table.start(call(3, 0)));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(2, 0)));
    }

    /** Rows of forgotten clients, and places of calls that ended, are used again and hold nothing of before. */
    @Test
    void aNewClientInheritsNothingFromAForgottenOne() {
        table.start(call(1, 0));
        table.start(call(2, 0));
        table.complete(id(1));
        table.complete(id(2));
        assertTrue(table.onLease(answer(Status.EXPIRED, 100, 100)));
        for (long client : new long[] {20, 21}) {
            for (long number = 1; number <= 2; number++) {
                RpcId call = new RpcId(new LeaseId(client), number);
                RpcHeader header = new RpcHeader(call, 0, new ClusterTime(1_000), ClusterTime.ZERO);
                assertEquals(RpcVerdict.EXECUTE, table.start(header), call.toString());
            }
        }
        assertEquals(2, table.clients());
    }

    @Test
    void clientsWhoseLeasesHaveEndedAreOverdueAndForgottenOnesAreNot() {
        for (int i = 1; i <= 3; i++) {
            RpcHeader header =
                    new RpcHeader(new RpcId(new LeaseId(i), 2), 1, new ClusterTime(1_000 + i), ClusterTime.ZERO);
            table.start(header);
            table.complete(header.id());
        }
        lease.onHeard(new ClusterTime(1_002));
        assertEquals(2, table.overdue());
        assertTrue(table.onLease(
                new LeaseAnswer(Status.EXPIRED, new LeaseId(1), new ClusterTime(1_001), new ClusterTime(1_002))));
        assertEquals(1, table.overdue());
        List<LeaseId> asked = new ArrayList<>();
        table.sweep(0, 100, asked::add);
        assertEquals(List.of(new LeaseId(2)), asked);
    }

    @Test
    void aClientWithoutStateHasAcknowledgedNothing() {
        assertEquals(0, table.ackId(OTHER));
    }

    /** Against maps, which keep everything. */
    @Test
    void anyMixtureOfCallsIsJudgedAsByATableThatForgetsNothing() {
        Random random = new Random(11);
        for (int run = 0; run < 200; run++) {
            UnackedRpcResults packed = table(8, 100);
            Map<Long, Map<Long, Boolean>> model = new HashMap<>();
            Map<Long, Long> acks = new HashMap<>();
            for (int step = 0; step < 300; step++) {
                long client = 1L + random.nextInt(4);
                long ack = acks.getOrDefault(client, 0L);
                long number = Math.max(1, ack - 2L + random.nextInt(12));
                RpcId call = new RpcId(new LeaseId(client), number);
                Map<Long, Boolean> calls = model.computeIfAbsent(client, each -> new HashMap<>());
                int what = random.nextInt(10);
                if (what < 6) {
                    long sent = Math.min(number - 1, random.nextInt(3) == 0 ? ack + random.nextInt(3) : ack);
                    ack = Math.max(ack, sent);
                    RpcVerdict verdict =
                            packed.start(new RpcHeader(call, sent, new ClusterTime(1_000), ClusterTime.ZERO));
                    boolean known = packed.ackId(new LeaseId(client)) > 0 || calls.size() > 0;
                    RpcVerdict expected;
                    if (number <= ack) {
                        expected = RpcVerdict.STALE;
                    } else if (calls.containsKey(number)) {
                        expected = calls.get(number) ? RpcVerdict.REPLAY : RpcVerdict.RETRY_LATER;
                    } else {
                        expected = number - ack > 8 ? RpcVerdict.BEYOND_WINDOW : RpcVerdict.EXECUTE;
                    }
                    assertEquals(expected, verdict, () -> "run of client " + client + " number " + number);
                    if (verdict == RpcVerdict.EXECUTE) {
                        calls.put(number, false);
                    }
                    if (known || verdict == RpcVerdict.EXECUTE) {
                        acks.put(client, ack);
                    }
                } else if (calls.containsKey(number)) {
                    if (what < 9) {
                        calls.put(number, true);
                        packed.complete(call);
                    } else if (!calls.get(number)) {
                        packed.reset(call);
                        if (number > ack) {
                            calls.remove(number);
                        }
                    }
                }
            }
        }
    }

    /** Section VI-B: 100 bytes a client in the paper; at most 72 here. */
    @Test
    void aMillionIdleClientsTakeAtMost72BytesEach() {
        int clients = 1_000_000;
        long before = usedHeap();
        UnackedRpcResults many = new UnackedRpcResults(
                lease, RpcLogOptions.builder(7).window(512).maxClients(clients).build(), new PendingRemovals());
        for (int i = 1; i <= clients; i++) {
            RpcId last = new RpcId(new LeaseId(i), 5);
            many.start(new RpcHeader(last, 4, new ClusterTime(1_000), ClusterTime.ZERO));
            many.complete(last);
        }
        double bytes = (usedHeap() - before) / (double) clients;
        assertEquals(clients, many.clients());
        assertTrue(bytes > 32 && bytes <= 72, () -> bytes + " bytes a client");
        assertNotNull(many);
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
