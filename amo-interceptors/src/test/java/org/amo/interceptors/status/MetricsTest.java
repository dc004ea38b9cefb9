package org.amo.interceptors.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.amo.core.replica.ReplicaStatus;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // a registration is held, not used
class MetricsTest {
    private final Map<String, Long> numbers =
            new TreeMap<>(Map.of("entries", 3L, "purgedBySack", 5L, "refusals.STALE", 2L, "divergedAt", 7L));

    @Test
    void jmxShowsEachNumberAsItIsNow() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("org.amo:type=replica,group=\"a \\\"group\\\"\",id=\"x\"");
        try (MetricsPort.Registration registration =
                new JmxMetrics().offer("replica", "a \"group\"", "x", () -> numbers)) {
            assertEquals(5L, server.getAttribute(name, "purgedBySack"));
            numbers.put("purgedBySack", 6L);
            assertEquals(6L, server.getAttribute(name, "purgedBySack"));
            numbers.put("refusals.EXPIRED", 1L);
            assertTrue(java.util.Arrays.stream(server.getMBeanInfo(name).getAttributes())
                    .map(MBeanAttributeInfo::getName)
                    .anyMatch("refusals.EXPIRED"::equals));
            assertThrows(AttributeNotFoundException.class, () -> server.getAttribute(name, "nonsense"));
        }
        assertFalse(server.isRegistered(name));
    }

    @Test
    void micrometerGetsGaugesCountersAndCauses() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        MetricsPort.Registration registration =
                new MicrometerMetrics(registry).offer("replica", "bank", "a", () -> numbers);
        assertEquals(
                3,
                registry.get("amo.replica.entries").tag("group", "bank").gauge().value());
        FunctionCounter stale =
                registry.get("amo.replica.refusals").tag("cause", "STALE").functionCounter();
        assertEquals(2, stale.count());
        numbers.put("entries", 4L);
        Gauge entries = registry.get("amo.replica.entries").tag("id", "a").gauge();
        assertEquals(4, entries.value());
        assertEquals(7, registry.get("amo.replica.divergedAt").gauge().value());
        numbers.put("divergedAt", 0L);
        assertEquals(0, registry.get("amo.replica.divergedAt").gauge().value(), "it is equal again");
        registration.close();
        assertEquals(0, registry.getMeters().size());
    }

    @Test
    void aProcessThatHasMicrometerOffersThereToo() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Metrics.addRegistry(registry);
        try (MetricsPort.Registration registration =
                OfferedMetrics.here().offer("replica", "bank", "offered", () -> numbers)) {
            assertEquals(
                    5,
                    registry.get("amo.replica.purgedBySack").functionCounter().count());
        } finally {
            Metrics.removeRegistry(registry);
        }
    }

    @Test
    void everyNumberOfAStatusIsOfferedAndEveryReasonOfARefusal() {
        ReplicaStatus status = new ReplicaStatus(
                "a",
                "b",
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                12,
                13,
                14,
                15,
                16,
                Map.of("STALE", 17L),
                Map.of("CLIENT_BYTES", 29L),
                18,
                Map.of("total", 19L),
                20,
                21,
                22,
                23,
                24,
                25,
                "d",
                "",
                "",
                30,
                0,
                0,
                0,
                31,
                "",
                "active",
                "");
        Map<String, Long> offered = OfferedMetrics.numbers(status);
        assertEquals(1L, offered.get("position"));
        assertEquals(13L, offered.get("purgedBySack"));
        assertEquals(15L, offered.get("resolvedRanges"));
        assertEquals(30L, offered.get("repaired"));
        assertEquals(31L, offered.get("divergedAt"));
        assertEquals(17L, offered.get("refusals.STALE"));
        assertEquals(0L, offered.get("refusals.OVERLOADED"));
        assertEquals(19L, offered.get("orderedEntries.total"));
        assertEquals(23L, offered.get("sackLagMillis"));
        assertEquals(25L, offered.get("queued"));
        assertTrue(offered.keySet().containsAll(OfferedMetrics.zeros().keySet()));
    }
}
