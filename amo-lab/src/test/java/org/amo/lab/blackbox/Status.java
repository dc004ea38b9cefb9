package org.amo.lab.blackbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.replica.AdministrationException;
import org.amo.interceptors.status.StatusClient;

/** What a replica said of itself at one moment. */
public record Status(JsonNode json) {
    private static final int TIMEOUT_MILLIS = 2_000;
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

    public long number(String field) {
        return json.path(field).asLong();
    }

    public String text(String field) {
        return json.path(field).asText();
    }

    long refusals(String reason) {
        return json.path("refusals").path(reason).asLong();
    }

    long ordered(String kind) {
        return json.path("orderedEntries").path(kind).asLong();
    }

    /** Everything delivered is executed and nothing waits. */
    boolean isQuiet() {
        return number("position") == number("executedPosition") && number("queued") == 0 && number("sacksWaiting") == 0;
    }
}
