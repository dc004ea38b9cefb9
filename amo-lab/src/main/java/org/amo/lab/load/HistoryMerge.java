package org.amo.lab.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.amo.cli.CliException;

/**
 * Joins the events of several processes into one file, by time. The events of one source keep their order,
 * even against their times; an event without a time has that of the one before it in its source. The values of executions
 * become those that clients write, or are left out where a replica wrote only a part of them.
 */
final class HistoryMerge {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Set<String> ownIds;
    private final BiFunction<String, String, Optional<JsonNode>> replies;

    /** By id; the sources of clients must be read before those of replicas. */
    private final Map<String, String> operations = new HashMap<>();

    private final List<Deque<Event>> sources = new ArrayList<>();

    /**
     * Of nothing so far.
     *
     * @param ownIds of calls that belong to the check, not to the system under test: left out
     * @param replies the value that clients write, from an operation's name and the bytes that a replica wrote as hex
     */
    HistoryMerge(Set<String> ownIds, BiFunction<String, String, Optional<JsonNode>> replies) {
        this.ownIds = Set.copyOf(ownIds);
        this.replies = replies;
    }

    private record Event(long nanos, String line) {}

    /** The events of one process, or of one replica through its lives, are one source. */
    final class Source {
        private final Deque<Event> events = new ArrayDeque<>();
        private long latest;

        /** Adds a file's lines; a file that is not there has none, and a last line that was cut off is left out. */
        Source file(Path file) throws IOException {
            if (Files.exists(file)) {
                try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                    boolean isWhole = true;
                    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                        if (!isWhole) {
                            throw CliException.environment("a line in the middle of " + file + " is no event");
                        }
                        isWhole = add(line);
                    }
                }
            }
            return this;
        }

        Source event(String json) {
            add(json);
            return this;
        }

        /** False for a line that kill -9 has cut in the middle. */
        private boolean add(String line) {
            JsonNode event;
            try {
                event = MAPPER.readTree(line);
            } catch (JsonProcessingException e) {
                return false;
            }
            if (event.isObject() && !ownIds.contains(event.path("id").asText())) {
                latest = Math.max(latest, event.path("t").asLong(latest));
                events.add(new Event(latest, readable(event, line)));
            }
            return true;
        }

        private String readable(JsonNode event, String line) {
            String id = event.path("id").asText();
            String type = event.path("type").asText();
            if (type.equals("invoke")) {
                operations.put(id, event.path("op").asText());
            }
            if (!type.equals("exec") || !event.path("value").isTextual() || !operations.containsKey(id)) {
                return line;
            }
            Optional<JsonNode> value = replies.apply(
                    operations.getOrDefault(id, ""), event.path("value").asText());
            ObjectNode exec = (ObjectNode) event;
            if (value.isPresent()) {
                exec.set("value", value.get());
            } else {
                // Replicas write only the beginning of a long reply; a part of a value is no value.
                exec.remove("value");
            }
            return exec.toString();
        }
    }

    Source source() {
        Source source = new Source();
        sources.add(source.events);
        return source;
    }

    void write(Path target) throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(target, StandardCharsets.UTF_8)) {
            while (true) {
                Deque<Event> first = null;
                for (Deque<Event> source : sources) {
                    if (!source.isEmpty()
                            && (first == null
                                    || source.peek().nanos() < first.peek().nanos())) {
                        first = source;
                    }
                }
                if (first == null) {
                    return;
                }
                writer.write(first.remove().line());
                writer.newLine();
            }
        }
    }
}
