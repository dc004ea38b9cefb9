package org.amo.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;

/** All members of a group, asked again and again, as the rows of a table. One thread. */
final class StatusWatch {
    private static final int TIMEOUT_MILLIS = 1_000;
    private static final int DIGITS_OF_DIGEST = 8;
    private static final String FORMAT = "%-8s %-9s %12s %8s %9s %9s %8s %8s  %-8s  %s";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final MemberPort port;
    private List<Member> members;

    /** Requests that each member had executed when it was asked last, and when that was. */
    private final Map<String, Executed> before = new HashMap<>();

    private record Executed(long count, long nanos) {}

    /** One member at one moment; empty if it does not answer. */
    private record Row(Member member, Optional<JsonNode> status, double callsPerSecond) {}

    private StatusWatch(MemberPort port, List<Member> members) {
        this.port = port;
        this.members = members;
    }

    /**
     * Begins with the members that one of them names.
     *
     * @throws AdministrationException if it does not answer, or its members never change
     */
    static StatusWatch of(MemberPort port, HostPort address) throws AdministrationException {
        return new StatusWatch(
                port,
                OperatedGroup.known(port, address.host(), address.port(), 3 * TIMEOUT_MILLIS)
                        .members()
                        .members());
    }

    /** Asks all members once. @return the lines of the table, and below them one line for each trouble */
    List<String> lines() {
        List<Row> rows = ask();
        long newest = rows.stream()
                .flatMap(row -> row.status.stream())
                .mapToLong(status -> status.path("position").asLong())
                .max()
                .orElse(0);
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                FORMAT,
                "member",
                "role",
                "position",
                "lag",
                "calls/s",
                "entries",
                "clients",
                "waiting",
                "digest",
                ""));
        rows.forEach(row -> lines.add(line(row, newest).stripTrailing()));
        for (Row row : rows) {
            row.status
                    .map(status -> status.path("trouble").asText())
                    .filter(trouble -> !trouble.isEmpty())
                    .ifPresent(trouble -> lines.add("TROUBLE at " + row.member.id() + ": " + trouble));
        }
        return lines;
    }

    private static String line(Row row, long newest) {
        String id = row.member.id();
        if (row.status.isEmpty()) {
            return String.format(Locale.ROOT, FORMAT, id, "no answer", "", "", "", "", "", "", "", "");
        }
        JsonNode status = row.status.get();
        long position = status.path("position").asLong();
        String digest = status.path("digest").asText();
        return String.format(
                Locale.ROOT,
                FORMAT,
                id,
                status.path("leader").asText().equals(id) ? "leader" : "follower",
                position,
                newest - position,
                String.format(Locale.ROOT, "%.0f", row.callsPerSecond),
                status.path("entries").asText(),
                status.path("clients").asText(),
                status.path("queued").asText(),
                digest.substring(0, Math.min(DIGITS_OF_DIGEST, digest.length())),
                status.path("divergence").asText());
    }

    /** Asks all members once. @return an object with {@code members}, each of them as of {@code amo status --json}, or null */
    ObjectNode object() {
        ObjectNode object = MAPPER.createObjectNode();
        ArrayNode all = object.putArray("members");
        for (Row row : ask()) {
            ObjectNode member = all.addObject().put("id", row.member.id()).put("callsPerSecond", row.callsPerSecond);
            member.set("status", row.status.orElseGet(MAPPER::nullNode));
        }
        return object;
    }

    private List<Row> ask() {
        List<Row> rows = new ArrayList<>();
        for (Member member : members) {
            Optional<JsonNode> status = status(member);
            rows.add(new Row(
                    member,
                    status,
                    status.map(now -> callsPerSecond(member, now)).orElse(0.0)));
        }
        // For the next time: one of those that answer knows of members that came or went.
        rows.stream()
                .filter(row -> row.status.isPresent())
                .findFirst()
                .flatMap(row -> members(row.member))
                .ifPresent(now -> members = now);
        return rows;
    }

    private double callsPerSecond(Member member, JsonNode status) {
        Executed now = new Executed(status.path("executed").asLong(), System.nanoTime());
        Executed last = before.put(member.id(), now);
        return last == null || now.count < last.count
                ? 0
                : (now.count - last.count) * 1e9 / Math.max(1, now.nanos - last.nanos);
    }

    private Optional<JsonNode> status(Member member) {
        try {
            return Optional.of(MAPPER.readTree(
                    port.ask(member.host(), member.clientPort(), Administration.STATUS, "", TIMEOUT_MILLIS)));
        } catch (AdministrationException | JsonProcessingException e) {
            return Optional.empty();
        }
    }

    private Optional<List<Member>> members(Member member) {
        try {
            return Optional.of(OperatedGroup.known(port, member.host(), member.clientPort(), TIMEOUT_MILLIS)
                    .members()
                    .members());
        } catch (AdministrationException e) {
            return Optional.empty();
        }
    }

    /** Writes the table in the place of the one before, on a terminal. @return how many lines it has */
    static int write(List<String> lines, int before, boolean terminal, PrintWriter out) {
        if (terminal && before > 0) {
            out.print("\u001b[" + before + "A\u001b[J");
        }
        lines.forEach(out::println);
        if (!terminal) {
            out.println();
        }
        out.flush();
        return lines.size();
    }
}
