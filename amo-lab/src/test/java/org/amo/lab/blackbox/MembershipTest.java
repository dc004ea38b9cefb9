package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.cli.Amo;
import org.amo.core.order.Member;
import org.amo.core.sack.FinishedNumbers;
import org.amo.examples.bank.idl.Bank;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/**
 * A bank of two members under broken messages, and then under {@code ./amo member}: a third member comes, the first one that led goes, and
 * calls run. One group serves both, and the members change last.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class MembershipTest {
    private static final int USER_MISTAKE = 2;
    private static final int MESSAGES = 1_000;
    private static final long SEED = 20_261;

    /** Any call of a neighbour takes less, whatever else arrives at its member. */
    private static final long MOST_NANOS = 20_000_000_000L;

    private static BankCluster bank;

    private record Said(int exitCode, String out, String err) {}

    @BeforeAll
    static void start() {
        bank = BankCluster.start(BankCluster.Settings.bank("members").two());
    }

    @AfterAll
    static void stop() {
        bank.close();
    }

    /** Over real connections: the group lives, and its members stay equal. */
    @Test
    @Order(1)
    void brokenMessagesHarmNoNeighbourAndNoMember() throws Exception {
        Random random = new Random(SEED);
        BrokenMessages messages = new BrokenMessages(random);
        try (Orb orb = Orb.client(30_000, Map.of())) {
            Bank neighbour = orb.bank(bank.reference());
            AtomicBoolean enough = new AtomicBoolean();
            AtomicLong calls = new AtomicLong();
            AtomicLong slowest = new AtomicLong();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread undisturbed = new Thread(() -> {
                try {
                    while (!enough.get()) {
                        long start = System.nanoTime();
                        assertEquals(calls.incrementAndGet(), neighbour.deposit("neighbour", 1));
                        slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
                        Pace.pause(5);
                    }
                } catch (Exception | AssertionError e) {
                    failure.set(e);
                }
            });
            undisturbed.start();
            RawClient client = new RawClient(bank.reference()).learn(bank.member(0));
            List<RawClient.Sent> open = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                MemberProcess member = bank.member(random.nextInt(2));
                try {
                    open.add(client.raw(member, messages.next(client)));
                } catch (java.io.UncheckedIOException e) {
                    throw new AssertionError(
                            "after " + i + " messages " + member.id() + " takes no more: " + member.said(), e);
                }
                // Some stay open while others come, as broken clients do.
                if (open.size() > 20) {
                    open.remove(random.nextInt(open.size())).close();
                }
            }
            open.forEach(RawClient.Sent::close);
            enough.set(true);
            undisturbed.join();
            assertEquals(null, failure.get(), () -> "seed " + SEED + ": " + failure.get() + said());
            assertTrue(calls.get() > 10, () -> "the neighbour made " + calls.get() + " calls");
            assertTrue(slowest.get() < MOST_NANOS, () -> slowest.get() / 1_000_000 + " ms");
            assertEquals(2, bank.up().size(), "members that live");
            client.acknowledge(bank.member(0), FinishedNumbers.of(1_000_000));
            bank.awaitEqual();
            assertEquals(Set.of(), bank.executedMoreThanOnce());
            assertEquals(calls.get() + 1, neighbour.deposit("neighbour", 1));
        }
    }

    private static List<String> said() {
        return bank.processes().stream().map(MemberProcess::said).toList();
    }

    @Test
    @Order(2)
    @Timeout(180)
    void aMemberIsAddedAndAnotherRemovedWhileCallsRun() throws InterruptedException {
        try (Orb orb = Orb.client()) {
            String list = Member.format(bank.members());
            var target = orb.bank(bank.reference());
            AtomicBoolean enough = new AtomicBoolean();
            AtomicLong deposits = new AtomicLong();
            AtomicReference<Throwable> failed = new AtomicReference<>();
            Thread calling = new Thread(() -> {
                try {
                    while (!enough.get()) {
                        assertEquals(deposits.incrementAndGet(), target.deposit("all", 1));
                        Pace.pause(5);
                    }
                } catch (Exception | Error e) {
                    failed.set(e);
                }
            });
            calling.start();
            MemberProcess third = bank.oneMore("c");

            Said added = amo("add", third.member().toString(), list);
            assertEquals(0, added.exitCode, added.err);
            assertTrue(added.out.contains("c="), added.out);
            assertEquals(USER_MISTAKE, amo("add", third.member().toString(), list).exitCode);
            bank.launch(third);
            bank.awaitServing();

            MemberProcess gone = bank.leader();
            Said removed = amo("remove", gone.id(), Member.format(bank.members()));
            assertEquals(0, removed.exitCode, removed.err);
            assertTrue(!removed.out.contains(gone.id() + "="), removed.out);
            bank.awaitThat(
                    "it says that it is no member any more", () -> gone.said().contains("was removed"));
            gone.kill();
            bank.awaitServing();
            long before = deposits.get();
            bank.awaitThat("calls go on", () -> deposits.get() > before + 20);

            enough.set(true);
            calling.join(30_000);
            assertFalse(calling.isAlive(), "a call does not end");
            assertEquals(null, failed.get());
            bank.awaitEqual();
            assertEquals(Set.of(), bank.executedMoreThanOnce());
        }
    }

    private static Said amo(String action, String member, String members) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = Amo.commandLine();
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        int exitCode =
                command.execute("member", action, member, "--members", members, "--group", "members", "--insecure");
        return new Said(exitCode, out.toString(), err.toString());
    }
}
