package org.amo.examples.bookings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three applications, guests that book over HTTP, and a kill -9 of one application in the middle, which comes back. */
@Tag("slow")
@Timeout(180)
class KilledControllerTest {
    private static final List<String> IDS = List.of("a", "b", "c");
    private static final Pattern ENTRY = Pattern.compile("\"([^\"]+)\":\"([^\"]+)\"");
    private static final int BEFORE_THE_KILL = 60;
    private static final int AFTER_THE_KILL = 120;
    private static final int GUESTS_AT_A_TIME = 6;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final Map<String, Process> running = new LinkedHashMap<>();
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final String members = Member.format(FreePorts.members(IDS.size()));

    /** By guest: the seat that was told, and the application whose answer did not come. */
    private final Map<String, Integer> seated = new ConcurrentHashMap<>();

    private final Map<String, String> unanswered = new ConcurrentHashMap<>();
    private final AtomicInteger guests = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();

    @TempDir
    private Path folder = Path.of("unset");

    @AfterEach
    void end() {
        running.values().forEach(Process::destroyForcibly);
    }

    @Test
    void noGuestHasTwoSeatsAndEachOpenBookingHasItsOutcome() throws Exception {
        Files.writeString(folder.resolve("secret"), "5e".repeat(32));
        List<Integer> free = FreePorts.find(IDS.size());
        for (int i = 0; i < IDS.size(); i++) {
            ports.put(IDS.get(i), free.get(i));
            start(IDS.get(i));
        }
        for (String id : IDS) {
            awaitReady(id);
        }
        ExecutorService pool = Executors.newFixedThreadPool(GUESTS_AT_A_TIME);
        List<Future<?>> booking = new ArrayList<>();
        for (int i = 0; i < GUESTS_AT_A_TIME; i++) {
            String id = IDS.get(i % IDS.size());
            booking.add(pool.submit(() -> bookAt(id)));
        }
        awaitSeated(BEFORE_THE_KILL);
        running.get("b").destroyForcibly().waitFor();
        awaitSeated(AFTER_THE_KILL);
        start("b");
        awaitReady("b");
        awaitSeated(AFTER_THE_KILL + BEFORE_THE_KILL);
        enough.set(true);
        for (Future<?> one : booking) {
            one.get();
        }
        pool.shutdown();
        judge();
        assertTrue(get("b", "/actuator/metrics/amo.replica.executed.requests").contains("\"value\""), "metrics");
        assertTrue(get("b", "/actuator/amo").contains("\"executedPosition\""), "the endpoint amo");
        endsGracefully("a");
    }

    private void judge() throws Exception {
        Map<String, Integer> ledger = new TreeMap<>();
        entries(get("a", "/seats")).forEach((seat, guest) -> {
            Integer other = ledger.put(guest, Integer.valueOf(seat));
            assertTrue(other == null, guest + " has the seats " + other + " and " + seat);
        });
        seated.forEach((guest, seat) -> assertEquals(seat, ledger.get(guest), guest));
        Map<String, String> recovered = entries(get("b", "/recovered"));
        assertTrue(!unanswered.isEmpty(), "no guest was at the application that was killed");
        unanswered.forEach((guest, id) -> {
            // A guest may not have reached the application at all; one that has a seat is told it.
            assertEquals("b", id, guest);
            Integer seat = ledger.get(guest);
            if (seat != null) {
                assertEquals("seat " + seat, recovered.get(guest), guest + " of " + recovered);
            } else {
                assertTrue(!recovered.getOrDefault(guest, "").startsWith("seat"), guest + " of " + recovered);
            }
        });
        assertEquals(
                ledger.size(),
                seated.size()
                        + unanswered.keySet().stream()
                                .filter(ledger::containsKey)
                                .count());
        System.out.println(seated.size() + " guests were told their seats, " + unanswered.size()
                + " not, of whom the application told after its start: " + recovered);
    }

    /** Guests at one application, one after another. When it dies they wait for it, and the next guest goes on. */
    private Object bookAt(String id) throws Exception {
        while (!enough.get()) {
            String guest = "guest-" + guests.incrementAndGet();
            HttpRequest request = HttpRequest.newBuilder(uri(id, "/seats?guest=" + guest))
                    .timeout(Duration.ofSeconds(60))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            try {
                HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
                assertEquals(200, answer.statusCode(), answer.body());
                seated.put(guest, Integer.valueOf(answer.body()));
            } catch (IOException e) {
                unanswered.put(guest, id);
                awaitReady(id);
            }
        }
        return id;
    }

    /** SIGTERM: the web server answers what it has begun, then the member leaves. */
    private void endsGracefully(String id) throws Exception {
        running.get(id).destroy();
        assertTrue(running.get(id).waitFor(30, TimeUnit.SECONDS), "it runs on");
        assertEquals(143, running.get(id).exitValue(), Files.readString(folder.resolve(id + ".log")));
    }

    private void awaitSeated(int count) throws InterruptedException {
        while (seated.size() < count) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private void awaitReady(String id) throws Exception {
        while (true) {
            try {
                HttpRequest request = HttpRequest.newBuilder(uri(id, "/actuator/health/readiness"))
                        .timeout(Duration.ofSeconds(10))
                        .build();
                if (http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                // It starts.
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private String get(String id, String path) throws Exception {
        HttpResponse<String> answer =
                http.send(HttpRequest.newBuilder(uri(id, path)).build(), HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode(), answer.body());
        return answer.body();
    }

    private URI uri(String id, String path) {
        return URI.create("http://127.0.0.1:" + ports.get(id) + path);
    }

    private static Map<String, String> entries(String json) {
        Map<String, String> entries = new LinkedHashMap<>();
        Matcher entry = ENTRY.matcher(json);
        while (entry.find()) {
            entries.put(entry.group(1), entry.group(2));
        }
        return entries;
    }

    private void start(String id) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:MetaspaceSize=128m",
                "-cp",
                System.getProperty("java.class.path"),
                BookingApplication.class.getName(),
                "--server.port=" + ports.get(id),
                "--amo.id=" + id,
                "--amo.members=" + members,
                "--amo.log=file",
                "--amo.secret-file=" + folder.resolve("secret"),
                "--amo.data=" + folder.resolve("data"),
                "--amo.identity=" + folder.resolve("client-" + id));
        running.put(
                id,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(
                                folder.resolve(id + ".log").toFile()))
                        .start());
    }
}
