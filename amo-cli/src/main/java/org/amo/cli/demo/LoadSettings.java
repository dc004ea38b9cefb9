package org.amo.cli.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one client process of the demo does.
 *
 * @param reference file with the bank's object reference
 * @param go its appearance starts the load, so that all clients begin together
 * @param report where the client's own records go
 * @param history where its events go; an empty path for none
 */
record LoadSettings(
        String client,
        int threads,
        long durationMillis,
        long seed,
        Path reference,
        Path go,
        Path report,
        Path history) {

    /** The words that {@link #parse} reads. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        words.add("client=" + client);
        words.add("threads=" + threads);
        words.add("durationMillis=" + durationMillis);
        words.add("seed=" + seed);
        words.add("reference=" + reference);
        words.add("go=" + go);
        words.add("report=" + report);
        words.add("history=" + history);
        return words;
    }

    static LoadSettings parse(String[] words) {
        Map<String, String> values = new HashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            values.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return new LoadSettings(
                value(values, "client"),
                Integer.parseInt(value(values, "threads")),
                Long.parseLong(value(values, "durationMillis")),
                Long.parseLong(value(values, "seed")),
                Path.of(value(values, "reference")),
                Path.of(value(values, "go")),
                Path.of(value(values, "report")),
                Path.of(value(values, "history")));
    }

    boolean wantsHistory() {
        return !history.toString().isEmpty();
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the load's setting " + name + " is missing");
        }
        return value;
    }
}
