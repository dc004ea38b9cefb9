package org.amo.lab.attack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The calls of honest clients, from the histories that they write. One thread owns it. */
final class HonestCalls implements AutoCloseable {
    private static final double SECOND_NANOS = 1e9;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final List<History> histories = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();

    /**
     * One file as far as it was read.
     *
     * @param begun calls that have not ended, with their begin
     */
    private record History(BufferedReader reader, Map<String, Long> begun) {}

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

    /** Reads nothing yet. */
    static HonestCalls open(List<Path> histories) throws IOException {
        HonestCalls all = new HonestCalls();
        for (Path history : histories) {
            all.histories.add(new History(Files.newBufferedReader(history, StandardCharsets.UTF_8), new HashMap<>()));
        }
        return all;
    }

    /** Reads all lines that are there by now; a client that calls meanwhile may have written a part of one. */
    void readOn() throws IOException {
        for (History history : histories) {
            for (String line = history.reader.readLine(); line != null; line = history.reader.readLine()) {
                add(line, history.begun);
            }
        }
    }

    private void add(String line, Map<String, Long> begun) {
        JsonNode event;
        try {
            event = MAPPER.readTree(line);
        } catch (JsonProcessingException e) {
            // The last line of a client that was killed.
            return;
        }
        String id = event.path("id").asText();
        long nanos = event.path("t").asLong();
        if (event.path("type").asText().equals("invoke")) {
            begun.put(id, nanos);
        } else {
            Long begin = begun.remove(id);
            if (begin != null) {
                calls.add(new Call(begin, nanos, event.path("type").asText().equals("ok")));
            }
        }
    }

    @Override
    public void close() {
        for (History history : histories) {
            try {
                history.reader.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Whether the rate and the latency of a window reach the bars, compared with those of an earlier one. */
    boolean isLike(Window earlier, Window later) {
        return rate(later) >= AttackResult.LEAST_RATE_RATIO * rate(earlier)
                && p99(latencies(later), later) <= AttackResult.MOST_P99_RATIO * p99(latencies(earlier), earlier);
    }

    /**
     * Both windows beside the attack count together. If the rate or the latency after the attack misses the bar, the window before it
     * counts alone, so that a group that does not recover gains nothing by that. If clients were served better in the first window
     * of the group, that one counts in their place, so that an attack gains nothing by those before it.
     */
    Comparison compare(Window first, Window before, Window attack, Window after) {
        double calmRate = rate(before);
        List<Long> calm = latencies(before);
        if (isLike(before, after)) {
            calmRate = (rate(before) * before.seconds() + rate(after) * after.seconds())
                    / (before.seconds() + after.seconds());
            calm.addAll(latencies(after));
        }
        double calmP99 = p99(calm, before);
        if (!first.equals(before)) {
            calmRate = Math.max(calmRate, rate(first));
            calmP99 = Math.min(calmP99, p99(latencies(first), first));
        }
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
