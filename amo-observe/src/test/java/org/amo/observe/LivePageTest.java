package org.amo.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page as a browser, a text browser and an attacker see it. */
@Timeout(120)
class LivePageTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String STATUS = "{\"id\":\"a\",\"leader\":\"a\",\"position\":12345,\"executedPosition\":12345,"
            + "\"executed\":900,\"digest\":\"0123456789abcdef\",\"entries\":12,\"timeoutOnlyEntries\":1200,"
            + "\"purgedBySack\":99,\"purgedByTimeout\":1,\"orderedBytes\":1000,\"sackBytes\":15,"
            + "\"orderedEntries\":{\"total\":200,\"acknowledgements\":5},\"replyMicrosP99\":1500}";

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(20))
            .build();

    private final FakeMember member = new FakeMember("bank", "a");
    private final FakeTrial trial = new FakeTrial();
    private final List<ObservationPort> opened = new ArrayList<>();

    LivePageTest() {
        member.status = STATUS;
        trial.status = STATUS;
    }

    private ObservationPort open(FakeMember observed, String... token) throws IOException {
        ObservationOptions.Builder options = ObservationOptions.builder(0);
        for (String each : token) {
            options = options.token(each);
        }
        ObservationPort port = ObservationPort.open(options.build(), observed, List::of);
        opened.add(port);
        return port;
    }

    @AfterEach
    void close() {
        opened.forEach(ObservationPort::close);
    }

    // ---- values

    @Test
    void thePageHasTheValuesBeforeAnyScriptRuns() throws Exception {
        String page = get(open(member), "/").body();
        assertTrue(page.contains("<h1>Group bank</h1>"), page);
        assertTrue(page.contains("a leads. 1 of 2 members answer. peer does not answer."), page);
        for (String cell : List.of("a", "leader", "12,345", "01234567", "1.5 ms", "leads", "no answer")) {
            assertTrue(page.contains(">" + cell + "</t"), cell);
        }
        assertEquals("12", field(page, "entries"));
        assertEquals("1,200", field(page, "timeoutOnly"));
        assertEquals("99.0 %", field(page, "saving"));
        assertEquals("99.0 %", field(page, "bySack"));
        assertEquals("1.5 %", field(page, "sackBytes"));
        assertEquals("2.5 %", field(page, "sackEntries"));
        assertFalse(page.contains("{{"), page);
        assertFalse(page.contains("kill"), "a member's page kills nothing");
        assertFalse(
                page.toLowerCase(Locale.ROOT).contains("token"), "and asks for no token that the port does not have");
    }

    @Test
    void theScriptGetsTheSameTextsAndTheNumbersOfThePlots() throws Exception {
        String values = get(open(member), "/page.json").body();
        assertTrue(values.contains("\"saving\":\"99.0 %\""), values);
        assertTrue(
                values.contains("{\"kind\":\"leader\",\"cells\":[\"a\",\"leader\",\"12,345\",\"0\",\"01234567\","),
                values);
        assertTrue(values.contains("\"p99\":1500,\"entries\":12,\"timeoutOnly\":1200"), values);
    }

    @Test
    void textsOfMembersAreNoMarkup() throws Exception {
        member.peer = Optional.of("{\"leader\":\"a\",\"trouble\":\"<img src=x onerror=y>\\\" & '\\u0001\"}");
        ObservationPort port = open(member);
        String page = get(port, "/").body();
        assertTrue(page.contains("&lt;img src=x onerror=y&gt;&quot; &amp; &#39;"), page);
        String values = get(port, "/page.json").body();
        assertTrue(values.contains("<img src=x onerror=y>\\\" & '\\u0001"), values);
    }

    @Test
    void onlyFilesOfThePortAreCode() throws Exception {
        ObservationPort port = open(trial);
        HttpResponse<String> page = get(port, "/");
        String policy = page.headers().firstValue("Content-Security-Policy").orElseThrow();
        assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
        assertFalse(policy.contains("unsafe"), policy);
        assertFalse(
                Pattern.compile("<script>|<style|\\sstyle=|\\son[a-z]+=|https?://")
                        .matcher(page.body())
                        .find(),
                page.body());
        for (String file : List.of("/page.js", "/page.css", "/page.svg")) {
            HttpResponse<String> got = get(port, file);
            assertEquals(200, got.statusCode(), file);
            assertEquals(
                    "nosniff",
                    got.headers().firstValue("X-Content-Type-Options").orElseThrow());
        }
        assertTrue(page.body().contains("<html lang=\"en\">"));
    }

    // ---- token

    @Test
    void withATokenThePageAsksForItAndHoldsNoValues() throws Exception {
        ObservationPort port = open(member, TOKEN);
        HttpResponse<String> page = get(port, "/");
        assertEquals(200, page.statusCode());
        assertFalse(page.body().contains("12,345"), page.body());
        assertTrue(page.body().contains("<form id=\"token\""), page.body());
        assertEquals(0, member.askedAll.get());
        assertEquals(200, get(port, "/page.js").statusCode());
        assertEquals(401, get(port, "/page.json").statusCode());
        String bearer = "Bearer " + TOKEN;
        assertTrue(get(port, "/", "Authorization", bearer).body().contains("12,345"));
        assertEquals(200, get(port, "/page.json", "Authorization", bearer).statusCode());
    }

    // ---- viewers

    /** Requests may lose their connections, as beyond 16 that wait; the pages ask again. */
    @Test
    void twoHundredPagesHarmNobody() throws Exception {
        ObservationPort port = open(member);
        int served = 0;
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                HttpRequest request = request(port, "/page.json")
                        .header("Amo-Viewer", "page" + i)
                        .build();
                answers.add(http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                        .handle((answer, lost) -> lost == null ? answer.statusCode() : 0));
            }
            List<Integer> codes = answers.stream().map(CompletableFuture::join).toList();
            served = Math.max(
                    served, (int) codes.stream().filter(code -> code == 200).count());
            assertTrue(codes.stream().allMatch(code -> code == 200 || code == 503 || code == 0), codes::toString);
            assertEquals(200, get(port, "/health/live").statusCode());
        }
        assertTrue(served > 0 && served <= Viewers.MOST, () -> "pages were served: more than " + Viewers.MOST);
        assertTrue(member.askedAll.get() < 60, "the pages share one picture a second");
    }

    @Test
    void aPageTooManyIsToldSoInOneLine() throws Exception {
        ObservationPort port = open(member);
        for (int i = 0; i < Viewers.MOST; i++) {
            assertEquals(200, get(port, "/page.json", "Amo-Viewer", "page" + i).statusCode());
        }
        HttpResponse<String> late = get(port, "/page.json", "Amo-Viewer", "late");
        assertEquals(503, late.statusCode());
        assertEquals(1, late.body().lines().count());
        assertEquals("10", late.headers().firstValue("Retry-After").orElseThrow());
        assertEquals(200, get(port, "/").statusCode(), "the values without a script");
    }

    // ---- the demo

    @Test
    void aTrialShowsItsVerdictAndItsEvents() throws Exception {
        ObservationPort port = open(trial);
        String page = get(port, "/").body();
        assertEquals("0", field(page, "twice"));
        assertEquals("0", field(page, "lost"));
        assertEquals("12,345", field(page, "answered"));
        assertTrue(page.contains("<li>8 s: kill -9 &lt;b&gt;</li>"), page);
        trial.verdict = new Trial.Verdict(1, 2, 3, 4, List.of());
        String values = get(port, "/page.json").body();
        assertTrue(values.contains("\"twice\":\"3\",\"lost\":\"4\",\"answered\":\"1\",\"failed\":\"2\""), values);
    }

    @Test
    void aButtonOfThePageKills() throws Exception {
        ObservationPort port = open(trial);
        String nonce = nonce(get(port, "/").body());
        HttpResponse<String> killed = kill(port, "nonce=" + nonce + "&member=a", "text/plain");
        assertEquals(200, killed.statusCode());
        assertEquals(List.of("a"), trial.killed);
        trial.obstacle = Optional.of("a has not come back yet");
        HttpResponse<String> refused = kill(port, "nonce=" + nonce + "&member=b", "text/plain");
        assertEquals(409, refused.statusCode());
        assertEquals("a has not come back yet\n", refused.body());
        HttpResponse<String> withoutScript = kill(port, "member=b&nonce=" + nonce, "text/html,*/*");
        assertEquals(303, withoutScript.statusCode());
        assertEquals("/", withoutScript.headers().firstValue("Location").orElseThrow());
    }

    @Test
    void anotherSitesFormKillsNothing() throws Exception {
        ObservationPort port = open(trial);
        for (String form :
                List.of("", "member=a", "nonce=&member=a", "nonce=00&member=a", "%zz=%zz", "&&=", "x".repeat(2_000))) {
            assertEquals(403, kill(port, form, "text/plain").statusCode(), form);
        }
        assertEquals(405, get(port, "/kill").statusCode());
        assertEquals(404, kill(open(member), "member=a", "text/plain").statusCode());
        assertEquals(List.of(), trial.killed);
        assertNotEquals(
                nonce(get(port, "/").body()), nonce(get(open(trial), "/").body()));
    }

    /** Its page would know the nonce if it could read this port's. */
    @Test
    void aSiteThatTakesThisMachinesAddressKillsNothing() throws Exception {
        ObservationPort port = open(trial);
        String form = "member=a&nonce=" + nonce(get(port, "/").body());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write(("POST /kill HTTP/1.1\r\nHost: evil.example:" + port.port() + "\r\nContent-Length: "
                                    + form.length() + "\r\n\r\n" + form)
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.startsWith("HTTP/1.1 403 "), answer);
        }
        assertEquals(List.of(), trial.killed);
    }

    // ---- requests

    private static HttpRequest.Builder request(ObservationPort port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.port() + path))
                .timeout(Duration.ofSeconds(30));
    }

    private HttpResponse<String> get(ObservationPort port, String path, String... headers) throws Exception {
        HttpRequest.Builder request = request(port, path);
        return http.send(
                (headers.length == 0 ? request : request.headers(headers)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> kill(ObservationPort port, String form, String accept) throws Exception {
        return http.send(
                request(port, "/kill")
                        .header("Accept", accept)
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String field(String page, String id) {
        return found(page, "id=\"" + id + "\"[^>]*>([^<]*)<");
    }

    private static String nonce(String page) {
        return found(page, "name=\"nonce\" value=\"(\\w+)\"");
    }

    private static String found(String page, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(page);
        assertTrue(matcher.find(), () -> pattern + " in " + page);
        return matcher.group(1);
    }
}
