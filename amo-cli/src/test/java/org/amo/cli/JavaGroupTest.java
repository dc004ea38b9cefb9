package org.amo.cli;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.observe.ObservationOptions;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The members of a Java service are operated by the commands for CORBA members. */
@Timeout(120)
class JavaGroupTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CLIENTS = 4;
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final Path folder;
    private final JavaGroup group;
    private final List<Member> members;
    private final List<Member> first;

    JavaGroupTest(@TempDir Path folder) {
        this.folder = folder;
        group = new JavaGroup(folder);
        members = group.members;
        first = group.first;
    }

    @AfterEach
    void close() {
        group.close();
    }

    @Test
    void aLostMemberIsReplacedWhileCallsRun() throws Exception {
        group.start(first, first);
        Run json = Run.of(
                "status", address(0), "--group", "counters", "--secret-file", group.secret.toString(), "--json", "-");
        assertEquals(ExitCodes.OK, json.exitCode(), json::toString);
        assertEquals("a", new ObjectMapper().readTree(json.out()).path("id").asText());
        try (AmoClient client = group.client(Member.format(members))) {
            assertEquals(1, JavaGroup.call(client));
            group.replicas.remove("a").close();

            Run removed = group.member("remove", "a");
            assertEquals(ExitCodes.OK, removed.exitCode(), removed::toString);
            assertEquals(
                    "members " + Member.format(members.subList(1, 3)),
                    removed.out().strip());
            Run added = group.member("add", members.get(3).toString());
            assertEquals(ExitCodes.OK, added.exitCode(), added::toString);
            assertEquals(2, JavaGroup.call(client));

            group.start(members.subList(3, 4), members.subList(1, 4));
            await().atMost(PATIENCE).until(() -> executed(3) == executed(1) && executed(1) > 0);
            assertEquals(3, JavaGroup.call(client));

            // With the new member, two of three: the calls go on without another old one.
            group.replicas.remove("b").close();
            assertEquals(4, JavaGroup.call(client));
        }
    }

    /**
     * The client is given the three first members. The last one that goes is the leader, which serves the client all the time, so that
     * one told it of those that came.
     */
    @Test
    void aClientStaysWithAGroupAllOfWhoseMembersAreReplaced() throws Exception {
        group.start(first, first);
        try (AmoClient client = group.client(Member.format(first))) {
            assertEquals(1, JavaGroup.call(client));
            // As long as the leader stays, no member has another reason to tell it anything.
            await().atMost(PATIENCE).until(() -> client.servedBy().equals(leader()));
            String serving = client.servedBy();
            List<Member> present = new ArrayList<>(first);
            present.sort(Comparator.comparing(member -> member.id().equals(serving)));
            int calls = 1;
            for (Member next : members.subList(3, 6)) {
                Run added = group.member("add", next.toString());
                assertEquals(ExitCodes.OK, added.exitCode(), added::toString);
                present.add(next);
                group.start(List.of(next), present);
                long all = calls;
                await().atMost(PATIENCE).until(() -> executed(members.indexOf(next)) == all);
                Member old = present.remove(0);
                assertEquals(old.id().equals(serving), present.stream().noneMatch(first::contains));
                await().atMost(PATIENCE).until(() -> {
                    Run removed = group.member("remove", old.id());
                    return removed.exitCode() == ExitCodes.OK;
                });
                group.ended.get(old.id()).get(30, TimeUnit.SECONDS);
                group.replicas.remove(old.id()).close();
                assertEquals(++calls, JavaGroup.call(client));
            }
            assertTrue(present.stream().anyMatch(member -> member.id().equals(client.servedBy())), client::servedBy);
        }
    }

    /** Calls of several clients run all the time, so the leader's log grows, and each has one effect. */
    @Test
    void theLeadGoesFromMemberToMemberWhileCallsRun() throws Exception {
        group.start(first, first);
        String list = Member.format(first);
        AtomicBoolean over = new AtomicBoolean();
        Set<Integer> answers = ConcurrentHashMap.newKeySet();
        AtomicLong slowest = new AtomicLong();
        List<CompletableFuture<Long>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(CompletableFuture.supplyAsync(() -> callUntil(over, list, answers, slowest), group.threads));
        }
        try {
            for (String next : List.of("b", "c", "c", "a", "b")) {
                Run moved = group.member("transfer-leadership", next);
                assertEquals(ExitCodes.OK, moved.exitCode(), moved::toString);
                assertEquals("leader " + next, moved.out().strip());
                Run listed = Run.of(
                        "member", "list", "--members=" + list, "--group=counters", "--secret-file=" + group.secret);
                assertEquals(
                        List.of("members " + list, "leader " + next + ", 0 changes of members so far"),
                        listed.out().lines().toList());
            }
        } finally {
            over.set(true);
        }
        long calls = 0;
        for (CompletableFuture<Long> client : clients) {
            calls += client.get(30, TimeUnit.SECONDS);
        }
        assertEquals(calls, answers.size(), "each call has a number of its own");
        assertTrue(answers.contains((int) calls), "and no call ran without an answer");
        System.out.println(calls + " calls while the lead moved five times; the slowest took " + slowest + " ms");
    }

    /** @return how many calls it made */
    private long callUntil(AtomicBoolean over, String list, Set<Integer> answers, AtomicLong slowest) {
        try (AmoClient client = group.client(list)) {
            long calls = 0;
            while (!over.get()) {
                long begin = System.nanoTime();
                answers.add(JavaGroup.call(client));
                slowest.accumulateAndGet((System.nanoTime() - begin) / 1_000_000, Math::max);
                calls++;
                // At full speed the calls would take the processors from the members.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            return calls;
        }
    }

    @Test
    void allMembersAreRowsOfATable() throws Exception {
        group.start(first, first);
        try (AmoClient client = group.client(Member.format(first))) {
            assertEquals(1, JavaGroup.call(client));
        }
        Run two = watch("2");
        assertEquals(ExitCodes.OK, two.exitCode(), two::toString);
        List<String> lines = two.out().lines().toList();
        assertEquals(10, lines.size(), two::toString);
        for (int table = 0; table < 2; table++) {
            assertTrue(lines.get(5 * table).startsWith("member   role "), two::toString);
            List<String> rows = lines.subList(5 * table + 1, 5 * table + 4);
            assertEquals(
                    List.of("a", "b", "c"),
                    rows.stream().map(row -> row.substring(0, row.indexOf(' '))).toList());
            assertEquals(
                    1, rows.stream().filter(row -> row.contains(" leader ")).count(), two::toString);
        }
        assertEquals(
                ExitCodes.OK, group.member("add", members.get(3).toString()).exitCode());
        Run four = watch("1", "--json", "-");
        JsonNode all = new ObjectMapper().readTree(four.out()).path("members");
        assertEquals(4, all.size(), four::toString);
        assertEquals("a", all.get(0).path("status").path("id").asText());
        assertEquals(1, all.get(1).path("status").path("executed").asLong());
        assertTrue(all.get(3).path("status").isNull(), four::toString);
        assertTrue(watch("1").out().contains("d        no answer"));
        assertMistake("--group for a member of a Java service", "status", address(0), "--watch");
    }

    @Test
    void membersTakeSnapshotsAndTellOfThem() throws Exception {
        group.start(first, first);
        try (AmoClient client = group.client(Member.format(first))) {
            assertEquals(1, JavaGroup.call(client));
        }
        List<String> before = snapshot("list").out().lines().toList();
        assertEquals(4, before.size(), before::toString);
        assertTrue(before.get(0).startsWith("member       position    behind"), before::toString);
        assertTrue(before.get(2).matches("b +none +\\d+"), before::toString);

        Run one = snapshot("take", "b");
        assertEquals(ExitCodes.OK, one.exitCode(), one::toString);
        assertTrue(one.out().lines().toList().get(1).matches("b +\\d+ +\\d+ +\\d+ .* ms +.* ms"), one::toString);
        assertEquals(ExitCodes.OK, snapshot("take").exitCode());
        JsonNode all = new ObjectMapper()
                .readTree(snapshot("list", "--json", "-").out())
                .path("members");
        assertEquals(3, all.size());
        for (JsonNode each : all) {
            long position = each.path("snapshot").path("position").asLong();
            assertTrue(position > 0 && position <= each.path("position").asLong(), all::toString);
        }

        assertMistake("list takes no member", snapshotWords(group.secret, "list", "b"));
        assertMistake("there is no member 'x'", snapshotWords(group.secret, "take", "x"));
        Path other = Files.writeString(folder.resolve("other"), "0f".repeat(32));
        assertMistake("secret is not that of group", snapshotWords(other, "take", "b"));
        group.replicas.remove("c").close();
        Run away = snapshot("take", "c");
        assertEquals(ExitCodes.ENVIRONMENT, away.exitCode(), away::toString);
        assertTrue(away.isOneLineOfError() && away.err().contains("'c' takes no snapshot"), away::toString);
        assertTrue(snapshot("list").out().contains("c           no answer"));
    }

    private Run snapshot(String... words) {
        return Run.of(snapshotWords(group.secret, words));
    }

    private String[] snapshotWords(Path secret, String... words) {
        List<String> all = new ArrayList<>(List.of("snapshot"));
        all.addAll(List.of(words));
        all.addAll(List.of("--members=" + Member.format(first), "--group=counters", "--secret-file=" + secret));
        return all.toArray(String[]::new);
    }

    private Run watch(String count, String... more) {
        List<String> words = new ArrayList<>(List.of(
                "status",
                address(0),
                "--group=counters",
                "--secret-file=" + group.secret,
                "--watch",
                "--count=" + count));
        words.addAll(List.of(more));
        return Run.of(words.toArray(String[]::new));
    }

    @Test
    void aLeaderThatCannotBeIsRefusedInOneLine() throws Exception {
        group.start(first, first);
        String list = Member.format(first);
        Run unknown = group.member("transfer-leadership", "x");
        assertEquals(ExitCodes.USER, unknown.exitCode(), unknown::toString);
        assertTrue(unknown.isOneLineOfError() && unknown.err().contains("no member 'x'"), unknown::toString);
        Run none = Run.of("member", "transfer-leadership", "--members", list, "--group=counters", "--insecure");
        assertEquals(ExitCodes.USER, none.exitCode(), none::toString);
        assertTrue(none.isOneLineOfError() && none.err().contains("name the member"), none::toString);
        Run word = group.member("demote", "a");
        assertEquals(ExitCodes.USER, word.exitCode(), word::toString);
        assertTrue(word.isOneLineOfError() && word.err().contains("transfer-leadership"), word::toString);

        group.replicas.remove("c").close();
        await().atMost(PATIENCE).until(() -> {
            Run away = group.member("transfer-leadership", "c");
            return away.exitCode() == ExitCodes.ENVIRONMENT
                    && away.isOneLineOfError()
                    && away.err().contains("member 'c' cannot be reached");
        });
    }

    @Test
    void aRemovedMemberEndsAndTheOthersSayWhoIsLeft() throws Exception {
        group.start(members.subList(0, 3), members.subList(0, 3));
        Run removed = group.member("remove", "b");
        assertEquals(ExitCodes.OK, removed.exitCode(), removed::toString);
        String why =
                String.valueOf(group.ended.get("b").get(30, TimeUnit.SECONDS).getMessage());
        assertTrue(why.contains("removed"), why);
        Run again = group.member("remove", "b");
        assertEquals(ExitCodes.USER, again.exitCode(), again::toString);
        assertTrue(again.isOneLineOfError() && again.err().contains("there is no member 'b'"), again::toString);
    }

    @Test
    void whoeverDoesNotKnowTheSecretHearsItInOneLine() throws Exception {
        group.start(members.subList(0, 1), members.subList(0, 1));
        Path other = Files.writeString(folder.resolve("other"), "0f".repeat(32));
        assertMistake(
                "secret is not that of group", "status", address(0), "--group=counters", "--secret-file=" + other);
        assertMistake(
                "belongs to group 'counters'", "status", address(0), "--group=bank", "--secret-file=" + group.secret);
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
        AmoReplica member = group.builder(members.get(0), members.subList(0, 1))
                .observe(ObservationOptions.builder(0).token(TOKEN).build())
                .start();
        group.replicas.put("a", member);
        String http = "127.0.0.1:" + member.observationPort().orElseThrow();
        Run run = Run.of("status", http, "--http-token-file", token.toString());
        assertEquals(ExitCodes.OK, run.exitCode(), run::toString);
        assertTrue(run.out().startsWith("replica     a, leader a (this one)"), run.out());
        assertMistake("asks for a token; add --http-token-file", "status", http);
    }

    /** One member of another group among the known ones: the others answer. Alone it is named. */
    @Test
    void aMemberOfAnotherGroupInTheListHarmsNothing() throws Exception {
        group.start(members.subList(0, 1), members.subList(0, 1));
        Member other = members.get(5);
        try (AmoReplica elsewhere = AmoReplica.builder("others")
                .id(other.id())
                .members(other.toString())
                .data(folder.resolve("others"))
                .log(Log.FILE)
                .secretFile(group.secret)
                .handler((request, context) -> request)
                .withoutSnapshots()
                .start()) {
            String list = other + "," + members.get(0);
            Run listed =
                    Run.of("member", "list", "--members=" + list, "--group=counters", "--secret-file=" + group.secret);
            assertEquals(ExitCodes.OK, listed.exitCode(), listed::toString);
            assertEquals(
                    "members " + members.get(0),
                    listed.out().lines().findFirst().orElseThrow());
            assertMistake(
                    "belongs to group 'others'",
                    "member",
                    "remove",
                    other.id(),
                    "--members=" + other,
                    "--group=counters",
                    "--secret-file=" + group.secret);
            assertEquals("f", elsewhere.id());
        }
    }

    private static void assertMistake(String part, String... words) {
        Run run = Run.of(words);
        assertEquals(ExitCodes.USER, run.exitCode(), run::toString);
        assertTrue(run.isOneLineOfError() && run.err().contains(part), run::toString);
    }

    private long executed(int member) throws IOException {
        return status(member).path("executed").asLong(-1);
    }

    private String leader() throws IOException {
        return status(0).path("leader").asText();
    }

    /** Without fields if it does not answer. */
    private JsonNode status(int member) throws IOException {
        Run run = Run.of("status", address(member), "--group=counters", "--secret-file=" + group.secret, "--json", "-");
        return new ObjectMapper().readTree(run.exitCode() == ExitCodes.OK ? run.out() : "{}");
    }

    private String address(int member) {
        return members.get(member).host() + ":" + members.get(member).clientPort();
    }
}
