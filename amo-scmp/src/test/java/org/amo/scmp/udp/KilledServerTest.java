package org.amo.scmp.udp;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.amo.scmp.CallOutcome;
import org.amo.scmp.RpcClientOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S7, S9, S12 and T-S8 with real processes and kill -9. */
class KilledServerTest {
    private static final Duration WAIT = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @BeforeEach
    void initialize() throws Exception {
        ScmpServer.initialize(folder.resolve("latest"));
    }

    private Path ledger() {
        return folder.resolve("ledger");
    }

    private List<String> executed() throws Exception {
        return Files.exists(ledger()) ? Files.readAllLines(ledger()) : List.of();
    }

    private ServerProcess start(int port) throws Exception {
        return start(port, 0);
    }

    private ServerProcess start(int port, long clockOffsetMicros) throws Exception {
        return ServerProcess.start(port, folder.resolve("latest"), ledger(), clockOffsetMicros);
    }

    private long stored() throws Exception {
        try (FileStableLatest latest = FileStableLatest.open(folder.resolve("latest"))) {
            return latest.stored().orElseThrow();
        }
    }

    private static boolean isServed(ScmpClient client, String text) throws InterruptedException {
        try {
            client.call(1, text(text), Duration.ofSeconds(5));
            return true;
        } catch (ScmpCallException e) {
            return false;
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void datagramsOfBeforeTheCrashAreNotExecutedAfterItAndNewCallsAre() throws Exception {
        ServerProcess first = start(0);
        try (Tap tap = new Tap(first.port());
                ScmpClient client = ScmpClient.builder(tap.address()).insecure().open()) {
            for (int i = 0; i < 100; i++) {
                client.call(1, text("before-" + i));
            }
            List<byte[]> captured = tap.requests();
            assertTrue(captured.size() >= 100, "one datagram a call");
            assertEquals(100, executed().size());
            first.kill();
            long crashed = System.nanoTime();
            try (ServerProcess second = start(first.port())) {
                int answersBefore = tap.answers().size();
                for (byte[] datagram : captured) {
                    tap.replay(datagram);
                }
                // Every CALL is answered with a refusal, REPLY-ACKs with nothing.
                await().atMost(WAIT).until(() -> tap.answers().size() >= answersBefore + 100);
                assertEquals(100, executed().size(), "a datagram of before the crash was executed");

                // "In the worst case we will accept all messages sent after the crash + beta": a client that has heard
                // nothing.
                await().atMost(WAIT).until(() -> System.nanoTime() - crashed > LedgerServer.BETA.toNanos());
                try (ScmpClient other =
                        ScmpClient.builder(tap.address()).insecure().open()) {
                    other.call(1, text("after"));
                }
                assertEquals("after", executed().get(100));
                for (byte[] datagram : captured) {
                    tap.replay(datagram);
                }
                await().atMost(WAIT).until(() -> tap.answers().size() >= answersBefore + 201);
                assertEquals(101, executed().size());
                assertEquals(second.port(), first.port());
            }
        } finally {
            first.close();
        }
    }

    /** No start brings back a file that a disk has lost, alone or with its lock file. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLostStateFileIsNoFirstStart(boolean withItsLockFile) throws Exception {
        ServerProcess first = start(0);
        try (Tap tap = new Tap(first.port());
                ScmpClient client = ScmpClient.builder(tap.address()).insecure().open()) {
            client.call(1, text("before"));
            byte[] captured = tap.requests().get(0);
            first.kill();
            Files.delete(folder.resolve("latest"));
            if (withItsLockFile) {
                Files.delete(folder.resolve("latest.lock"));
            }
            try (ServerProcess second = start(first.port())) {
                int answers = tap.answers().size();
                tap.replay(captured);
                await().atMost(WAIT).until(() -> tap.answers().size() > answers);
                assertEquals(List.of("before"), executed());
                assertEquals(second.port(), first.port());
            }
        } finally {
            first.close();
        }
    }

    @Test
    void withItsClockAnHourBackAfterTheCrashTheStoredValueDoesNotFallAndNothingRunsAgain() throws Exception {
        ServerProcess first = start(0);
        try (Tap tap = new Tap(first.port());
                ScmpClient client = ScmpClient.builder(tap.address()).insecure().open()) {
            client.call(1, text("before"));
            byte[] captured = tap.requests().get(0);
            first.kill();
            long before = stored();
            try (ServerProcess second = start(first.port(), -TimeUnit.HOURS.toMicros(1))) {
                int answers = tap.answers().size();
                tap.replay(captured);
                await().atMost(WAIT).until(() -> tap.answers().size() > answers);
                assertEquals(List.of("before"), executed());
                // Its time goes on from what was stored, so that a right clock may be ahead of it: that costs a call or
                // two.
                try (ScmpClient other =
                        ScmpClient.builder(tap.address()).insecure().open()) {
                    await().atMost(WAIT).until(() -> isServed(other, "after"));
                }
                int later = tap.answers().size();
                tap.replay(captured);
                await().atMost(WAIT).until(() -> tap.answers().size() > later);
                assertEquals(List.of("before", "after"), executed());
                second.kill();
            }
            assertTrue(stored() >= before, stored() + " after " + before);
        } finally {
            first.close();
        }
    }

    @Test
    void aCallWhoseArgumentsDiedWithTheServerEndsUnknown() throws Exception {
        ServerProcess first = start(0);
        RpcClientOptions options = RpcClientOptions.builder()
                .firstRetry(Duration.ofMillis(50))
                .maxRetry(Duration.ofMillis(200))
                .build();
        try (Tap tap = new Tap(first.port());
                ScmpClient client = ScmpClient.builder(tap.address())
                        .insecure()
                        .core(options)
                        .open()) {
            CompletableFuture<byte[]> slow = client.callAsync(2, new byte[100], Duration.ofMinutes(2));
            // The client has an ACK, so that what it sends from now on has no arguments.
            await().atMost(WAIT).until(() -> tap.requests().stream().anyMatch(sent -> sent.length < 100));
            first.kill();
            try (ServerProcess second = start(first.port())) {
                ExecutionException failed =
                        assertThrows(ExecutionException.class, () -> slow.get(20, TimeUnit.SECONDS));
                ScmpCallException outcome = (ScmpCallException) failed.getCause();
                assertEquals(CallOutcome.Kind.UNKNOWN, outcome.kind());
                assertTrue(outcome.getMessage().contains("UNKNOWN_CALL"), outcome.getMessage());
                assertEquals(1, executed().size());
                assertEquals(first.port(), second.port());
            }
        } finally {
            first.close();
        }
    }
}
