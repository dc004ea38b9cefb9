package org.amo.interceptors.status;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Readings as meters {@code amo.KIND.NAME} with the tags group and id, and cause where there are several. Needs
 * {@code io.micrometer:micrometer-core}, which is an optional dependency: without it this class is not loaded.
 */
final class MicrometerMetrics implements MetricsPort {
    /** Gauges, which go up and down; all other metrics count since the start. */
    private static final Set<String> LEVELS = Set.of(
            "position",
            "executedPosition",
            "orderedTimeMillis",
            "upperMillis",
            "clients",
            "entries",
            "bytes",
            "timeoutOnlyEntries",
            "resolvedRanges",
            "sacksWaiting",
            "sackLagMillis",
            "queued",
            "divergedAt",
            "openCalls",
            "finishedRanges");

    private final MeterRegistry registry;

    /** With Micrometer's global registry. */
    public MicrometerMetrics() {
        this(Metrics.globalRegistry);
    }

    public MicrometerMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Registration offer(String kind, String group, String id, Supplier<Map<String, Long>> reading) {
        List<Meter> meters = new ArrayList<>();
        for (String name : reading.get().keySet()) {
            int dot = name.indexOf('.');
            Tags tags = Tags.of("group", group, "id", id);
            Tags all = dot < 0 ? tags : tags.and("cause", name.substring(dot + 1));
            String meter = "amo." + kind + "." + (dot < 0 ? name : name.substring(0, dot));
            boolean level = LEVELS.contains(name) || name.endsWith("Peak");
            meters.add(
                    level
                            ? Gauge.builder(meter, reading, now -> value(now, name))
                                    .tags(all)
                                    .strongReference(true)
                                    .register(registry)
                            : FunctionCounter.builder(meter, reading, now -> value(now, name))
                                    .tags(all)
                                    .register(registry));
        }
        return () -> meters.forEach(registry::remove);
    }

    private static double value(Supplier<Map<String, Long>> reading, String name) {
        return reading.get().getOrDefault(name, 0L);
    }
}
