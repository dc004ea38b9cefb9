package org.amo.observe;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The port as Prometheus, a supervisor and an attacker see it. */
@Timeout(120)
class ObservationPortTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final long LIMIT_MILLIS = 1_500;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(20))
            .build();

    private final FakeMember member = new FakeMember("bank", "a");
    private ObservationPort port = open(ObservationOptions.builder(0).build());

    private ObservationPort open(ObservationOptions options) {
        try {
            return ObservationPort.open(options, member, () -> List.of(member), LIMIT_MILLIS);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void reopen(ObservationOptions options) {
        port.close();
        port = open(options);
    }

    @AfterEach
    void close() {
        port.close();
    }

    @Test
    void metricsComeInTheFormatThatTheRequestAccepts() throws Exception {
        HttpResponse<String> text = get("/metrics");
        assertEquals(200, text.statusCode());
        assertEquals("text/plain; version=0.0.4; charset=utf-8", type(text));
        assertTrue(text.body().contains("amo_replica_position{group=\"bank\",id=\"a\"} 7\n"), text.body());
        HttpResponse<String> open = get("/metrics", "Accept", "application/openmetrics-text; version=1.0.0");
        assertEquals("application/openmetrics-text; version=1.0.0; charset=utf-8", type(open));
        assertTrue(open.body().endsWith("\n# EOF\n"), open.body());
    }

    @Test
    void aComponentLivesWhileItAnswersAndIsReadyWithoutAnObstacle() throws Exception {
        assertEquals("live\n", get("/health/live").body());
        assertEquals("ready\n", get("/health/ready").body());
        member.readiness = Readiness.not("no leader is known");
        HttpResponse<String> not = get("/health/ready");
        assertEquals(503, not.statusCode());
        assertEquals("not ready: no leader is known\n", not.body());
        assertEquals(200, get("/health/live").statusCode());
    }

    @Test
    void theStatusIsOneJsonObject() throws Exception {
        HttpResponse<String> status = get("/status");
        assertEquals("application/json", type(status));
        assertEquals("{\"position\":7}\n", status.body());
    }

    @Test
    void otherPathsAndMethodsAreRefused() throws Exception {
        for (String path : List.of("/kill", "/page", "/row.html", "/metrics/", "/health", "/status/x", "/Metrics")) {
            assertEquals(404, get(path).statusCode(), path);
        }
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS")) {
            HttpResponse<String> refused = send(request("/metrics")
                    .method(method, HttpRequest.BodyPublishers.ofString("x"))
                    .build());
            assertEquals(405, refused.statusCode(), method);
            assertEquals("GET, HEAD", refused.headers().firstValue("Allow").orElseThrow());
        }
        assertEquals(200, get("/metrics?x=y").statusCode());
    }

    @Test
    void headHasTheHeadOfGetAndNoBody() throws Exception {
        String length = get("/metrics").headers().firstValue("Content-Length").orElseThrow();
        String answer = raw("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
        assertTrue(answer.toLowerCase(Locale.ROOT).contains("content-length: " + length + "\r\n"), answer);
        assertTrue(answer.endsWith("\r\n\r\n"), answer);
    }

    @Test
    void withATokenMetricsAndStatusNeedItAndHealthDoesNot() throws Exception {
        reopen(ObservationOptions.builder(0).token(TOKEN).build());
        for (String path : List.of("/metrics", "/status")) {
            HttpResponse<String> without = get(path);
            assertEquals(401, without.statusCode(), path);
            assertEquals(
                    "Bearer", without.headers().firstValue("WWW-Authenticate").orElseThrow());
            assertFalse(without.body().contains("position"), path);
            for (String wrong : List.of("Bearer " + TOKEN + "0", "Bearer x", "Basic " + TOKEN, TOKEN, "Bearer")) {
                assertEquals(401, get(path, "Authorization", wrong).statusCode(), wrong);
            }
            assertEquals(200, get(path, "Authorization", "Bearer " + TOKEN).statusCode());
            assertEquals(200, get(path, "Authorization", "bearer " + TOKEN).statusCode());
        }
        assertEquals(200, get("/health/live").statusCode());
        assertEquals(200, get("/health/ready").statusCode());
    }

    /** A site may let its name stand for this machine's address: a browser then takes its page and this port for one origin. */
    @Test
    void aPageOfASiteThatTakesThisMachinesAddressReadsNothing() throws Exception {
        for (String path : List.of("/metrics", "/status", "/", "/page.json")) {
            for (String site : List.of("evil.example", "evil.example:" + port.port(), "127.0.0.1.evil.example", "x")) {
                String answer = to(site, path);
                assertTrue(answer.startsWith("HTTP/1.1 403 "), answer);
                assertFalse(answer.contains("position"), answer);
            }
            for (String own : List.of("localhost", "LocalHost:" + port.port(), "127.0.0.1:1", "[::1]:80", "")) {
                assertTrue(to(own, path).startsWith("HTTP/1.1 200 "), own + path);
            }
        }
        assertTrue(raw("GET /status HTTP/1.0\r\n\r\n").startsWith("HTTP/1.1 200 "), "no browser sends that");
        assertTrue(to("evil.example", "/health/live").startsWith("HTTP/1.1 200 "));
    }

    @Test
    void aPortWithATokenOrOfAllMachinesIsCalledByAnyName() throws Exception {
        reopen(ObservationOptions.builder(0).token(TOKEN).build());
        String answer = raw("GET /status HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer " + TOKEN + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
        reopen(ObservationOptions.builder(0).host("0.0.0.0").build());
        assertTrue(to("a.example", "/status").startsWith("HTTP/1.1 200 "));
    }

    @Test
    void aReadingThatThrowsIsOneLineAndThePortGoesOn() throws Exception {
        List<Reading> good = member.readings;
        // A null among them stands for any mistake of a component.
        member.readings = Arrays.asList(good.get(0), null);
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> failed = get("/metrics");
            assertEquals(500, failed.statusCode());
            assertEquals(1, failed.body().lines().count());
        }
        assertEquals(200, get("/health/live").statusCode());
        member.readings = good;
        assertEquals(200, get("/metrics").statusCode());
    }

    @Test
    void clientsThatSendNoWholeRequestHoldNoOtherUp() throws Exception {
        try (Socket first = connected();
                Socket second = connected()) {
            for (Socket each : List.of(first, second)) {
                each.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost".getBytes(US_ASCII));
            }
            awaitWorkersIn("sun.net.httpserver.Request");
            assertEquals(200, get("/health/live").statusCode());
            assertEnded(first);
            assertEnded(second);
        }
    }

    @Test
    void clientsThatDoNotReadHoldNoOtherUp() throws Exception {
        member.status = "x".repeat(16 << 20);
        try (Socket first = connected();
                Socket second = connected()) {
            for (Socket each : List.of(first, second)) {
                each.getOutputStream().write("GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> member.statusCalls.get() == 2);
            assertEquals(200, get("/health/live").statusCode());
        }
    }

    @Test
    void aBodyThatDoesNotComeIsNotAwaited() throws Exception {
        try (Socket socket = connected()) {
            socket.getOutputStream()
                    .write("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
                            .getBytes(US_ASCII));
            BufferedReader answer = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
            assertTrue(answer.readLine().startsWith("HTTP/1.1 405 "));
        }
    }

    @Test
    void itListensOnThisMachineAlone() throws Exception {
        assertTrue(accepts("127.0.0.1"));
        assertFalse(accepts("127.0.0.2"));
        reopen(ObservationOptions.builder(0).host("0.0.0.0").build());
        assertTrue(accepts("127.0.0.2"));
    }

    @Test
    void closeIsQuickEndsItsConnectionsAndFreesThePort() throws Exception {
        int number = port.port();
        try (Socket silent = connected();
                Socket half = connected()) {
            half.getOutputStream().write("GET /met".getBytes(US_ASCII));
            assertEquals(200, get("/health/live").statusCode());
            assertTimeout(Duration.ofSeconds(10), () -> port.close());
            assertEnded(silent);
            assertEnded(half);
        }
        reopen(ObservationOptions.builder(number).build());
        assertEquals(200, get("/health/live").statusCode());
    }

    @Test
    void noThreadOfItKeepsAProcessAlive() throws Exception {
        assertEquals(200, get("/health/live").statusCode());
        List<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("amo-observe.*|HTTP-Dispatcher|idle-timeout-task"))
                .toList();
        assertTrue(threads.size() >= 3, threads::toString);
        assertEquals(
                List.of(), threads.stream().filter(thread -> !thread.isDaemon()).toList());
    }

    // ---- requests

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.port() + path))
                .timeout(Duration.ofSeconds(30));
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = request(path);
        return send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    private HttpResponse<String> send(HttpRequest request) throws Exception {
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static String type(HttpResponse<String> response) {
        return response.headers().firstValue("Content-Type").orElseThrow();
    }

    private String raw(String request) throws IOException {
        try (Socket socket = connected()) {
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    private String to(String host, String path) throws IOException {
        return raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    }

    /** A connection of a client with little room for answers. */
    private Socket connected() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.setSoTimeout(30_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.port()), 20_000);
        return socket;
    }

    private boolean accepts(String host) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port.port()), 5_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void assertEnded(Socket socket) throws IOException {
        int read;
        try {
            read = socket.getInputStream().read();
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open", e);
        } catch (SocketException reset) {
            read = -1;
        }
        assertEquals(-1, read);
    }

    /** Both workers are busy with a request that does not end. */
    private static void awaitWorkersIn(String type) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> Thread.getAllStackTraces().entrySet().stream()
                                .filter(each -> each.getKey().getName().equals("amo-observe"))
                                .filter(each -> Arrays.stream(each.getValue())
                                        .anyMatch(frame -> frame.getClassName().startsWith(type)))
                                .count()
                        >= LimitedWorkers.THREADS);
    }
}
