package org.amo.testkit.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.base.Stable;

/**
 * Reads histories: one JSON object a line, with {@code type} invoke, ok, fail, info (clients) or exec, crash, join,
 * state (replicas). docs/reference/history.md lists the fields; those that it does not list are ignored.
 */
@Stable
public final class HistoryFile {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    private HistoryFile() {}

    /**
     * Reads a whole file.
     *
     * @throws IllegalArgumentException naming the line that is no event
     */
    public static History read(Path file) throws IOException {
        History.Builder builder = new History.Builder();
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            int number = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                add(builder, line, number);
            }
        }
        return builder.build();
    }

    /** The same of lines in memory. */
    public static History parse(List<String> lines) {
        History.Builder builder = new History.Builder();
        for (int i = 0; i < lines.size(); i++) {
            add(builder, lines.get(i), i + 1);
        }
        return builder.build();
    }

    private static void add(History.Builder builder, String line, int number) {
        if (line.isBlank()) {
            return;
        }
        try {
            JsonNode event = MAPPER.readTree(line);
            String id = event.path("id").asText();
            String replica = event.path("replica").asText();
            switch (event.path("type").asText()) {
                case "invoke" ->
                    builder.invoke(
                            event.path("client").asText(),
                            required(event, "id", number),
                            event.path("op").asText(),
                            value(event, "arg").map(HistoryFile::list),
                            time(event));
                case "ok" -> builder.end(id, HistoryCall.Outcome.OK, value(event, "value"), time(event));
                case "fail" -> builder.end(id, HistoryCall.Outcome.FAIL, Optional.empty(), time(event));
                case "info" -> builder.end(id, HistoryCall.Outcome.INFO, Optional.empty(), time(event));
                case "exec" ->
                    builder.exec(
                            required(event, "replica", number),
                            required(event, "id", number),
                            Long.parseLong(required(event, "pos", number)),
                            value(event, "value"));
                case "crash" -> builder.crash(required(event, "replica", number));
                case "join" -> builder.join(replica, event.path("pos").asLong());
                case "state" ->
                    builder.state(
                            required(event, "replica", number),
                            value(event, "final").orElseThrow(() -> broken(number, "it has no 'final'")));
                default -> throw broken(number, "its type is none of those that there are");
            }
        } catch (JsonProcessingException e) {
            throw broken(number, e.getOriginalMessage());
        }
    }

    private static String required(JsonNode event, String field, int number) {
        String text = event.path(field).asText();
        if (text.isEmpty()) {
            throw broken(number, "it has no '" + field + "'");
        }
        return text;
    }

    private static IllegalArgumentException broken(int number, String why) {
        return new IllegalArgumentException("line " + number + " of the history is no event: " + why);
    }

    private static OptionalLong time(JsonNode event) {
        return event.has("t") ? OptionalLong.of(event.path("t").asLong()) : OptionalLong.empty();
    }

    private static Optional<Object> value(JsonNode event, String field) {
        JsonNode node = event.path(field);
        return node.isMissingNode() || node.isNull() ? Optional.empty() : Optional.of(plain(node));
    }

    private static Object plain(JsonNode node) {
        try {
            return MAPPER.treeToValue(node, Object.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree that was read is no value", e);
        }
    }

    private static List<Object> list(Object value) {
        return value instanceof List<?> many ? Collections.unmodifiableList(many) : List.of(value);
    }
}
