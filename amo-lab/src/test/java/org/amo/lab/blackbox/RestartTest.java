package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.lab.blackbox.RawClient.Op;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Later lives of members, and of the whole group, with the log on disk. */
@Timeout(120)
final class RestartTest {
    private static final long LONG_LIFE = 120_000;
    private static final int CLIENTS = 4;
    private static final int USER_MISTAKE = 2;
    private static final int ENVIRONMENT = 3;

    private static BankCluster bank;

    @BeforeAll
    static void start() {
        bank = BankCluster.start(BankCluster.Settings.bank("restart").log(Log.FSYNC));
    }

    @AfterAll
    static void stop() {
        bank.close();
    }

    @AfterEach
    void everybodyIsBackAndAgreesAndNothingRanTwice() {
        bank.launchKilled();
        bank.awaitEqual();
        assertEquals(Set.of(), bank.executedMoreThanOnce());
    }

    /**
     * T-F14, D14: nothing is lost, nothing runs again, and what was refused before is refused after. The kill comes in the middle of
     * load.
     */
    @Test
    void theKillOfEveryProcessLosesNothingAndRunsNothingAgain() throws InterruptedException {
        RawClient client = new RawClient(bank.reference()).learn(bank.member(0));
        List<RequestContext.Call> kept = new ArrayList<>();
        List<Giop.Reply> replies = new ArrayList<>();
        for (int i = 1; i <= 30; i++) {
            RequestContext.Call call = longCall(client, i);
            kept.add(call);
            replies.add(client.send(bank.member(i % 3), call, Op.deposit("all", 1)));
            assertEquals(i, replies.get(i - 1).value());
        }
        long expiration = client.timestamp() + LONG_LIFE;
        byte[] foreign = foreign(bank.member(1), client, expiration).body();
        client.acknowledge(bank.member(0), FinishedNumbers.of(10));
        bank.awaitEverywhere("entries", 21);
        List<Status> before = bank.awaitEqual();

        killEveryProcessInTheMiddleOfLoad();
        bank.awaitEqual();

        Status after = bank.member(2).status();
        assertTrue(after.number("orderedTimeMillis") >= before.get(0).number("orderedTimeMillis"));
        assertTrue(after.number("upperMillis") >= before.get(0).number("upperMillis"));
        for (MemberProcess member : bank.processes()) {
            for (int number : new int[] {1, 10, 11, 30}) {
                Giop.Reply late = client.send(member, kept.get(number - 1), Op.deposit("all", 1));
                if (number <= 10) {
                    assertEquals(Optional.of(Refusal.STALE), late.amo().refusal());
                } else {
                    assertArrayEquals(replies.get(number - 1).body(), late.body());
                }
            }
            assertArrayEquals(foreign, foreign(member, client, expiration).body());
        }
        assertEquals(
                32,
                client.send(bank.member(0), longCall(client, 31), Op.deposit("all", 1))
                        .value());
        client.acknowledge(bank.member(0), FinishedNumbers.of(100));
    }

    /** Each client's account tells each answer: one too many is an execution too many, one too few a loss. */
    private static void killEveryProcessInTheMiddleOfLoad() throws InterruptedException {
        AtomicBoolean enough = new AtomicBoolean();
        List<AtomicLong> answered = new ArrayList<>();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            String account = "load-" + i;
            AtomicLong answers = new AtomicLong();
            answered.add(answers);
            clients.add(new Thread(() -> {
                try (Orb orb = Orb.client(LONG_LIFE, Map.of())) {
                    var target = orb.bank(bank.reference());
                    while (!enough.get()) {
                        assertEquals(answers.get() + 1, target.deposit(account, 1));
                        answers.incrementAndGet();
                    }
                } catch (Exception | Error e) {
                    failures.add(e);
                }
            }));
        }
        clients.forEach(Thread::start);
        bank.awaitThat("calls run", () -> answered.stream().allMatch(count -> count.get() > 30));

        bank.processes().forEach(MemberProcess::kill);
        List<Long> before = answered.stream().map(AtomicLong::get).toList();
        bank.startAll();
        bank.awaitThat("calls go on", () -> {
            for (int i = 0; i < CLIENTS; i++) {
                if (failures.isEmpty() && answered.get(i).get() < before.get(i) + 30) {
                    return false;
                }
            }
            return true;
        });
        enough.set(true);
        for (Thread client : clients) {
            client.join(LONG_LIFE);
        }
        assertEquals(List.of(), failures);
    }

    /** D15. The others go on, and the member, too, with its former settings. */
    @Test
    @Tag("slow")
    void anotherBudgetRandomSourceOrTimeZoneAtALaterStartIsTheUsersMistake() {
        MemberProcess member = bank.follower();
        member.kill();
        assertEndsWithOtherBudget(member);
        assertEndsWith(
                member, "amo.random", "leader", "has --random (amo.random) 'leader', and members OTHERS 'seeded'");
        assertEndsWith(
                member,
                "user.timezone",
                "Asia/Tokyo",
                "has the default time zone (-Duser.timezone) 'Asia/Tokyo', and members OTHERS '");
    }

    /** @param line in which OTHERS stands for the other members */
    private static void assertEndsWith(MemberProcess odd, String property, String value, String line) {
        odd.start(bank.command(odd, Optional.empty())
                .with(List.of(), Map.of(property, value))
                .words());
        assertEquals(USER_MISTAKE, odd.exitCode(), odd::said);
        String others = bank.processes().stream()
                .filter(member -> member != odd)
                .map(MemberProcess::id)
                .collect(Collectors.joining(", "));
        String said = "member " + odd.id() + " of group restart " + line.replace("OTHERS", others);
        assertTrue(odd.said().contains(said), odd::said);
        bank.awaitServing();
        bank.awaitEqual();
        assertEquals(2, bank.up().size());
    }

    private static void assertEndsWithOtherBudget(MemberProcess member) {
        bank.launch(member, 1_000_000);
        assertEquals(USER_MISTAKE, member.exitCode(), member::said);
        // A busy machine may let it join for longer than the start waits, which it says before.
        List<String> mistakes =
                member.said().lines().filter(line -> line.startsWith("amo: ")).toList();
        assertEquals(1, mistakes.size(), member::said);
        assertTrue(mistakes.get(0).contains("amo.budget"), member::said);
        assertTrue(member.said().strip().endsWith(mistakes.get(0)), member::said);
    }

    @Test
    @Tag("slow")
    void aSecondProcessUnderARunningMembersIdIsRefusedAndTheGroupGoesOn() {
        MemberProcess impostor = bank.impostor(bank.follower());
        try {
            int exitCode = impostor.exitCode();
            assertTrue(exitCode == USER_MISTAKE || exitCode == ENVIRONMENT, impostor::said);
            List<String> ours = impostor.said()
                    .lines()
                    .filter(line -> line.startsWith("amo: "))
                    .toList();
            assertEquals(1, ours.size(), impostor::said);
            assertTrue(ours.get(0).contains("already member '" + impostor.id() + "'"), impostor::said);
        } finally {
            impostor.kill();
        }
        try (Orb orb = Orb.client()) {
            assertEquals("demo bank", orb.bank(bank.reference()).name());
        }
    }

    private static RequestContext.Call longCall(RawClient client, long number) {
        long timestamp = client.timestamp();
        return new RequestContext.Call(number, timestamp, timestamp + LONG_LIFE);
    }

    private static Giop.Reply foreign(MemberProcess member, RawClient client, long expiration) {
        CdrWriter context = new CdrWriter(false).octet(0);
        context.string("foreign").uLong(5).longLong(expiration * 10_000 + 0x01B2_1DD2_1381_4000L);
        return client.post(member, Giop.V12, Op.deposit("all", 1), Map.of(13, context.toBytes()))
                .reply();
    }
}
