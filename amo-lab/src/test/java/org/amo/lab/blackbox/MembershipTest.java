package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.cli.Amo;
import org.amo.core.order.Member;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** {@code ./amo member} on a running bank: a third member comes, the first one that led goes, and calls run. */
@Timeout(180)
final class MembershipTest {
    private static final int USER_MISTAKE = 2;

    private record Said(int exitCode, String out, String err) {}

    @Test
    void aMemberIsAddedAndAnotherRemovedWhileCallsRun() throws InterruptedException {
        try (BankCluster bank =
                        BankCluster.start(BankCluster.Settings.bank("members").two());
                Orb orb = Orb.client()) {
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
