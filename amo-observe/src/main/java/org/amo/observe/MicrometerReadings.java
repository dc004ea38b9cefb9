package org.amo.observe;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Reading;

/**
 * Readings as meters with the tags group and id. The name has dots in the place of underscores, and no {@code _total}: Micrometer's
 * registry for Prometheus makes of it the name that the port tells, others the one that their system expects. Histograms are timers.
 *
 * <p>Needs {@code io.micrometer:micrometer-core}, an optional dependency: without it this class is not loaded.
 */
final class MicrometerReadings {
    private MicrometerReadings() {}

    /** With Micrometer's global registry. @return ends the offer */
    static Runnable offer(Observed observed) {
        return offer(observed, Metrics.globalRegistry);
    }

    /** @return ends the offer */
    static Runnable offer(Observed observed, MeterRegistry registry) {
        List<Meter> meters = new ArrayList<>();
        for (Reading reading : observed.readings()) {
            Tags tags = Tags.of("group", observed.group(), "id", observed.id());
            for (Map.Entry<String, String> label : reading.labels().entrySet()) {
                tags = tags.and(label.getKey(), label.getValue());
            }
            meter(observed, reading, tags, registry).ifPresent(meters::add);
        }
        return () -> meters.forEach(registry::remove);
    }

    private static Optional<Meter> meter(Observed observed, Reading reading, Tags tags, MeterRegistry registry) {
        String metric = reading.name();
        Map<String, String> labels = reading.labels();
        return switch (reading.type()) {
            case GAUGE ->
                Optional.of(Gauge.builder(named(metric), observed, now -> value(now, metric, labels))
                        .description(reading.help())
                        .tags(tags)
                        .strongReference(true)
                        .register(registry));
            case COUNTER ->
                Optional.of(FunctionCounter.builder(
                                named(metric.replaceFirst("_total$", "")), observed, now -> value(now, metric, labels))
                        .description(reading.help())
                        .tags(tags)
                        .register(registry));
            case HISTOGRAM -> timer(observed, reading, tags, registry);
        };
    }

    private static String named(String metric) {
        return metric.replace('_', '.');
    }

    /** Number and sum of the durations, under the name without the unit, which a registry adds. A meter has no foreign buckets. */
    private static Optional<Meter> timer(Observed observed, Reading reading, Tags tags, MeterRegistry registry) {
        String metric = reading.metric();
        if (!reading.name().equals(metric + "_count")) {
            return Optional.empty();
        }
        return Optional.of(FunctionTimer.builder(
                        named(metric.replaceFirst("_seconds$", "")),
                        observed,
                        now -> (long) value(now, metric + "_count", Map.of()),
                        now -> value(now, metric + "_sum", Map.of()),
                        TimeUnit.SECONDS)
                .description(reading.help())
                .tags(tags)
                .register(registry));
    }

    private static double value(Observed observed, String metric, Map<String, String> labels) {
        return observed.readings().stream()
                .filter(reading ->
                        reading.name().equals(metric) && reading.labels().equals(labels))
                .mapToDouble(reading -> reading.value().doubleValue())
                .findFirst()
                .orElse(0);
    }
}
