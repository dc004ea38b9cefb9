package org.amo.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.amo.base.observe.Reading;
import org.amo.base.observe.TimeHistogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("try") // an offer is held, not used
@Timeout(60)
class ObservationTest {
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

    private final FakeMember member = new FakeMember("a \"group\"", "x");

    @Test
    void jmxShowsEachNumberAsItIsNow() throws Exception {
        ObjectName name = new ObjectName("org.amo:type=replica,group=\"a \\\"group\\\"\",id=\"x\"");
        try (Observation offered = Observation.offer(member)) {
            assertEquals(7L, BEANS.getAttribute(name, "amo_replica_position"));
            assertEquals(2L, BEANS.getAttribute(name, "amo_replica_refusals_total.STALE"));
            member.readings = List.of(Reading.gauge("amo_lag_seconds", 0.5, "Lag"));
            assertEquals(0.5, BEANS.getAttribute(name, "amo_lag_seconds"));
            assertEquals(
                    1,
                    BEANS.getAttributes(name, new String[] {"amo_lag_seconds", "nonsense"})
                            .size());
            assertEquals(
                    List.of("amo_lag_seconds double Lag"),
                    Arrays.stream(BEANS.getMBeanInfo(name).getAttributes())
                            .map(ObservationTest::text)
                            .toList());
            assertThrows(AttributeNotFoundException.class, () -> BEANS.getAttribute(name, "nonsense"));
        }
        assertFalse(BEANS.isRegistered(name));
    }

    private static String text(MBeanAttributeInfo attribute) {
        return attribute.getName() + " " + attribute.getType() + " " + attribute.getDescription();
    }

    @Test
    void micrometerGetsGaugesCountersAndLabels() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Runnable end = MicrometerReadings.offer(member, registry);
        assertEquals(
                7,
                registry.get("amo.replica.position")
                        .tag("group", "a \"group\"")
                        .gauge()
                        .value());
        assertEquals(
                2,
                registry.get("amo.replica.refusals")
                        .tag("reason", "STALE")
                        .functionCounter()
                        .count());
        member.readings = List.of(
                Reading.gauge("amo_replica_position", 8, "Position"),
                Reading.counter("amo_replica_refusals_total", 3, "Refusals").with("reason", "STALE"));
        assertEquals(
                8, registry.get("amo.replica.position").tag("id", "x").gauge().value());
        assertEquals(3, registry.get("amo.replica.refusals").functionCounter().count());
        end.run();
        assertEquals(0, registry.getMeters().size());
    }

    @Test
    void micrometerGetsAHistogramAsATimer() {
        TimeHistogram times = new TimeHistogram();
        times.add(2_000_000_000);
        times.add(1_000_000_000);
        member.readings = times.readings("amo_replica_commit_seconds", "Commits");
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Runnable end = MicrometerReadings.offer(member, registry);
        FunctionTimer timer = registry.get("amo.replica.commit").functionTimer();
        assertEquals(2, timer.count());
        assertEquals(3, timer.totalTime(TimeUnit.SECONDS), 1e-9);
        assertEquals(1, registry.getMeters().size());
        end.run();
        assertEquals(0, registry.getMeters().size());
    }

    @Test
    void aProcessThatHasMicrometerOffersThereToo() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Metrics.addRegistry(registry);
        try (Observation offered = Observation.offer(member)) {
            assertEquals(
                    2, registry.get("amo.replica.refusals").functionCounter().count());
        } finally {
            Metrics.removeRegistry(registry);
        }
    }

    @Test
    void aPortTellsTheMetricsOfAllComponentsOfTheProcessUntilTheyEnd() throws Exception {
        FakeMember client = new FakeMember("", "client-1");
        Optional<ObservationOptions> anyPort =
                Optional.of(ObservationOptions.builder(0).build());
        try (Observation own = Observation.offer(member, anyPort)) {
            int port = own.port().orElseThrow();
            try (Observation other = Observation.offer(client)) {
                assertEquals(OptionalInt.empty(), other.port());
                assertTrue(metrics(port).contains("{id=\"client-1\"} 7"));
            }
            String afterwards = metrics(port);
            assertFalse(afterwards.contains("client-1"), afterwards);
            assertTrue(afterwards.contains("id=\"x\""), afterwards);
        }
    }

    @Test
    void withoutItsPortNothingIsOffered() throws Exception {
        ObjectName name = new ObjectName("org.amo:type=replica,group=\"bank\",id=\"late\"");
        try (Observation first = Observation.offer(
                member, Optional.of(ObservationOptions.builder(0).build()))) {
            Optional<ObservationOptions> taken = Optional.of(
                    ObservationOptions.builder(first.port().orElseThrow()).build());
            FakeMember late = new FakeMember("bank", "late");
            String message = assertThrows(IOException.class, () -> Observation.offer(late, taken))
                    .getMessage();
            assertEquals(1, message.lines().count());
            assertTrue(message.contains("127.0.0.1:" + first.port().orElseThrow()), message);
            assertFalse(BEANS.isRegistered(name));
        }
    }

    private static String metrics(int port) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
