package org.amo.benchmarks.fts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.core.replica.AdministrationException;
import org.amo.interceptors.status.StatusClient;

/** The status that a replica reports of itself. */
record BankReplicaStatus(JsonNode json) {
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final long START_SECONDS = 90;

    static BankReplicaStatus ask(Member member) throws IOException {
        try {
            return new BankReplicaStatus(
                    new ObjectMapper().readTree(StatusClient.ask(member.host(), member.clientPort(), TIMEOUT_MILLIS)));
        } catch (AdministrationException | JsonProcessingException e) {
            throw new IOException("no status of " + member.id() + ": " + e.getMessage(), e);
        }
    }

    /** Of the first member, once all answer and the group has a time. */
    static BankReplicaStatus await(List<Member> members) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try {
                for (Member member : members) {
                    if (ask(member).number("orderedTimeMillis") == 0) {
                        throw new IOException("replica " + member.id() + " has not started");
                    }
                }
                return ask(members.get(0));
            } catch (IOException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    String leader() {
        return json.path("leader").asText();
    }

    /** The id of the member that leads, or of the first that does not. */
    String member(List<Member> members, boolean leads) throws IOException {
        return members.stream()
                .map(Member::id)
                .filter(id -> id.equals(leader()) == leads)
                .findFirst()
                .orElseThrow(() -> new IOException("the group has no leader"));
    }

    long executed() {
        return number("executed");
    }

    long entriesWithRequests() {
        return json.path("orderedEntries").path("requests").asLong();
    }

    /** Entries of acknowledgements alone. */
    long entriesWithAcknowledgements() {
        return json.path("orderedEntries").path("acknowledgements").asLong();
    }

    long entries() {
        return json.path("orderedEntries").path("total").asLong();
    }

    long number(String field) {
        return json.path(field).asLong();
    }
}
