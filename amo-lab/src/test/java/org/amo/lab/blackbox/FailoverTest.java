package org.amo.lab.blackbox;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.cli.wrap.ClientWrap;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Bank;
import org.amo.interceptors.MinorCodes;
import org.amo.lab.blackbox.RawClient.Op;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TRANSIENT;

/** Members die and freeze under load. Each test ends with all three up and in agreement. */
@Timeout(120)
final class FailoverTest {
    private static final int CALLS = 1_000;
    private static final int BATCH = 100;
    private static final int MAYBE = 2;

    private static final int MOST_BYTES_OF_A_ONEWAY = 64;

    private static BankCluster bank;

    @BeforeAll
    static void start() {
        bank = BankCluster.start(BankCluster.Settings.bank("failover"));
    }

    @AfterAll
    static void stop() {
        bank.close();
    }

    @BeforeEach
    void everybodyServes() {
        bank.awaitServing();
    }

    @AfterEach
    void everybodyIsBackAndAgreesAndNothingRanTwice() {
        bank.launchKilled();
        bank.awaitEqual();
        assertEquals(Set.of(), bank.executedMoreThanOnce());
    }

    /** F7, T-F7: the client's code sees no exception, and each balance names its call. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThousandCallsSurviveTheKillOfTheMemberThatServesThem(boolean leader) {
        MemberProcess connected = leader ? bank.leader() : bank.follower();
        String account = "f7-" + leader;
        AtomicLong done = new AtomicLong();
        try (Orb orb = clientOf(connected)) {
            Bank mine = orb.bank(bank.reference());
            CompletableFuture<Void> load = run(() -> {
                for (int i = 1; i <= CALLS; i++) {
                    assertEquals(i, deposit(mine, account));
                    done.set(i);
                }
            });
            bank.awaitThat("the load is under way", () -> done.get() >= 300 || load.isDone());
            assertTrue(connected.status().number("executed") >= 300);
            assertTrue(done.get() < CALLS, "the load was over before the kill");
            connected.kill();
            load.orTimeout(60, TimeUnit.SECONDS).join();
        }
        for (MemberProcess survivor : bank.up()) {
            bank.awaitThat("all calls are executed", () -> survivor.status().isQuiet());
        }
        bank.restart(connected);
        assertEquals(CALLS, balance(account));
        assertEquals(CALLS, balance(account));
    }

    /**
     * F4: the member executed, and died before its reply was read. X6: a copy of an acknowledged call comes when the member that
     * ran it is gone.
     */
    @Test
    void theOthersGiveTheReplyThatDiedWithItsMemberAndRefuseLateCopies() {
        MemberProcess connected = bank.leader();
        RawClient client = new RawClient(bank.reference()).learn(connected);
        RequestContext.Call acknowledged = client.call();
        client.send(connected, acknowledged, Op.deposit("x6", 1)).value();
        client.acknowledge(connected, FinishedNumbers.of(1));
        bank.awaitEverywhere("entries", 0);
        RequestContext.Call call = client.call();
        String id = client.requestId(call);
        RawClient.Sent unread = client.post(connected, call, Op.deposit("f4", 7));
        bank.awaitThat(
                "all have executed it", () -> bank.processes().stream().allMatch(member -> member.executions(id) == 1));
        connected.kill();
        unread.close();
        List<Giop.Reply> replies = new ArrayList<>();
        for (MemberProcess survivor : bank.up()) {
            replies.add(client.send(survivor, call, Op.deposit("f4", 7)));
            assertEquals(1, survivor.executions(id));
            assertStale(client, survivor, acknowledged);
        }
        assertEquals(7, replies.get(0).value());
        assertArrayEquals(replies.get(0).body(), replies.get(1).body());
        // The member itself, from its log.
        bank.restart(connected);
        assertStale(client, connected, acknowledged);
    }

    private static void assertStale(RawClient client, MemberProcess member, RequestContext.Call call) {
        assertEquals(
                Optional.of(Refusal.STALE),
                client.send(member, call, Op.deposit("x6", 1)).amo().refusal());
    }

    /** F13, F14: a member that is three seconds late loses no acknowledgement. */
    @Test
    void aFrozenFollowerLosesNoAcknowledgement() {
        MemberProcess frozen = bank.follower();
        MemberProcess leader = bank.leader();
        long deposits = 0;
        try (Orb orb = clientOf(leader)) {
            Bank mine = orb.bank(bank.reference());
            frozen.pause();
            try {
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
                while (System.nanoTime() < end) {
                    assertEquals(++deposits, deposit(mine, "f13"));
                    Pace.pause(5);
                }
                for (MemberProcess member : bank.processes()) {
                    if (member != frozen) {
                        bank.awaitThat(
                                "entries are freed", () -> member.status().number("entries") == 0);
                    }
                }
            } finally {
                frozen.resume();
            }
            bank.awaitEqual();
            assertEquals(0, frozen.status().number("entries"));
            assertEquals(deposits, balance("f13"));
        }
    }

    /** A8, T-F11. */
    @Test
    void onewaysRunAtMostOnceThroughAFailoverAndLeaveNoReplies() {
        onewaysThroughAFailover("a8", 2 * CALLS);
    }

    @Test
    @Tag("slow")
    @Timeout(600)
    void aHundredThousandOneways() {
        onewaysThroughAFailover("a8 at length", 100_000);
    }

    private static void onewaysThroughAFailover(String account, int count) {
        MemberProcess connected = bank.leader();
        AtomicLong sent = new AtomicLong();
        try (Orb orb = clientOf(connected)) {
            // A group that has just begun refuses what an earlier life may have run, and nobody repeats a oneway.
            deposit(orb.bank(bank.reference()), account);
            Bank mine = orb.bank(bank.reference());
            CompletableFuture<Void> load = run(() -> {
                while (sent.get() < count) {
                    for (int i = 0; i < BATCH; i++) {
                        mine.note(account);
                        sent.incrementAndGet();
                    }
                    // Keeps the oneways from running ahead of the members.
                    deposit(mine, account);
                }
            });
            await("half are sent")
                    .atMost(Duration.ofMinutes(5))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> sent.get() >= count / 2 || load.isDone());
            connected.kill();
            load.orTimeout(300, TimeUnit.SECONDS).join();
        }
        long notes = notes(account);
        // Nobody repeats a oneway: what was written to the member that died is lost, and that is no more than a batch.
        assertTrue(notes <= count && notes >= count - BATCH, notes + " of " + count + " oneways ran");
        for (MemberProcess survivor : bank.up()) {
            bank.awaitThat("only replies were kept", () -> survivor.status().number("entries") <= 1);
            long bytes = recordBytes(survivor.status());
            assertTrue(bytes / count < MOST_BYTES_OF_A_ONEWAY, bytes + " bytes for " + count + " oneways");
        }
    }

    /** What the members remember, of clients of other tests too; generous for what a record, an entry, a range takes. */
    private static long recordBytes(Status status) {
        return status.number("bytes")
                + 300 * status.number("clients")
                + 100 * status.number("entries")
                + 48 * status.number("resolvedRanges");
    }

    /** A5 UNKNOWN: submitted, and no majority to order it. */
    @Test
    void withoutAMajorityARequestThatWasSubmittedIsUnknownAndRunsAtMostOnce() {
        MemberProcess leader = bank.leader();
        RawClient client = new RawClient(bank.reference()).learn(leader);
        List<MemberProcess> others =
                bank.processes().stream().filter(member -> member != leader).toList();
        long timestamp = client.timestamp();
        RequestContext.Call call = new RequestContext.Call(1, timestamp, timestamp + 1_000);
        others.forEach(MemberProcess::pause);
        try {
            Giop.Reply reply = client.send(leader, call, Op.deposit("a5", 1));
            assertEquals(Answer.Kind.UNKNOWN, reply.amo().kind(), reply::toString);
            assertEquals("IDL:omg.org/CORBA/TIMEOUT:1.0", reply.exceptionId());
            assertEquals(MinorCodes.UNKNOWN, reply.minorCode());
            assertEquals(MAYBE, reply.completed());
        } finally {
            others.forEach(MemberProcess::resume);
        }
        bank.awaitServing();
        bank.awaitEqual();
        long ran = bank.member(0).executions(client.requestId(call));
        for (MemberProcess member : bank.processes()) {
            Answer late = client.send(member, call, Op.deposit("a5", 1)).amo();
            assertEquals(
                    ran == 1, late.kind() == Answer.Kind.REPLY || late.refusal().equals(Optional.of(Refusal.STALE)));
        }
    }

    /** The member that is left knows no leader, and says so before the callers' time is up. */
    @Test
    void withoutAMajorityLaterCallsAreCertainlyNotExecuted() {
        MemberProcess left = bank.follower();
        ClientWrap wrap = new ClientWrap(bank.members(), Optional.of(3_000L), true, Optional.empty(), Optional.empty());
        try (Orb orb = Orb.of(wrap, Map.of("amo.firstMember", left.id()))) {
            Bank stub = orb.bank(bank.reference());
            deposit(stub, "few");
            bank.processes().stream().filter(member -> member != left).forEach(MemberProcess::kill);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> left.status().text("leader").isEmpty());
            for (int i = 0; i < 2; i++) {
                SystemException thrown = assertThrows(TRANSIENT.class, () -> deposit(stub, "few"));
                assertEquals(CompletionStatus.COMPLETED_NO, thrown.completed);
                assertEquals(MinorCodes.of(Refusal.OVERLOADED, Optional.of(Budget.ORDER)), thrown.minor);
            }
            bank.processes().stream().filter(process -> !process.isUp()).forEach(bank::launch);
            bank.awaitServing();
            assertEquals(2, deposit(stub, "few"));
        }
    }

    @Test
    void aClientWhoseFirstMembersAreDeadFindsTheLivingOne() {
        List<Integer> dead = FreePorts.find(2);
        Member living = bank.member(1).member();
        List<Member> members = List.of(
                new Member("x", "127.0.0.1", 1, dead.get(0)), new Member("y", "127.0.0.1", 1, dead.get(1)), living);
        ClientWrap wrap = new ClientWrap(members, Optional.of(10_000L), true, Optional.empty(), Optional.empty());
        try (Orb orb = Orb.of(wrap, Map.of("amo.firstMember", "x"))) {
            String key = new String(RawClient.objectKey(bank.reference()), java.nio.charset.StandardCharsets.US_ASCII);
            assertEquals(1, deposit(orb.bank("corbaloc:iiop:1.2@127.0.0.1:" + dead.get(0) + "/" + key), "dead-some"));
        }
    }

    @Test
    void aClientAllOfWhoseMembersAreDeadHearsThatItDidNotRun() {
        List<Integer> dead = FreePorts.find(2);
        List<Member> members =
                List.of(new Member("x", "127.0.0.1", 1, dead.get(0)), new Member("y", "127.0.0.1", 1, dead.get(1)));
        ClientWrap wrap = new ClientWrap(members, Optional.of(700L), true, Optional.empty(), Optional.empty());
        try (Orb orb = Orb.of(wrap, Map.of())) {
            Bank nobody = orb.bank("corbaloc:iiop:1.2@127.0.0.1:" + dead.get(0) + "/failover/bank/bank");
            SystemException thrown = assertThrows(TRANSIENT.class, () -> deposit(nobody, "dead-all"));
            assertEquals(CompletionStatus.COMPLETED_NO, thrown.completed);
            assertEquals(MinorCodes.NO_MEMBER, thrown.minor);
        }
    }

    private static Orb clientOf(MemberProcess first) {
        ClientWrap wrap =
                new ClientWrap(bank.members(), Optional.of(20_000L), true, Optional.empty(), Optional.empty());
        return Orb.of(wrap, Map.of("amo.firstMember", first.id()));
    }

    private static CompletableFuture<Void> run(Runnable body) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                        end.complete(null);
                    } catch (RuntimeException | Error e) {
                        end.completeExceptionally(e);
                    }
                },
                "amo-load");
        thread.setDaemon(true);
        thread.start();
        return end;
    }

    private static long deposit(Bank to, String account) {
        try {
            return to.deposit(account, 1);
        } catch (BadAmount e) {
            throw new AssertionError(e);
        }
    }

    private static long balance(String account) {
        try (Orb orb = Orb.client()) {
            return orb.bank(bank.reference()).book(account).balance;
        }
    }

    private static long notes(String account) {
        try (Orb orb = Orb.client()) {
            return orb.bank(bank.reference()).book(account).notes;
        }
    }
}
