package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.cli.Amo;
import org.amo.core.order.Member;
import org.amo.lab.blackbox.DrawingService.Draws;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.CounterProgram;
import org.amo.lab.cluster.Programs;
import org.amo.lab.cluster.Wait;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A Java service that draws ids, times and numbers, unmodified in two processes with the agent that {@code amo agent} writes. */
@Timeout(180)
final class DrawingServiceTest {
    private static final int CALLS = 10;
    private static final long BOUND_MILLIS = 40_000;

    @TempDir
    private Path folder = Path.of("unset");

    /** Two: one that runs all of it, and one that replays it. */
    private final List<Member> members = FreePorts.members(2);

    private final List<Integer> statusPorts = FreePorts.find(2);
    private final Map<String, Child> running = new LinkedHashMap<>();

    @AfterEach
    void end() {
        running.values().forEach(Child::kill);
    }

    @Test
    void membersAgreeThroughAKillAndAReplay() throws IOException {
        Files.writeString(folder.resolve("secret"), "5e".repeat(32));
        List<String> agent = agent();
        members.forEach(member -> start(member, agent));
        try (AmoClient client = AmoClient.builder(CounterProgram.GROUP)
                .members(Member.format(members))
                .secretFile(folder.resolve("secret"))
                .build()) {
            Draws draws = client.proxy(Draws.class);
            Set<String> replies = new HashSet<>(drawAll(draws));
            awaitEqual();

            Member killed = members.get(1);
            end(killed);
            start(killed, agent);
            replies.addAll(drawAll(draws));
            awaitEqual();
            assertEquals(2 * CALLS, replies.size(), "each reply is another");
        }
    }

    private List<String> agent() {
        StringWriter out = new StringWriter();
        CommandLine amo = Amo.commandLine().setOut(new PrintWriter(out));
        assertEquals(
                0, amo.execute("agent", "--out", folder.resolve("the agent").toString()));
        return out.toString().lines().toList();
    }

    private static List<String> drawAll(Draws draws) {
        List<String> replies = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            replies.add(draws.draw());
        }
        return replies;
    }

    private void start(Member member, List<String> agent) {
        List<String> arguments = List.of(
                member.id(),
                Member.format(members),
                folder.resolve("data").toString(),
                folder.resolve("secret").toString(),
                "RAFT",
                "FSYNC",
                Integer.toString(statusPort(member)));
        List<String> options = new ArrayList<>(agent);
        options.add("-Damo.threads=ordered");
        running.put(
                member.id(),
                Child.quiet(
                        member.id(),
                        Programs.member(DrawingService.class, arguments, options)
                                .words(),
                        folder.resolve(member.id() + ".txt")));
    }

    private void end(Member member) {
        Child child = running.remove(member.id());
        child.kill();
        assertTrue(child.awaitEnd(BOUND_MILLIS), member.id());
    }

    private int statusPort(Member member) {
        return statusPorts.get(members.indexOf(member));
    }

    /** At the same position with the same digest of decisions, replies and states. */
    private void awaitEqual() {
        List<JsonNode> statuses = new ArrayList<>();
        Wait.until(BOUND_MILLIS, "members are not equal", () -> {
            statuses.clear();
            members.stream()
                    .filter(member -> running.containsKey(member.id()))
                    .forEach(member -> statuses.add(status(member)));
            return statuses.stream()
                            .allMatch(status -> status.path("executedPosition").asLong() > 0)
                    && distinct(statuses, "executedPosition") == 1
                    && distinct(statuses, "position") == 1;
        });
        assertEquals(1, distinct(statuses, "digest"), statuses::toString);
        assertEquals(
                Set.of(0L),
                Set.copyOf(statuses.stream()
                        .map(status -> status.path("uninstrumentedClasses").asLong())
                        .toList()));
    }

    private static long distinct(List<JsonNode> statuses, String field) {
        return statuses.stream()
                .map(status -> status.path(field).asText())
                .distinct()
                .count();
    }

    private JsonNode status(Member member) {
        ObjectMapper mapper = new ObjectMapper();
        try (Socket socket = new Socket(member.host(), statusPort(member))) {
            return mapper.readTree(socket.getInputStream().readAllBytes());
        } catch (IOException e) {
            return mapper.createObjectNode(); // it is not up yet
        }
    }
}
