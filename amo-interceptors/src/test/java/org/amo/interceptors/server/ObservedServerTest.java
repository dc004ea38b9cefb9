package org.amo.interceptors.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.CallsHelper;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;

/** A member as monitoring sees it: over HTTP, and by JMX. */
@Timeout(120)
class ObservedServerTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(20))
            .build();

    private final List<Server> servers = new ArrayList<>();
    private final int port = Server.freePort();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        servers.forEach(Server::close);
    }

    @Test
    void aMemberTellsItsNumbersItsStatusAndItsHealthUntilItEnds() throws Exception {
        Properties properties = observed("observed");
        Path token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        properties.setProperty("amo.httpTokenFile", token.toString());
        Server server = started(properties);
        ObjectName name = new ObjectName("org.amo:type=replica,group=\"observed\",id=\"a\"");
        assertFalse(BEANS.isRegistered(name), "an ORB without an object is no member");
        assertThrows(IOException.class, () -> get("/health/live"));

        String reference = server.activate(server.poa(server.root(), "calls"), "one", new CallsServant());
        ORB client = Server.client(Map.of());
        CallsHelper.narrow(client.string_to_object(reference)).count(1);
        assertEquals(401, get("/metrics").statusCode());
        String metrics = get("/metrics", "Authorization", "Bearer " + TOKEN).body();
        assertTrue(metrics.contains("amo_replica_position{group=\"observed\",id=\"a\"} 0\n"), metrics);
        assertTrue(metrics.contains("amo_replica_ready{group=\"observed\",id=\"a\"} 0\n"), metrics);
        String status = get("/status", "Authorization", "Bearer " + TOKEN).body();
        assertTrue(status.startsWith("{\"id\":\"a\",\"leader\":\"\","), status);
        assertFalse(metrics.contains(TOKEN) || status.contains(TOKEN));
        assertEquals("live\n", get("/health/live").body());
        // The toy has no leader.
        assertEquals("not ready: no leader is known\n", get("/health/ready").body());
        assertEquals(0L, BEANS.getAttribute(name, "amo_replica_position"));
        assertEquals(0L, BEANS.getAttribute(name, "amo_replica_refusals_total.STALE"));
        client.shutdown(true);

        server.close();
        servers.clear();
        await().until(() -> !BEANS.isRegistered(name));
        assertThrows(IOException.class, () -> get("/health/live"));
    }

    @Test
    void aMemberThatStillJoinsLivesAndIsNotReady() throws Exception {
        Server server = started(observed("held"));
        POA poa = server.poa(server.root(), "calls");
        CompletableFuture<String> activated = CompletableFuture.supplyAsync(() -> {
            try {
                return server.activate(poa, "one", new CallsServant());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        try {
            await().atMost(Duration.ofSeconds(20))
                    .ignoreExceptions()
                    .until(() -> get("/health/live").statusCode() == 200);
            assertEquals(
                    "not ready: it has not joined its group yet\n",
                    get("/health/ready").body());
            assertEquals("{\"id\":\"a\"}\n", get("/status").body());
        } finally {
            ToyProvider.HELD.countDown();
        }
        activated.get(20, TimeUnit.SECONDS);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> get("/health/ready").body().equals("not ready: no leader is known\n"));
    }

    @Test
    void aPortThatAnotherProgramHasFailsTheActivation() throws Exception {
        try (ServerSocket other = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertTrue(other.isBound());
            Server server = started(observed("taken"));
            POA poa = server.poa(server.root(), "calls");
            for (String id : List.of("one", "two")) {
                INITIALIZE thrown = assertThrows(INITIALIZE.class, () -> server.activate(poa, id, new CallsServant()));
                assertEquals(1, thrown.getMessage().lines().count());
                assertTrue(thrown.getMessage().contains("127.0.0.1:" + port), thrown.getMessage());
                assertTrue(thrown.getMessage().contains("--http"), thrown.getMessage());
            }
        }
    }

    @Test
    void settingsOfThePortThatDoNotFitStopTheOrb() throws Exception {
        Properties properties = observed("misfit");
        Path token = Files.writeString(folder.resolve("token"), TOKEN);
        properties.setProperty("amo.httpTokenFile", token.toString());
        properties.remove("amo.http");
        assertRefusal(properties, "needs --http");
        properties.setProperty("amo.http", "everywhere");
        assertRefusal(properties, "[HOST:]PORT");
        properties.setProperty("amo.http", "127.0.0.1:" + port);
        Files.writeString(token, "short");
        assertRefusal(properties, "can be guessed");
        properties.setProperty("amo.httpTokenFile", folder.resolve("none").toString());
        assertRefusal(properties, "cannot read the token file");
    }

    private static void assertRefusal(Properties properties, String part) {
        INITIALIZE thrown = assertThrows(INITIALIZE.class, () -> ORB.init(new String[0], properties));
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
        assertEquals(1, thrown.getMessage().lines().count());
    }

    private Properties observed(String group) {
        Properties properties = Server.properties(group, "a", Server.members(1));
        properties.setProperty("amo.http", "127.0.0.1:" + port);
        return properties;
    }

    private Server started(Properties properties) throws Exception {
        Server server = Server.start(properties);
        servers.add(server);
        return server;
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20));
        return http.send(
                (headers.length == 0 ? request : request.headers(headers)).build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
