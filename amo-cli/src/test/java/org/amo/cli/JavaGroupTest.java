package org.amo.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.observe.ObservationOptions;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The members of a Java service are operated by the commands for CORBA members. */
@Timeout(120)
class JavaGroupTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();
    private final Map<String, CompletableFuture<OrderedLogException>> ended = new LinkedHashMap<>();
    private final List<Member> members = FreePorts.members(4);

    @TempDir
    private Path folder;

    private Path secret = Path.of("");

    @BeforeEach
    void makeSecret() throws IOException {
        secret = Files.writeString(folder.resolve("secret"), "5e".repeat(32));
    }

    @AfterEach
    void close() {
        replicas.values().forEach(AmoReplica::close);
    }

    @Test
    void aLostMemberIsReplacedWhileCallsRun() throws Exception {
        List<Member> first = members.subList(0, 3);
        start(first, first);
        String list = Member.format(first);
        Run json =
                Run.of("status", address(0), "--group", "counters", "--secret-file", secret.toString(), "--json", "-");
        assertEquals(ExitCodes.OK, json.exitCode(), json::toString);
        assertEquals("a", new ObjectMapper().readTree(json.out()).path("id").asText());
        try (AmoClient client = AmoClient.builder("counters")
                .members(Member.format(members))
                .secretFile(secret)
                .build()) {
            assertEquals("1", text(client.call("x".getBytes(UTF_8))));
            replicas.remove("a").close();

            Run removed = member("remove", "a", list);
            assertEquals(ExitCodes.OK, removed.exitCode(), removed::toString);
            assertEquals(
                    "members " + Member.format(members.subList(1, 3)),
                    removed.out().strip());
            Run added = member("add", members.get(3).toString(), list);
            assertEquals(ExitCodes.OK, added.exitCode(), added::toString);
            assertEquals("2", text(client.call("x".getBytes(UTF_8))));

            start(members.subList(3, 4), members.subList(1, 4));
            await().atMost(PATIENCE).until(() -> executed(3) == executed(1) && executed(1) > 0);
            assertEquals("3", text(client.call("x".getBytes(UTF_8))));

            // With the new member, two of three: the calls go on without another old one.
            replicas.remove("b").close();
            assertEquals("4", text(client.call("x".getBytes(UTF_8))));
        }
    }

    @Test
    void aRemovedMemberEndsAndTheOthersSayWhoIsLeft() throws Exception {
        start(members.subList(0, 3), members.subList(0, 3));
        Run removed = member("remove", "b", Member.format(members.subList(0, 3)));
        assertEquals(ExitCodes.OK, removed.exitCode(), removed::toString);
        String why = String.valueOf(ended.get("b").get(30, TimeUnit.SECONDS).getMessage());
        assertTrue(why.contains("removed"), why);
        Run again = member("remove", "b", Member.format(members.subList(0, 3)));
        assertEquals(ExitCodes.USER, again.exitCode(), again::toString);
        assertTrue(again.isOneLineOfError() && again.err().contains("there is no member 'b'"), again::toString);
    }

    @Test
    void whoeverDoesNotKnowTheSecretHearsItInOneLine() throws Exception {
        start(members.subList(0, 1), members.subList(0, 1));
        Path other = Files.writeString(folder.resolve("other"), "0f".repeat(32));
        assertMistake(
                "secret is not that of group", "status", address(0), "--group=counters", "--secret-file=" + other);
        assertMistake("belongs to group 'counters'", "status", address(0), "--group=bank", "--secret-file=" + secret);
        assertMistake("asks for the group's secret", "status", address(0), "--group=counters", "--insecure");
        assertMistake("--secret-file FILE or --insecure", "status", address(0), "--group=counters");
        assertMistake("--group for a member of a Java service", "status", address(0));
        assertMistake(
                "secret is not that of group",
                "member",
                "add",
                members.get(3).toString(),
                "--members=" + members.get(0),
                "--group=counters",
                "--secret-file=" + other);
    }

    @Test
    void aPortOfHttpIsAskedToo() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), TOKEN);
        AmoReplica member = builder(members.get(0), members.subList(0, 1))
                .observe(ObservationOptions.builder(0).token(TOKEN).build())
                .start();
        replicas.put("a", member);
        String http = "127.0.0.1:" + member.observationPort().orElseThrow();
        Run run = Run.of("status", http, "--http-token-file", token.toString());
        assertEquals(ExitCodes.OK, run.exitCode(), run::toString);
        assertTrue(run.out().startsWith("replica     a, leader a (this one)"), run.out());
        assertMistake("asks for a token; add --http-token-file", "status", http);
    }

    private static void assertMistake(String part, String... words) {
        Run run = Run.of(words);
        assertEquals(ExitCodes.USER, run.exitCode(), run::toString);
        assertTrue(run.isOneLineOfError() && run.err().contains(part), run::toString);
    }

    private Run member(String action, String which, String known) {
        return Run.of(
                "member", action, which, "--members", known, "--group", "counters", "--secret-file", secret.toString());
    }

    private long executed(int member) throws IOException {
        Run run = Run.of("status", address(member), "--group=counters", "--secret-file=" + secret, "--json", "-");
        return run.exitCode() == ExitCodes.OK
                ? new ObjectMapper().readTree(run.out()).path("executed").asLong()
                : -1;
    }

    private String address(int member) {
        return members.get(member).host() + ":" + members.get(member).clientPort();
    }

    private void start(List<Member> starting, List<Member> list) throws Exception {
        List<CompletableFuture<AmoReplica>> all = new ArrayList<>();
        for (Member each : starting) {
            ended.put(each.id(), new CompletableFuture<>());
            all.add(CompletableFuture.supplyAsync(() -> builder(each, list).start()));
        }
        for (CompletableFuture<AmoReplica> each : all) {
            AmoReplica replica = each.get(60, TimeUnit.SECONDS);
            replicas.put(replica.id(), replica);
        }
    }

    private AmoReplica.Builder builder(Member member, List<Member> list) {
        int[] calls = new int[1];
        return AmoReplica.builder("counters")
                .id(member.id())
                .members(Member.format(list))
                .data(folder)
                .secretFile(secret)
                .handler((request, context) -> Integer.toString(++calls[0]).getBytes(UTF_8))
                .withoutSnapshots()
                .onEnded(ended.computeIfAbsent(member.id(), id -> new CompletableFuture<>())::complete);
    }

    private static String text(byte[] reply) {
        return new String(reply, UTF_8);
    }
}
