package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.cli.Amo;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.sack.FinishedNumbers;
import org.amo.examples.bank.idl.Bank;
import org.amo.net.CheckedFile;
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
 * calls run; at last, one disk of the group is left. One group serves all, in this order.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class MembershipTest {
    private static final int USER_MISTAKE = 2;
    private static final int MESSAGES = Boolean.getBoolean("amo.allSeeds") ? 1_000 : 400;
    private static final long SEED = 20_261;

    /** Any call of a neighbour takes less, whatever else arrives at its member. */
    private static final long MOST_NANOS = 20_000_000_000L;

    private static BankCluster bank;

    private record Said(int exitCode, String out, String err) {}

    @BeforeAll
    static void start() {
        bank = BankCluster.start(
                BankCluster.Settings.bank("members").log(Log.FILE).two());
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
            Deposits undisturbed = new Deposits(neighbour, "neighbour");
            bank.awaitThat("the neighbour calls", () -> undisturbed.made.get() > 10);
            long before = undisturbed.made.get();
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
            assertEquals(Optional.empty(), undisturbed.end(), () -> "seed " + SEED + said());
            long calls = undisturbed.made.get();
            assertTrue(calls > before + 10, () -> "the neighbour made " + (calls - before) + " calls meanwhile");
            long slowest = undisturbed.slowestNanos.get();
            assertTrue(slowest < MOST_NANOS, () -> slowest / 1_000_000 + " ms");
            assertEquals(2, bank.up().size(), "members that live");
            client.acknowledge(bank.member(0), FinishedNumbers.of(1_000_000));
            bank.awaitEqual();
            assertEquals(Set.of(), bank.executedMoreThanOnce());
            assertEquals(calls + 1, neighbour.deposit("neighbour", 1));
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
            Deposits deposits = new Deposits(orb.bank(bank.reference()), "all");
            MemberProcess third = bank.oneMore("c");

            Said added = member("add", third.member().toString(), list);
            assertEquals(0, added.exitCode, added.err);
            assertTrue(added.out.contains("c="), added.out);
            assertEquals(USER_MISTAKE, member("add", third.member().toString(), list).exitCode);
            bank.launch(third);
            bank.awaitServing();

            MemberProcess gone = bank.leader();
            Said removed = member("remove", gone.id(), Member.format(bank.members()));
            assertEquals(0, removed.exitCode, removed.err);
            assertTrue(!removed.out.contains(gone.id() + "="), removed.out);
            bank.awaitThat(
                    "it says that it is no member any more", () -> gone.said().contains("was removed"));
            gone.kill();
            bank.awaitServing();
            long before = deposits.made.get();
            bank.awaitThat("calls go on", () -> deposits.made.get() > before + 20);

            String next = bank.follower().id();
            Said moved = member("transfer-leadership", next, Member.format(bank.members()));
            assertEquals(0, moved.exitCode, moved.err);
            bank.awaitThat("all know that it leads", () -> bank.up().stream()
                    .allMatch(member -> member.status().text("leader").equals(next)));
            long then = deposits.made.get();
            bank.awaitThat("calls go on behind the next leader", () -> deposits.made.get() > then + 20);
            assertSnapshotsAndATable(bank.leader());

            assertEquals(Optional.empty(), deposits.end());
            bank.awaitEqual();
            assertEquals(Set.of(), bank.executedMoreThanOnce());
        }
    }

    /** While calls run. */
    private static void assertSnapshotsAndATable(MemberProcess asked) {
        Said taken = amo(
                "snapshot",
                "take",
                asked.id(),
                "--members",
                Member.format(bank.members()),
                "--group",
                "members",
                "--insecure");
        assertEquals(0, taken.exitCode, taken.toString());
        assertTrue(taken.out.lines().toList().get(1).matches(asked.id() + " +\\d+ +\\d+ +\\d+ .* ms"), taken.out);
        Member member = asked.member();
        Said table = amo("status", member.host() + ":" + member.clientPort(), "--watch", "--count", "1");
        assertEquals(0, table.exitCode, table.toString());
        assertEquals(
                bank.up().size(),
                table.out
                        .lines()
                        .filter(row -> row.contains(" leader ") || row.contains(" follower "))
                        .count(),
                table.out);
    }

    /** No process outlives the loss of the other disk, and calls are under way. The leader has all that was answered. */
    @Test
    @Order(3)
    @Timeout(180)
    void theGroupGoesOnWithTheDiskOfItsLeaderAlone() throws Exception {
        try (Orb orb = Orb.client(60_000, Map.of())) {
            // The reference names the two first members, and the client hears of the third one by an answer.
            Deposits deposits = new Deposits(orb.bank(bank.reference()), "rest");
            bank.awaitThat("calls run", () -> deposits.made.get() > 20);
            Said moved = member("transfer-leadership", "c", Member.format(bank.members()));
            assertEquals(0, moved.exitCode, moved.err);
            bank.awaitThat("it leads", () -> bank.leader().id().equals("c"));
            MemberProcess left = bank.leader();
            Path lost = disk(bank.follower());
            long led = deposits.made.get();
            bank.awaitThat("calls run behind it", () -> deposits.made.get() > led + 20);
            bank.up().forEach(MemberProcess::kill);
            CheckedFile.deleteTree(lost);

            Said whole = amo("verify", disk(left).toString());
            assertEquals(0, whole.exitCode, whole.toString());
            Said recovered = recover(left);
            assertEquals(0, recovered.exitCode, recovered.toString());
            long before = deposits.made.get();
            bank.launch(left);
            bank.awaitServing();
            bank.awaitThat("calls go on", () -> deposits.made.get() > before + 20);

            assertEquals(Optional.empty(), deposits.end());
            assertEquals(Set.of(), bank.executedMoreThanOnce());
        }
    }

    private static Path disk(MemberProcess member) {
        return bank.folder().resolve("members").resolve(member.id());
    }

    private static Said recover(MemberProcess member) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("members\n".getBytes(StandardCharsets.UTF_8)));
        try {
            return amo("recover", disk(member).toString(), "--force-new-group");
        } finally {
            System.setIn(before);
        }
    }

    /** Deposits 1 again and again, in a thread of its own. Each balance names its call. */
    private static final class Deposits {
        private final AtomicBoolean enough = new AtomicBoolean();
        private final AtomicLong made = new AtomicLong();
        private final AtomicLong slowestNanos = new AtomicLong();
        private final AtomicReference<Optional<Throwable>> failure = new AtomicReference<>(Optional.empty());
        private final Thread thread;

        Deposits(Bank target, String account) {
            thread = new Thread(() -> deposit(target, account));
            thread.start();
        }

        private void deposit(Bank target, String account) {
            try {
                while (!enough.get()) {
                    long start = System.nanoTime();
                    assertEquals(made.incrementAndGet(), target.deposit(account, 1));
                    slowestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
                    Pace.pause(5);
                }
            } catch (Exception | Error e) {
                failure.set(Optional.of(e));
            }
        }

        /** @return what ended it before */
        Optional<Throwable> end() throws InterruptedException {
            enough.set(true);
            thread.join(30_000);
            assertFalse(thread.isAlive(), "a call does not end");
            return failure.get();
        }
    }

    private static Said member(String action, String member, String members) {
        return amo("member", action, member, "--members", members, "--group", "members", "--insecure");
    }

    private static Said amo(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = Amo.commandLine();
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        int exitCode = command.execute(words);
        return new Said(exitCode, out.toString(), err.toString());
    }
}
