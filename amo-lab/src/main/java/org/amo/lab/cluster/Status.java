package org.amo.lab.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.replica.AdministrationException;
import org.amo.interceptors.status.StatusClient;

/** Reads the status that a replica reports. */
public record Status(JsonNode json) {
    private static final int TIMEOUT_MILLIS = 1_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Empty when the replica does not answer, or not yet. */
    public static Optional<Status> ask(Member member) {
        try {
            return Optional.of(
                    new Status(MAPPER.readTree(StatusClient.ask(member.host(), member.clientPort(), TIMEOUT_MILLIS))));
        } catch (AdministrationException | JsonProcessingException e) {
            return Optional.empty();
        }
    }

    public String id() {
        return json.path("id").asText();
    }

    public String leader() {
        return json.path("leader").asText();
    }

    public long position() {
        return number("position");
    }

    public long executedPosition() {
        return number("executedPosition");
    }

    public String digest() {
        return json.path("digest").asText();
    }

    /** The disk fault that keeps it from serving; empty for none. */
    public String trouble() {
        return json.path("trouble").asText();
    }

    public long number(String field) {
        return json.path(field).asLong();
    }

    /** Entries of the log of one kind, or all of them as {@code total}. */
    public long orderedEntries(String kind) {
        return json.path("orderedEntries").path(kind).asLong();
    }

    /** Nothing is on its way in it. */
    public boolean isQuiet() {
        return position() == executedPosition() && number("queued") == 0;
    }
}
