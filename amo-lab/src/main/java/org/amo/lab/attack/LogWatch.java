package org.amo.lab.attack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reads the lines that members write to their logs from a moment on. One thread owns it. */
final class LogWatch {
    private static final String PREFIX = "replica-";
    private static final int MOST_TOLD = 3;
    private static final int MOST_CHARACTERS = 200;

    private final Path folder;
    private final Map<Path, Integer> begun = new HashMap<>();

    /** @param folder of the run */
    LogWatch(Path folder) {
        this.folder = folder;
    }

    /** Lines written so far do not count. */
    void begin() throws IOException {
        for (Path log : logs()) {
            begun.put(log, read(log).size());
        }
    }

    /** All lines since the beginning, or since this was asked for the last time, of all members and all their lives. */
    List<String> takeLines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path log : logs()) {
            List<String> all = read(log);
            lines.addAll(all.subList(Math.min(all.size(), begun.getOrDefault(log, 0)), all.size()));
            begun.put(log, all.size());
        }
        return lines;
    }

    /** The most frequent lines, apart from their numbers and from traces. */
    static List<String> mostFrequent(List<String> lines) {
        Map<String, Integer> counts = new HashMap<>();
        Map<String, String> examples = new HashMap<>();
        for (String line : lines) {
            if (line.isBlank() || line.strip().startsWith("at ")) {
                continue;
            }
            String shape = line.replaceAll("[0-9a-f]*[0-9][0-9a-f]*", "#");
            counts.merge(shape, 1, Integer::sum);
            examples.putIfAbsent(shape, line);
        }
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .limit(MOST_TOLD)
                .map(entry -> {
                    String line = examples.getOrDefault(entry.getKey(), "").strip();
                    return entry.getValue() + " lines like: "
                            + line.substring(0, Math.min(MOST_CHARACTERS, line.length()));
                })
                .toList();
    }

    private List<Path> logs() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(PREFIX))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> read(Path log) throws IOException {
        return new String(Files.readAllBytes(log), StandardCharsets.ISO_8859_1)
                .lines()
                .toList();
    }
}
