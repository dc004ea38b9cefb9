package org.amo.scmp.udp;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.amo.scmp.CallOutcome;
import org.amo.scmp.ScmpOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S10 and S12 with a state file: what the machine's clock does is not what the file does. */
class ServerClockTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @BeforeEach
    void initialize() throws IOException {
        ScmpServer.initialize(folder.resolve("latest"));
    }

    private ScmpServer start(LongSupplier clock) throws IOException {
        return ScmpServerOptions.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .insecure()
                .stateFile(folder.resolve("latest"))
                .wallClock(clock)
                .core(ScmpServerOptions.coreForHeap()
                        .scmp(ScmpOptions.builder()
                                .storeInterval(Duration.ofMillis(200))
                                .skew(Duration.ofMillis(500))
                                .beta(Duration.ofSeconds(1))
                                .build())
                        .build())
                .inlineService(1, (caller, arguments) -> arguments)
                .start();
    }

    private long stored() throws IOException {
        try (FileStableLatest latest = FileStableLatest.open(folder.resolve("latest"))) {
            return latest.stored().orElseThrow();
        }
    }

    @Test
    void forcesFollowTheClockAndNotTheLoad() throws Exception {
        try (ScmpServer server = start(Clocks::systemWallMicros);
                ScmpClient client =
                        ScmpClient.builder(server.address()).insecure().open()) {
            long start = System.nanoTime();
            long forcesBefore = server.storeForces();
            int calls = 0;
            while (server.storeForces() < forcesBefore + 3 || calls < 200) {
                client.call(1, new byte[1]);
                calls++;
            }
            long forces = server.storeForces() - forcesBefore;
            long intervals = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) / 200;
            assertTrue(forces <= intervals + 2, forces + " writes in " + intervals + " intervals, " + calls + " calls");
        }
    }

    @Test
    void anHourBackAcrossARestartTheStoredValueDoesNotFallAndCallsWork() throws Exception {
        try (ScmpServer server = start(Clocks::systemWallMicros);
                ScmpClient client =
                        ScmpClient.builder(server.address()).insecure().open()) {
            client.call(1, new byte[1]);
        }
        long before = stored();
        long hour = TimeUnit.HOURS.toMicros(1);
        try (ScmpServer server = start(() -> Clocks.systemWallMicros() - hour);
                ScmpClient client = ScmpClient.builder(server.address())
                        .insecure()
                        .wallClock(() -> Clocks.systemWallMicros() - hour)
                        .open()) {
            ScmpCallException first = assertThrows(ScmpCallException.class, () -> client.call(1, new byte[1]));
            assertEquals(CallOutcome.Kind.UNKNOWN, first.kind());
            assertTrue(first.getMessage().contains("STALE"), first.getMessage());
            assertArrayEquals(new byte[2], client.call(1, new byte[2], LIMIT), "with the server's time it works");
            long forces = server.storeForces();
            await().atMost(LIMIT).until(() -> server.storeForces() > forces);
        }
        assertTrue(stored() >= before, stored() + " after " + before);
    }

    /** An operator has moved a damaged file away, as its line says. A call of the last half hour could be a recording. */
    @Test
    void anHourBackWithoutTheFileTheLockFileTellsTheTimeBelowWhichNothingRuns() throws Exception {
        try (ScmpServer server = start(Clocks::systemWallMicros)) {
            assertTrue(server.storeForces() > 0);
        }
        Files.delete(folder.resolve("latest"));
        long hour = TimeUnit.HOURS.toMicros(1);
        try (ScmpServer server = start(() -> Clocks.systemWallMicros() - hour);
                ScmpClient client = ScmpClient.builder(server.address())
                        .insecure()
                        .wallClock(() -> Clocks.systemWallMicros() - hour / 2)
                        .open()) {
            ScmpCallException first =
                    assertThrows(ScmpCallException.class, () -> client.call(1, new byte[1], Duration.ofSeconds(3)));
            assertTrue(first.getMessage().contains("STALE"), first.getMessage());
            assertArrayEquals(new byte[2], client.call(1, new byte[2], LIMIT), "with the server's time it works");
        }
    }

    @Test
    void aMissingStateFileIsNoFirstStart() throws Exception {
        ScmpServerOptions.Builder unsure = ScmpServerOptions.builder(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .insecure()
                .stateFile(folder.resolve("lost"))
                .inlineService(1, (caller, arguments) -> arguments);
        try (ScmpServer server = unsure.start();
                ScmpClient client =
                        ScmpClient.builder(server.address()).insecure().open()) {
            ScmpCallException refused = assertThrows(ScmpCallException.class, () -> client.call(1, new byte[1]));
            assertTrue(refused.getMessage().contains("STALE"), refused.getMessage());
        }
    }
}
