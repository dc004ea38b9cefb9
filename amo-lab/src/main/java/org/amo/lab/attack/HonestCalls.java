package org.amo.lab.attack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The calls of honest clients, from the histories that they wrote. One thread owns it. */
final class HonestCalls {
    private static final double SECOND_NANOS = 1e9;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final List<Call> calls = new ArrayList<>();

    /** @param answered false if it ended without a reply */
    private record Call(long begin, long end, boolean answered) {}

    /** A span of the machine's monotonic clock, in nanoseconds. */
    record Window(long begin, long end) {
        double seconds() {
            return (end - begin) / SECOND_NANOS;
        }

        private boolean contains(long nanos) {
            return nanos - begin >= 0 && nanos - end < 0;
        }
    }

    /**
     * Honest clients under attack and without.
     *
     * @param rateRatio answered calls a second under attack, divided by those without
     * @param p99Ratio the 99th percentile of latency, divided in the same way; a window without a call counts as one call of
     *     its length
     * @param calmRate answered calls a second without an attack
     * @param calmP99Millis the 99th percentile of latency without an attack
     */
    record Comparison(double rateRatio, double p99Ratio, double calmRate, double calmP99Millis) {}

    static HonestCalls read(List<Path> histories) throws IOException {
        HonestCalls all = new HonestCalls();
        for (Path history : histories) {
            all.add(history);
        }
        return all;
    }

    private void add(Path history) throws IOException {
        Map<String, Long> begun = new HashMap<>();
        try (BufferedReader reader = Files.newBufferedReader(history, StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                JsonNode event;
                try {
                    event = MAPPER.readTree(line);
                } catch (JsonProcessingException e) {
                    // The last line of a client that was killed.
                    continue;
                }
                String id = event.path("id").asText();
                long nanos = event.path("t").asLong();
                if (event.path("type").asText().equals("invoke")) {
                    begun.put(id, nanos);
                } else {
                    Long begin = begun.remove(id);
                    if (begin != null) {
                        calls.add(new Call(
                                begin, nanos, event.path("type").asText().equals("ok")));
                    }
                }
            }
        }
    }

    /**
     * Both windows without an attack count together. If the rate or the latency after the attack misses the bar, the window before it
     * counts alone, so that a group that does not recover gains nothing by that.
     */
    Comparison compare(Window before, Window attack, Window after) {
        double calmRate = rate(before);
        List<Long> calm = latencies(before);
        boolean recovered = rate(after) >= AttackResult.LEAST_RATE_RATIO * rate(before)
                && p99(latencies(after), after) <= AttackResult.MOST_P99_RATIO * p99(latencies(before), before);
        if (recovered) {
            calmRate = (rate(before) * before.seconds() + rate(after) * after.seconds())
                    / (before.seconds() + after.seconds());
            calm.addAll(latencies(after));
        }
        double calmP99 = p99(calm, before);
        return new Comparison(
                calmRate == 0 ? 0 : rate(attack) / calmRate,
                p99(latencies(attack), attack) / calmP99,
                calmRate,
                calmP99 / 1e6);
    }

    private double rate(Window window) {
        return calls.stream()
                        .filter(call -> call.answered && window.contains(call.end))
                        .count()
                / window.seconds();
    }

    /** Of calls that began in the window, those without a reply too. */
    private List<Long> latencies(Window window) {
        List<Long> latencies = new ArrayList<>();
        for (Call call : calls) {
            if (window.contains(call.begin)) {
                latencies.add(call.end - call.begin);
            }
        }
        return latencies;
    }

    private static double p99(List<Long> latencies, Window window) {
        if (latencies.isEmpty()) {
            return window.seconds() * SECOND_NANOS;
        }
        Collections.sort(latencies);
        return latencies.get((int) Math.ceil(latencies.size() * 0.99) - 1);
    }
}
