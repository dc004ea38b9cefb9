package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.amo.core.request.Answer;
import org.amo.core.wire.RequestContext;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Bank;
import org.amo.lab.blackbox.RawClient.Op;
import org.amo.testkit.fault.FaultCommands;
import org.amo.testkit.fault.TestFaultHooks;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A2, D10: wall clocks half a minute to either side, and one an hour ahead. */
@Timeout(120)
@Tag("slow")
final class ClocksTest {
    private static final long APART = 30_000;
    private static final int ENOUGH = 50;
    private static final long SKEW = 2_000;
    private static final long HOUR = 3_600_000;

    @TempDir
    private static Path folder = Path.of("unset");

    private static BankCluster bank;

    @BeforeAll
    static void start() throws IOException {
        bank = new BankCluster(BankCluster.Settings.bank("clocks")
                .libraries(List.of(BankCluster.location(TestFaultHooks.class)))
                .property("a", "amo.faultFile", clock(-APART))
                .property("b", "amo.faultFile", clock(APART))
                .property("c", "amo.faultFile", clock(HOUR)));
        bank.startAll();
    }

    /** A file that sets a member's wall clock off by so much. */
    private static String clock(long aheadMillis) throws IOException {
        FaultCommands commands = new FaultCommands(folder.resolve("clock" + aheadMillis));
        commands.clock(aheadMillis);
        return commands.file().toString();
    }

    @AfterAll
    static void stop() {
        bank.close();
    }

    @Test
    void noClockMovesTheGroupsTimeWhoeverLeadsAndNobodyIsLockedOut() {
        long deposits = 0;
        for (int leaders = 0; leaders < 2; leaders++) {
            for (int client = 0; client < 3; client++) {
                try (Orb orb = Orb.client()) {
                    Bank mine = orb.bank(bank.reference());
                    for (int i = 0; i < 20; i++) {
                        assertEquals(++deposits, deposit(mine));
                    }
                }
            }
            bank.awaitEqual();
            MemberProcess leader = bank.leader();
            long ahead = leader.status().number("orderedTimeMillis") - System.currentTimeMillis();
            assertTrue(Math.abs(ahead) < APART + 5_000, "the group is " + ahead + " ms ahead of the median clocks");
            leader.kill();
            bank.awaitServing();
            assertEquals(++deposits, depositThroughNewClient());
            bank.restart(leader);
        }
        assertEquals(Set.of(), bank.executedMoreThanOnce());
    }

    /** Copies at the edge of their deadline, at all members: each is decided alike everywhere. */
    @Test
    void retriesAtTheEdgeOfTheDeadlineNeverDiverge() {
        RawClient client = new RawClient(bank.reference()).learn(bank.member(0));
        List<RequestContext.Call> calls = new ArrayList<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        int replied = 0;
        int refused = 0;
        while (System.nanoTime() < end && (replied < ENOUGH || refused < ENOUGH)) {
            long timestamp = client.timestamp();
            RequestContext.Call call = new RequestContext.Call(calls.size() + 1, timestamp, timestamp + 400);
            calls.add(call);
            client.send(bank.member(calls.size() % 3), call, Op.deposit("edge", 1));
            Pace.pause(5);
            for (RequestContext.Call old : calls) {
                long late = client.timestamp() - old.deadlineMillis() - SKEW;
                if (Math.abs(late) <= 200 && old.number() % 8 == calls.size() % 8) {
                    MemberProcess other = bank.member((int) (old.number() + calls.size()) % 3);
                    Answer answer =
                            client.send(other, old, Op.deposit("edge", 1)).amo();
                    replied += answer.kind() == Answer.Kind.REPLY ? 1 : 0;
                    refused += answer.kind() == Answer.Kind.REFUSED ? 1 : 0;
                }
            }
        }
        bank.awaitEqual();
        assertTrue(replied >= ENOUGH && refused >= ENOUGH, replied + " replied, " + refused + " refused");
        assertEquals(Set.of(), bank.executedMoreThanOnce());
    }

    private static long depositThroughNewClient() {
        try (Orb orb = Orb.client()) {
            return deposit(orb.bank(bank.reference()));
        }
    }

    private static long deposit(Bank to) {
        try {
            return to.deposit("clocks", 1);
        } catch (BadAmount e) {
            throw new AssertionError(e);
        }
    }
}
