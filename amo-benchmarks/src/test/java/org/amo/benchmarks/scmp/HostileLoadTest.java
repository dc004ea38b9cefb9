package org.amo.benchmarks.scmp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The loads reach the checks that they measure, and their figures are those of their names. */
@Timeout(60)
class HostileLoadTest {
    private static final String SECRET = "0123456789abcdef".repeat(4);

    @Test
    void honestClientsAreAnsweredAndHostileDatagramsFailTheCheckTheyAreMadeFor(@TempDir Path data) throws Exception {
        try (FirstCallGroup group = new FirstCallGroup("127.0.0.1", Optional.of(SECRET), data.resolve("group"));
                OneCallClients clients =
                        new OneCallClients(new OneCallDatagrams(group.name(), SECRET), group.address(0), 16)) {
            OneCallClients.Round busy = clients.busy(4, 300);
            assertTrue(busy.calls() > 0);
            OneCallClients.Round paced = clients.paced(100, 300);
            assertTrue(paced.calls() > 0 && paced.calls() <= 31, "calls " + paced.calls());
            // Each client acknowledges its reply.
            assertTrue(group.counted(0, "TAKEN") > busy.calls() + paced.calls());
            assertEquals(16, clients.recorded().size());
            assertEquals(0, group.counted(0, "FORGED"));
            assertReaches(group, "FORGED", HostileSender.forged(clients.recorded(), new Random(1)));
            assertReaches(group, "REPEATED", clients.recorded());
            long taken = group.counted(0, "TAKEN");
            assertReaches(group, "VERSION", HostileSender.rubbish(clients.recorded(), new Random(1)));
            assertEquals(taken, group.counted(0, "TAKEN"));
        }
    }

    @Test
    void theCoresOfTheMembersAreThoseOfTheProcessWithoutTheThreadOfTheClients() {
        // 5,000 calls in 3 s, for which the process took 2 s of processors, half a second of them this thread.
        OneCallClients.Round round = new OneCallClients.Round(5_000, 3, 0, 500_000_000);
        assertEquals(0.5, round.othersCores(2), 1e-9);
    }

    @Test
    void aFirstCallIsCountedInRoundTripsBeyondItsExecution() {
        assertEquals(1.02, FirstCalls.roundTrips(51_400, 400, 50), 1e-9);
    }

    private static void assertReaches(FirstCallGroup group, String outcome, List<byte[]> datagrams) throws Exception {
        long before = group.counted(0, outcome);
        try (HostileSender sender = new HostileSender(group.address(0), datagrams, 1_000)) {
            sender.await(50);
            Awaitility.await().until(() -> group.counted(0, outcome) >= before + 20);
        }
    }
}
