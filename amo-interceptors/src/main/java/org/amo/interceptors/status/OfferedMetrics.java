package org.amo.interceptors.status;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.request.Refusal;

/** All ports that this process has, as one: JMX, and Micrometer where it is on the class path. */
public final class OfferedMetrics implements MetricsPort {
    private static final String MICROMETER = "io.micrometer.core.instrument.Metrics";

    private final List<MetricsPort> ports;

    private OfferedMetrics(List<MetricsPort> ports) {
        this.ports = ports;
    }

    /** The ports of this process. */
    public static OfferedMetrics here() {
        List<MetricsPort> ports = new ArrayList<>(List.of(new JmxMetrics()));
        if (hasMicrometer()) {
            ports.add(new MicrometerMetrics());
        }
        return new OfferedMetrics(ports);
    }

    private static boolean hasMicrometer() {
        try {
            Class.forName(MICROMETER, false, OfferedMetrics.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    @Override
    public Registration offer(String kind, String group, String id, Supplier<Map<String, Long>> reading) {
        List<Registration> offered =
                ports.stream().map(port -> port.offer(kind, group, id, reading)).toList();
        return () -> offered.forEach(Registration::close);
    }

    /** The numbers of a status: each reason of refusal is there, also while it has not happened. */
    public static Map<String, Long> numbers(ReplicaStatus status) {
        Map<String, Long> numbers = zeros();
        for (RecordComponent component : ReplicaStatus.class.getRecordComponents()) {
            Object value = StatusJson.read(component, status);
            if (value instanceof Long number) {
                numbers.put(component.getName(), number);
            } else if (value instanceof Map<?, ?> map) {
                map.forEach((cause, count) -> {
                    if (count instanceof Long number) {
                        numbers.put(component.getName() + "." + cause, number);
                    }
                });
            }
        }
        return numbers;
    }

    /** Before there is a status: a port that asks for names only once gets them. */
    public static Map<String, Long> zeros() {
        Map<String, Long> numbers = new TreeMap<>();
        for (Refusal refusal : Refusal.values()) {
            numbers.put("refusals." + refusal, 0L);
        }
        for (RecordComponent component : ReplicaStatus.class.getRecordComponents()) {
            if (component.getType() == long.class) {
                numbers.put(component.getName(), 0L);
            }
        }
        return numbers;
    }
}
