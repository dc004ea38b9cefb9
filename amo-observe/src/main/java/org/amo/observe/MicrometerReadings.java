package org.amo.observe;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Reading;

/**
 * Readings as meters with the tags group and id. The name has dots in the place of underscores, and no {@code _total}: Micrometer's
 * registry for Prometheus makes of it the name that the port tells, others the one that their system expects.
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
            String metric = reading.name();
            Map<String, String> labels = reading.labels();
            String name = metric.replaceFirst("_total$", "").replace('_', '.');
            Tags tags = Tags.of("group", observed.group(), "id", observed.id());
            for (Map.Entry<String, String> label : labels.entrySet()) {
                tags = tags.and(label.getKey(), label.getValue());
            }
            meters.add(
                    reading.type() == Reading.Type.GAUGE
                            ? Gauge.builder(name, observed, now -> value(now, metric, labels))
                                    .description(reading.help())
                                    .tags(tags)
                                    .strongReference(true)
                                    .register(registry)
                            : FunctionCounter.builder(name, observed, now -> value(now, metric, labels))
                                    .description(reading.help())
                                    .tags(tags)
                                    .register(registry));
        }
        return () -> meters.forEach(registry::remove);
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
