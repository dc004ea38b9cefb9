package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL of the server in the middle of calls. Its ledger has no request twice, and each that was answered. */
final class KilledServerTest {
    private static final int THREADS = 4;
    private static final long SEED = Long.getLong("grpc.seed", 1);

    @TempDir
    private Path folder;

    private final Queue<String> answered = new ConcurrentLinkedQueue<>();
    private final Queue<String> unknown = new ConcurrentLinkedQueue<>();
    private final Queue<String> notRun = new ConcurrentLinkedQueue<>();
    private volatile boolean ending;
    private Process server;
    private int port;

    @AfterEach
    void end() {
        ending = true;
        if (server != null) {
            server.destroyForcibly();
        }
    }

    @Test
    @Timeout(120)
    void noCallRunsTwiceOverKills() throws Exception {
        kill(2, true);
    }

    @Test
    @Tag("slow")
    @Timeout(1200)
    void noCallRunsTwiceOverManyKills() throws Exception {
        kill(Integer.getInteger("grpc.kills", 60), false);
    }

    private void kill(int kills, boolean forced) throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        begin(forced);
        ManagedChannel raw =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try (AtMostOnceClient client = AtMostOnceClient.create()) {
            Channel channel = ClientInterceptors.intercept(raw, client);
            Thread[] callers = new Thread[THREADS];
            for (int i = 0; i < THREADS; i++) {
                String name = "c" + i + "-";
                callers[i] = DaemonThreads.start("amo-test-caller", () -> call(channel, name));
            }
            Random random = new Random(SEED);
            for (int i = 0; i < kills; i++) {
                int enough = answered.size() + 20 + random.nextInt(200);
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(1))
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> answered.size() >= enough);
                server.destroyForcibly().waitFor();
                begin(forced);
                raw.resetConnectBackoff();
            }
            int enough = answered.size() + 20;
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> answered.size() >= enough);
            ending = true;
            for (Thread each : callers) {
                DaemonThreads.join(each, 30_000);
                assertTrue(!each.isAlive(), "a call has no end");
            }
        } finally {
            raw.shutdownNow();
        }
        judge(kills);
    }

    private void judge(int kills) throws IOException {
        Map<String, Integer> runs = new HashMap<>();
        for (String each : Files.readAllLines(folder.resolve("ledger"))) {
            runs.merge(each, 1, Integer::sum);
        }
        System.out.println(
                kills + " kills, seed " + SEED + ": " + answered.size() + " calls answered, " + unknown.size()
                        + " unknown, " + notRun.size() + " not run; " + runs.size() + " in the ledger, the most often "
                        + runs.values().stream().mapToInt(each -> each).max().orElse(0) + " times");
        assertEquals(
                List.of(),
                runs.entrySet().stream().filter(each -> each.getValue() > 1).toList());
        assertEquals(
                List.of(),
                answered.stream().filter(each -> !runs.containsKey(each)).toList());
        assertEquals(List.of(), notRun.stream().filter(runs::containsKey).toList());
        assertEquals(0, notRun.size(), "the server was away for less than the deadline");
        assertTrue(unknown.size() <= kills * THREADS, unknown::toString);
    }

    private void call(Channel channel, String name) {
        for (int i = 0; !ending; i++) {
            String request = name + i;
            try {
                String reply = ClientCalls.blockingUnaryCall(
                        channel, Bytes.ADD, CallOptions.DEFAULT.withDeadlineAfter(25, TimeUnit.SECONDS), request);
                assertEquals("done " + request, reply);
                answered.add(request);
            } catch (StatusRuntimeException e) {
                (AtMostOnceClient.mayHaveRun(e) ? unknown : notRun).add(request);
            }
        }
    }

    private void begin(boolean forced) throws IOException {
        server = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CounterProcess.class.getName(),
                        folder.resolve("calls").toString(),
                        folder.resolve("ledger").toString(),
                        "" + port,
                        "" + forced)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        assertEquals("serving " + port, lines.readLine());
    }
}
