package org.amo.cli.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.interceptors.status.StatusClient;
import org.amo.interceptors.status.StatusException;

/** What a replica said of itself. */
record Status(JsonNode json) {
    private static final int TIMEOUT_MILLIS = 1_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Empty when the replica does not answer, or not yet. */
    static Optional<Status> ask(Member member) {
        try {
            return Optional.of(
                    new Status(MAPPER.readTree(StatusClient.ask(member.host(), member.clientPort(), TIMEOUT_MILLIS))));
        } catch (StatusException | JsonProcessingException e) {
            return Optional.empty();
        }
    }

    String id() {
        return json.path("id").asText();
    }

    String leader() {
        return json.path("leader").asText();
    }

    long position() {
        return number("position");
    }

    long executedPosition() {
        return number("executedPosition");
    }

    String digest() {
        return json.path("digest").asText();
    }

    long number(String field) {
        return json.path(field).asLong();
    }

    /** Entries of the log of one kind, or all of them as {@code total}. */
    long orderedEntries(String kind) {
        return json.path("orderedEntries").path(kind).asLong();
    }

    /** Nothing is on its way in it. */
    boolean isQuiet() {
        return position() == executedPosition() && number("queued") == 0;
    }
}
