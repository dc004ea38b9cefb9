package org.amo.lab.demo;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.amo.base.DaemonThreads;

/** A headless Chromium, driven by the requests of W3C's WebDriver. The test's thread owns it. */
final class Browser implements AutoCloseable {
    private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
    private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
    private static final String ENTER = "\uE007";
    private static final long PATIENCE_SECONDS = 40;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** A new profile, no updates or other requests of its own; root has no sandbox. */
    private static final List<String> ARGUMENTS = List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1116,1000");

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(PATIENCE_SECONDS))
            .build();
    private final Process driver;
    private final String address;
    private Optional<String> session = Optional.empty();

    private Browser(Process driver, int port) {
        this.driver = driver;
        this.address = "http://127.0.0.1:" + port + "/session";
    }

    /** Whether Debian's packages chromium and chromium-driver are here. */
    static boolean isThere() {
        return program("chromium").isPresent() && program("chromedriver").isPresent();
    }

    private static Optional<Path> program(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** @param profile an empty folder */
    static Browser open(Path profile) throws Exception {
        Process driver = new ProcessBuilder(
                        program("chromedriver").orElseThrow().toString(), "--port=0")
                .redirectErrorStream(true)
                .start();
        Browser browser = new Browser(driver, port(driver));
        try {
            browser.begin(profile);
        } catch (Exception | Error e) {
            browser.close();
            throw e;
        }
        return browser;
    }

    private static int port(Process driver) throws InterruptedException {
        BlockingQueue<Integer> ports = new LinkedBlockingQueue<>();
        DaemonThreads.start("amo-test-driver", () -> {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(driver.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    Matcher started = STARTED.matcher(line);
                    if (started.find()) {
                        ports.add(Integer.parseInt(started.group(1)));
                    }
                }
            } catch (IOException e) {
                // It has ended.
                return;
            }
        });
        Integer port = ports.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (port == null) {
            driver.destroyForcibly();
            throw new AssertionError("chromedriver did not start");
        }
        return port;
    }

    private void begin(Path profile) throws Exception {
        ObjectNode wanted = MAPPER.createObjectNode();
        ObjectNode always = wanted.putObject("capabilities").putObject("alwaysMatch");
        always.putObject("goog:loggingPrefs").put("browser", "ALL");
        List<String> arguments = new ArrayList<>(ARGUMENTS);
        arguments.add("--user-data-dir=" + profile);
        ObjectNode options = always.putObject("goog:chromeOptions");
        options.put("binary", program("chromium").orElseThrow().toString());
        options.set("args", MAPPER.valueToTree(arguments));
        session = Optional.of(post("", wanted).path("sessionId").asText());
    }

    void load(String url) throws Exception {
        post("/url", MAPPER.createObjectNode().put("url", url));
    }

    /** The value of an expression in the page. */
    JsonNode value(String expression) throws Exception {
        ObjectNode script = MAPPER.createObjectNode().put("script", "return " + expression + ";");
        script.putArray("args");
        return post("/execute/sync", script);
    }

    /** Until an expression in the page is true. */
    void awaitTrue(String expression) {
        await(expression)
                .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> value(expression).asBoolean());
    }

    /** Presses Enter on an element, as a user without a mouse. */
    void press(String selector) throws Exception {
        ObjectNode by = MAPPER.createObjectNode().put("using", "css selector").put("value", selector);
        String element = post("/element", by).path(ELEMENT).asText();
        post("/element/" + element + "/value", MAPPER.createObjectNode().put("text", ENTER));
    }

    /** The page as one SVG file, in light and dark as its reader has it; without the hidden fields of its forms. */
    String picture() throws Exception {
        return value("((body) => {"
                        + " body.querySelectorAll('input, noscript').forEach(each => each.remove());"
                        + " const css = [...document.styleSheets[0].cssRules].map(rule => rule.cssText).join('\\n');"
                        + " const height = document.documentElement.scrollHeight;"
                        + " return `<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1100\" height=\"${height}\">"
                        + "<foreignObject width=\"1100\" height=\"${height}\"><style>${css}</style>`"
                        + " + new XMLSerializer().serializeToString(body) + '</foreignObject></svg>\\n'; })"
                        + "(document.body.cloneNode(true))")
                .asText();
    }

    /** Lines of the console since the last time, by level and text. */
    List<String> console() throws Exception {
        List<String> lines = new ArrayList<>();
        for (JsonNode line : post("/se/log", MAPPER.createObjectNode().put("type", "browser"))) {
            lines.add(line.path("level").asText() + " " + line.path("message").asText());
        }
        return lines;
    }

    private JsonNode post(String path, JsonNode body) throws Exception {
        return answer(HttpRequest.newBuilder(
                        URI.create(address + session.map(id -> "/" + id).orElse("") + path))
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build());
    }

    private JsonNode answer(HttpRequest request) throws IOException {
        HttpResponse<String> answer =
                http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
        assertEquals(200, answer.statusCode(), answer::body);
        return MAPPER.readTree(answer.body()).path("value");
    }

    @Override
    public void close() throws IOException {
        try {
            if (session.isPresent()) {
                answer(HttpRequest.newBuilder(URI.create(address + "/" + session.get()))
                        .DELETE()
                        .build());
            }
        } finally {
            // The driver ends the browser with it.
            driver.destroy();
            driver.onExit()
                    .completeOnTimeout(driver, PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .join();
            driver.destroyForcibly();
        }
    }
}
