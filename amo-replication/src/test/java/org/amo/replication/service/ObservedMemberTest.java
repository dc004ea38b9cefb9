package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.observe.Observation;
import org.amo.observe.ObservationOptions;
import org.amo.replication.FreePorts;
import org.amo.replication.order.OrderedLogs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members of a Java service as monitoring sees them: over HTTP, and by JMX. */
@Timeout(120)
final class ObservedMemberTest {
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        replicas.values().forEach(AmoReplica::close);
    }

    @Test
    void numbersMoveWithCallsAndAMemberWithoutAMajorityLivesAndIsNotReady() throws Exception {
        String members = Member.format(FreePorts.members(3));
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            starting.add(CompletableFuture.supplyAsync(() -> builder("seen", id, members)
                    .observe(ObservationOptions.builder(0).build())
                    .start()));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            AmoReplica replica = each.get(30, TimeUnit.SECONDS);
            replicas.put(replica.id(), replica);
        }
        int port = port("c");
        for (String id : replicas.keySet()) {
            await().atMost(PATIENCE)
                    .until(() -> get(port(id), "/health/ready").body().equals("ready\n"));
        }
        try (AmoClient client =
                        AmoClient.builder("seen").members(members).insecure().build();
                Observation offered = Observation.offer(client.observed())) {
            for (int i = 0; i < 5; i++) {
                client.call("x".getBytes(UTF_8));
            }
            assertEquals(5, value(port, "amo_client_calls_total", client.id()));
            assertEquals(0, value(port, "amo_client_open_calls", client.id()));
            assertEquals(OptionalInt.empty(), offered.port());
        }
        assertTrue(sum(port, "amo_replica_commit_seconds_count") >= 5);
        assertTrue(sum(port, "amo_replica_commit_seconds_sum") > 0);
        assertTrue(sum(port, "amo_replica_reply_seconds_count") >= 5);
        // One port tells the metrics of all members of its process.
        for (String id : replicas.keySet()) {
            await().atMost(PATIENCE).until(() -> value(port, "amo_replica_executed_requests_total", id) == 5);
            assertTrue(value(port, "amo_replica_position", id) >= 2);
            assertTrue(value(port, "amo_replica_ordered_time_seconds", id) > 1_700_000_000);
            assertEquals(1, value(port, "amo_replica_ready", id));
            assertEquals(1, value(port, "amo_reply_cache_clients", id));
        }
        assertEquals(1, sum(port, "amo_replica_leader"));
        assertEquals(5L, BEANS.getAttribute(bean("seen", "c"), "amo_replica_executed_requests_total"));
        assertTrue(get(port, "/status").body().startsWith("{\"id\":\"c\",\"leader\":\""));

        await("a page shows the members that it asked, and their statuses")
                .atMost(PATIENCE)
                .until(() -> body(port, "/page.json").contains("leads. 3 of 3 members answer. None lags."));
        assertTrue(body(port, "/").contains("<th scope=\"row\">a</th>"));

        replicas.remove("a").close();
        replicas.remove("b").close();
        assertFalse(BEANS.isRegistered(bean("seen", "a")));
        await().atMost(PATIENCE)
                .until(() -> get(port, "/health/ready").body().equals("not ready: no leader is known\n"));
        assertEquals(503, get(port, "/health/ready").statusCode());
        await().atMost(PATIENCE).until(() -> body(port, "/page.json")
                .contains("No leader is known. 1 of 3 members answer. a does not answer. b does not answer."));
        assertEquals(200, get(port, "/health/live").statusCode());
        String metrics = get(port, "/metrics").body();
        assertTrue(metrics.contains("amo_replica_ready{group=\"seen\",id=\"c\"} 0\n"), metrics);
        assertFalse(metrics.contains("id=\"a\""), metrics);

        replicas.remove("c").close();
        assertThrows(IOException.class, () -> get(port, "/health/live"));
        assertFalse(BEANS.isRegistered(bean("seen", "c")));
    }

    @Test
    void aMemberIsSeenBeforeItJoinsAndAfterItHasEnded() throws Exception {
        int port = FreePorts.find(1).get(0);
        List<String> before = new ArrayList<>();
        CompletableFuture<LogListener> listener = new CompletableFuture<>();
        CompletableFuture<OrderedLogException> ended = new CompletableFuture<>();
        AmoReplica member = builder("watched", "a", Member.format(FreePorts.members(1)))
                .observe(ObservationOptions.builder(port).build())
                .onEnded(ended::complete)
                .orderedLog(settings -> {
                    before.add(body(port, "/health/live"));
                    before.add(body(port, "/health/ready"));
                    before.add(body(port, "/status"));
                    return listening(OrderedLogs.open(settings), listener);
                })
                .start();
        replicas.put("a", member);
        assertEquals(List.of("live\n", "not ready: it has not joined its group yet\n", "{\"id\":\"a\"}\n"), before);
        assertEquals(port, member.observationPort().orElseThrow());
        await().atMost(PATIENCE).until(() -> body(port, "/health/ready").equals("ready\n"));

        OrderedLogException why =
                new OrderedLogException(OrderedLogException.Fault.ENVIRONMENT, "its disk failed; replace it");
        listener.get(20, TimeUnit.SECONDS).onEnded(why);
        assertEquals(why, ended.get(20, TimeUnit.SECONDS));
        assertEquals(
                "not ready: the member stops, or has ended: its disk failed; replace it\n",
                body(port, "/health/ready"));
        assertEquals("live\n", body(port, "/health/live"));
    }

    @Test
    void aMemberThatIsClosedIsNotReadyAndIsSeenUntilItHasAnswered() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        String members = Member.format(FreePorts.members(1));
        AmoReplica member = builder("leaving", "a", members)
                .handler((request, context) -> {
                    running.countDown();
                    assertTrue(go.await(60, TimeUnit.SECONDS));
                    return request;
                })
                .observe(ObservationOptions.builder(0).build())
                .start();
        replicas.put("a", member);
        int port = port("a");
        try (AmoClient client =
                AmoClient.builder("leaving").members(members).insecure().build()) {
            CompletableFuture<byte[]> call = CompletableFuture.supplyAsync(() -> client.call("x".getBytes(UTF_8)));
            assertTrue(running.await(20, TimeUnit.SECONDS));
            CompletableFuture<Void> closed = CompletableFuture.runAsync(member::close);
            await().atMost(PATIENCE).until(() -> body(port, "/health/ready")
                    .equals("not ready: the member stops, or has ended: it was closed\n"));
            assertEquals("live\n", body(port, "/health/live"));
            go.countDown();
            call.get(20, TimeUnit.SECONDS);
            closed.get(20, TimeUnit.SECONDS);
            replicas.remove("a");
        } finally {
            go.countDown();
        }
        assertThrows(IOException.class, () -> get(port, "/health/live"));
    }

    /** The log, whose listener the test gets, too. */
    private static OrderedLog listening(OrderedLog log, CompletableFuture<LogListener> listener) {
        return (OrderedLog) Proxy.newProxyInstance(
                OrderedLog.class.getClassLoader(), new Class<?>[] {OrderedLog.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("start")) {
                        listener.complete((LogListener) arguments[0]);
                    }
                    return method.invoke(log, arguments);
                });
    }

    @Test
    void aMemberWhosePortAnotherProgramHasDoesNotStart() throws Exception {
        int port = FreePorts.find(1).get(0);
        AmoReplica.Builder builder = builder("refused", "a", Member.format(FreePorts.members(1)))
                .observe(ObservationOptions.builder(port).build());
        try (ServerSocket other = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertTrue(other.isBound());
            OrderedLogException e = assertThrows(OrderedLogException.class, builder::start);
            assertEquals(OrderedLogException.Fault.ENVIRONMENT, e.fault());
            assertEquals(1, e.getMessage().lines().count());
            assertTrue(e.getMessage().contains("127.0.0.1:" + port), e.getMessage());
            assertTrue(e.getMessage().contains("observe("), e.getMessage());
        }
        assertFalse(BEANS.isRegistered(bean("refused", "a")));
    }

    @Test
    void aMemberThatCannotStartLeavesNoPortOpen() throws Exception {
        int port = FreePorts.find(1).get(0);
        AmoReplica.Builder builder = builder("broken", "a", Member.format(FreePorts.members(1)))
                .observe(ObservationOptions.builder(port).build())
                .orderedLog(settings -> {
                    throw new IllegalStateException("no log");
                });
        assertThrows(IllegalStateException.class, builder::start);
        assertThrows(IOException.class, () -> get(port, "/health/live"));
        assertFalse(BEANS.isRegistered(bean("broken", "a")));
    }

    private AmoReplica.Builder builder(String group, String id, String members) {
        return AmoReplica.builder(group)
                .id(id)
                .members(members)
                .data(folder)
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .handler((request, context) -> request);
    }

    private int port(String id) {
        return replicas.get(id).observationPort().orElseThrow();
    }

    private static ObjectName bean(String group, String id) throws Exception {
        return new ObjectName("org.amo:type=replica,group=\"" + group + "\",id=\"" + id + "\"");
    }

    private double sum(int port, String name) {
        return replicas.keySet().stream()
                .mapToDouble(id -> value(port, name, id))
                .sum();
    }

    private double value(int port, String name, String id) {
        String series = name + "{group=\"seen\",id=\"" + id + "\"} ";
        return body(port, "/metrics")
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
                .findFirst()
                .orElseThrow();
    }

    private String body(int port, String path) {
        try {
            return get(port, path).body();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private HttpResponse<String> get(int port, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(PATIENCE)
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
