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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
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
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TRANSIENT;

/** Members die and freeze under load. Each test ends with all three up and in agreement. */
@Timeout(120)
final class FailoverTest {
    /** More come from the profile slow. */
    private static final int CALLS = Boolean.getBoolean("amo.allSeeds") ? 1_000 : 400;

    private static final int UNDER_WAY = CALLS / 4;
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
    @Test
    @Tag("slow")
    void aThousandCallsSurviveTheKillOfTheFollowerThatServesThem() {
        MemberProcess connected = bank.follower();
        String account = "f7-follower";
        long made;
        try (Load calls = calls(connected, account)) {
            bank.awaitThat("the load is under way", () -> calls.hasMade(UNDER_WAY));
            bank.awaitThat("it has executed as many", () -> connected.status().number("executed") >= UNDER_WAY);
            connected.kill();
            made = calls.finish();
        }
        awaitExecuted();
        bank.restart(connected);
        assertEquals(made, balance(account));
        assertEquals(made, balance(account));
    }

    /**
     * One death of a leader for all of these, since each life of a member takes seconds. F7, T-F7: the clients it serves see no exception.
     * A8, T-F11: oneways run at most once. F4: it executed, and died before its reply was read. X6: a copy of an acknowledged call comes
     * when the member that ran it is gone.
     */
    @Test
    @Timeout(240)
    void theOthersServeTheClientsOfALeaderThatDies() {
        MemberProcess connected = bank.leader();
        RawClient client = new RawClient(bank.reference()).learn(connected);
        RequestContext.Call acknowledged = client.call();
        client.send(connected, acknowledged, Op.deposit("x6", 1)).value();
        client.acknowledge(connected, FinishedNumbers.of(1));
        bank.awaitEverywhere("entries", 0);
        long made;
        long sent;
        try (Load calls = calls(connected, "f7-leader");
                Load oneways = oneways(connected, "a8", 2 * CALLS)) {
            bank.awaitThat("both loads are under way", () -> calls.hasMade(UNDER_WAY) && oneways.hasMade(CALLS));
            bank.awaitThat("it has executed as many", () -> connected.status().number("executed") >= UNDER_WAY);
            killUnreadAndAskTheOthers(connected, client, acknowledged);
            made = calls.finish();
            sent = oneways.finish();
        }
        awaitExecuted();
        client.acknowledge(bank.up().get(0), FinishedNumbers.of(2));
        assertOnewaysLeaveNoReplies("a8", sent);
        // The member itself, from its log.
        bank.restart(connected);
        assertStale(client, connected, acknowledged);
        assertEquals(made, balance("f7-leader"));
        assertEquals(made, balance("f7-leader"));
    }

    /** Kills the member while its reply to a call lies in the connection. */
    private static void killUnreadAndAskTheOthers(
            MemberProcess connected, RawClient client, RequestContext.Call acknowledged) {
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
    }

    private static void awaitExecuted() {
        for (MemberProcess survivor : bank.up()) {
            bank.awaitThat("all calls are executed", () -> survivor.status().isQuiet());
        }
    }

    private static void assertStale(RawClient client, MemberProcess member, RequestContext.Call call) {
        assertEquals(
                Optional.of(Refusal.STALE),
                client.send(member, call, Op.deposit("x6", 1)).amo().refusal());
    }

    /** F13, F14: a member that is three seconds late loses no acknowledgement. */
    @Test
    @Tag("slow")
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

    @Test
    @Tag("slow")
    @Timeout(600)
    void aHundredThousandOneways() {
        int count = 100_000;
        MemberProcess connected = bank.leader();
        long sent;
        try (Load oneways = oneways(connected, "a8 at length", count)) {
            await("half are sent")
                    .atMost(Duration.ofMinutes(5))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> oneways.hasMade(count / 2));
            connected.kill();
            sent = oneways.finish();
        }
        assertOnewaysLeaveNoReplies("a8 at length", sent);
    }

    private static void assertOnewaysLeaveNoReplies(String account, long sent) {
        long notes = notes(account);
        // Nobody repeats a oneway: what was written to the member that died is lost, and that is no more than a batch.
        assertTrue(notes <= sent && notes >= sent - BATCH, notes + " of " + sent + " oneways ran");
        for (MemberProcess survivor : bank.up()) {
            bank.awaitThat("only replies were kept", () -> survivor.status().number("entries") <= 1);
            long bytes = recordBytes(survivor.status());
            assertTrue(bytes / sent < MOST_BYTES_OF_A_ONEWAY, bytes + " bytes for " + sent + " oneways");
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
    @Tag("slow")
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
    @Tag("slow")
    @Timeout(240)
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
    @Tag("slow")
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
    @Tag("slow")
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

    /** Deposits one after another, each of which tells how many there were. */
    private static Load calls(MemberProcess connected, String account) {
        return new Load(connected, CALLS)
                .start((mine, made) -> assertEquals(made.incrementAndGet(), deposit(mine, account)));
    }

    private static Load oneways(MemberProcess connected, String account, int count) {
        Load load = new Load(connected, count);
        // A group that has just begun refuses what an earlier life may have run, and nobody repeats a oneway.
        deposit(load.bank(), account);
        return load.start((mine, made) -> {
            for (int i = 0; i < BATCH; i++) {
                mine.note(account);
                made.incrementAndGet();
            }
            // Keeps the oneways from running ahead of the members.
            deposit(mine, account);
        });
    }

    /** Calls of an ORB of its own, which asks one member first. It makes so many at least, and goes on until the test says that it may end. */
    private static final class Load implements AutoCloseable {
        private final Orb orb;
        private final int least;
        private final AtomicLong made = new AtomicLong();
        private final AtomicBoolean mayEnd = new AtomicBoolean();
        private final CompletableFuture<Void> end = new CompletableFuture<>();

        Load(MemberProcess connected, int least) {
            this.orb = clientOf(connected);
            this.least = least;
        }

        Bank bank() {
            return orb.bank(bank.reference());
        }

        /** @param step makes calls and counts them */
        Load start(BiConsumer<Bank, AtomicLong> step) {
            Bank mine = bank();
            Thread thread = new Thread(
                    () -> {
                        try {
                            while (made.get() < least || !mayEnd.get()) {
                                step.accept(mine, made);
                            }
                            end.complete(null);
                        } catch (RuntimeException | Error e) {
                            end.completeExceptionally(e);
                        }
                    },
                    "amo-load");
            thread.setDaemon(true);
            thread.start();
            return this;
        }

        /** Also if it has failed, which {@link #finish} tells. */
        boolean hasMade(long calls) {
            return made.get() >= calls || end.isDone();
        }

        /** Returns how many calls it made. */
        long finish() {
            mayEnd.set(true);
            end.orTimeout(300, TimeUnit.SECONDS).join();
            return made.get();
        }

        @Override
        public void close() {
            orb.close();
        }
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
