package org.amo.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaStatus;
import org.amo.net.CheckedFile;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Folders of members that do not run: their check, and a group that goes on with one of three disks. */
@Timeout(180)
class LostDisksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path data;
    private final JavaGroup group;
    private final List<Member> members;
    private final List<Member> first;

    LostDisksTest(@TempDir Path data) {
        this.data = data;
        group = new JavaGroup(data);
        members = group.members;
        first = group.first;
    }

    @AfterEach
    void close() {
        group.close();
    }

    @Test
    void theGroupGoesOnWithTheOneDiskThatIsLeft() throws Exception {
        group.start(first, first);
        call(20, 1);
        await().atMost(PATIENCE).until(() -> group.replicas.values().stream()
                .allMatch(replica -> replica.status().executed() == 20));
        group.stopAll();
        CheckedFile.deleteTree(group.folder("b"));
        CheckedFile.deleteTree(group.folder("c"));

        Run asked = Run.of("recover", group.folder("a").toString());
        assertEquals(ExitCodes.OK, asked.exitCode(), asked::toString);
        assertTrue(asked.out().contains("nothing was changed; add --force-new-group"), asked.out());
        assertTrue(asked.out().contains("removed    b, c;"), asked.out());

        Run mistyped = recover("a", "counter");
        assertEquals(ExitCodes.USER, mistyped.exitCode(), mistyped::toString);
        assertTrue(mistyped.err().contains("nothing was changed"), mistyped::toString);
        Run forced = recover("a", "counters");
        assertEquals(ExitCodes.OK, forced.exitCode(), forced::toString);
        assertTrue(forced.out().contains("done: start member a"), forced.out());

        group.start(first.subList(0, 1), first);
        call(3, 21);
        assertEquals(
                "members " + first.get(0) + "," + members.get(3),
                group.member("add", members.get(3).toString()).out().strip());
        group.start(members.subList(3, 4), List.of(first.get(0), members.get(3)));
        call(3, 24);
        await().atMost(PATIENCE).until(() -> group.replicas.values().stream()
                .allMatch(replica -> replica.status().executed() == 26));
        // Marks of the group may still come.
        await().atMost(PATIENCE).until(() -> {
            ReplicaStatus one = group.replicas.get("a").status();
            ReplicaStatus other = group.replicas.get("d").status();
            if (one.executedPosition() != other.executedPosition()) {
                return false;
            }
            assertEquals(one.digest(), other.digest());
            return true;
        });

        // A lost member that came back would vote with what it had.
        Run back = group.member("add", first.get(1).toString());
        assertEquals(ExitCodes.USER, back.exitCode(), back::toString);
        assertTrue(back.err().contains("its id cannot come back"), back::toString);
    }

    /** The lost members had answered calls that the one left never got: those of the clients' records behind its position, and no others. */
    @Test
    void onlyAnswersBehindThePositionOfTheOneLeftAreLost() throws Exception {
        group.start(first, first);
        call(20, 1);
        await().atMost(PATIENCE).until(() -> group.replicas.get("a").status().executed() == 20);
        group.replicas.remove("a").close();
        call(5, 21);
        group.stopAll();
        CheckedFile.deleteTree(group.folder("b"));
        CheckedFile.deleteTree(group.folder("c"));
        Run asked = Run.of("recover", group.folder("a").toString());
        assertTrue(asked.out().contains("lost       answers given behind position "), asked.out());
        assertEquals(ExitCodes.OK, recover("a", "counters").exitCode());
        group.start(first.subList(0, 1), first);
        // Answers 21 to 25 are given again, to other calls.
        call(1, 21);
        assertEquals(21, group.replicas.get("a").status().executed());
    }

    /** The snapshot has the members, and none of its changes are in the log. */
    @Test
    void theLogBehindASnapshotIsEnough() throws Exception {
        group.start(first, first);
        call(1_200, 1);
        await().atMost(PATIENCE)
                .until(() -> Files.exists(group.folder("a").resolve("a.log").resolve("snapshot.amo")));
        await().atMost(PATIENCE).until(() -> group.replicas.get("a").status().executed() == 1_200);
        group.stopAll();
        assertEquals(ExitCodes.OK, recover("a", "counters").exitCode());
        Run again = recover("a", "counters");
        assertEquals(ExitCodes.OK, again.exitCode(), again::toString);
        assertTrue(again.out().contains("is the only member of group counters already"), again.out());

        group.start(first.subList(0, 1), first);
        call(1, 1_201);
    }

    @Test
    void aBackupOfARunningMemberBecomesASecondGroup() throws Exception {
        group.start(first, first);
        call(1_200, 1);
        Path file = data.resolve("a.backup");
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> load = CompletableFuture.supplyAsync(() -> callUntil(over, 1_201), group.threads);
        Run taken =
                Run.of("backup", file.toString(), "--from", group.folder("a").toString());
        over.set(true);
        int last = load.get(60, TimeUnit.SECONDS);
        assertEquals(ExitCodes.OK, taken.exitCode(), taken::toString);
        assertTrue(taken.out().startsWith("member a of group counters, up to position "), taken.out());
        assertEquals(List.of("a.backup"), filesBeside(file));
        Run again =
                Run.of("backup", file.toString(), "--from", group.folder("a").toString());
        assertEquals(ExitCodes.USER, again.exitCode(), again::toString);
        assertTrue(again.isOneLineOfError() && again.err().contains("exists"), again::toString);

        Path other = data.resolve("second");
        Member elsewhere = new Member(
                "a",
                members.get(3).host(),
                members.get(3).orderPort(),
                members.get(3).clientPort());
        Run restored = Run.of("restore", file.toString(), "--data", other.toString(), "--member", elsewhere.toString());
        assertEquals(ExitCodes.OK, restored.exitCode(), restored::toString);
        Run twice = Run.of("restore", file.toString(), "--data", other.toString());
        assertEquals(ExitCodes.USER, twice.exitCode(), twice::toString);
        assertTrue(twice.isOneLineOfError() && twice.err().contains("exists"), twice::toString);

        // Beside the first group, which goes on.
        try (AmoReplica second =
                group.builder(elsewhere, List.of(elsewhere)).data(other).start()) {
            assertEquals("a", second.id());
            try (AmoClient client = group.client(elsewhere.toString())) {
                int next = JavaGroup.call(client);
                assertTrue(next > 1_200 && next <= last + 1, next + " behind " + last);
                assertEquals(next + 1, JavaGroup.call(client));
            }
        }
        call(1, last + 1);
    }

    /** A digest is a chain over positions, decisions and replies, and each group goes on with positions of its own. */
    @Test
    void aRestoredGroupHasTheDigestOfTheFirst() throws Exception {
        group.start(first, first);
        call(50, 1);
        await().atMost(PATIENCE).until(() -> group.replicas.get("b").status().executed() == 50);
        Path file = data.resolve("b.backup");
        Run taken =
                Run.of("backup", file.toString(), "--from", group.folder("b").toString());
        assertEquals(ExitCodes.OK, taken.exitCode(), taken::toString);
        group.stopAll();
        assertEquals(ExitCodes.OK, recover("b", "counters").exitCode());
        Path other = data.resolve("second");
        Member elsewhere = new Member(
                "b",
                members.get(3).host(),
                members.get(3).orderPort(),
                members.get(3).clientPort());
        Run restored = Run.of("restore", file.toString(), "--data", other.toString(), "--member", elsewhere.toString());
        assertEquals(ExitCodes.OK, restored.exitCode(), restored::toString);

        group.start(first.subList(1, 2), first);
        AmoReplica one = group.replicas.get("b");
        try (AmoReplica second =
                group.builder(elsewhere, List.of(elsewhere)).data(other).start()) {
            // Either may be ahead of the other, so what both had is looked for among all that was seen.
            Map<Long, String> ofOne = new HashMap<>();
            Map<Long, String> ofSecond = new HashMap<>();
            Set<Long> ofBoth = await().atMost(PATIENCE)
                    .until(
                            () -> {
                                note(one.status(), ofOne);
                                note(second.status(), ofSecond);
                                Set<Long> common = new HashSet<>(ofOne.keySet());
                                common.retainAll(ofSecond.keySet());
                                return common;
                            },
                            common -> !common.isEmpty());
            for (long position : ofBoth) {
                assertEquals(ofOne.get(position), ofSecond.get(position));
            }
        }
    }

    private static void note(ReplicaStatus status, Map<Long, String> digests) {
        if (status.executed() == 50) {
            digests.put(status.executedPosition(), status.digest());
        }
    }

    @Test
    void aTornBackupAndAnotherFileAreRefusedAndLeaveNothing() throws Exception {
        group.start(first, first);
        call(20, 1);
        group.stopAll();
        Path file = data.resolve("a.backup");
        assertEquals(
                ExitCodes.OK,
                Run.of("backup", file.toString(), "--from", group.folder("a").toString())
                        .exitCode());
        byte[] whole = Files.readAllBytes(file);
        Path other = data.resolve("second");
        int directory = new String(whole, ISO_8859_1).indexOf("PK\1\2");
        for (int length : new int[] {0, 3, 40, whole.length / 2, directory - 1}) {
            Path torn = Files.write(data.resolve("torn"), Arrays.copyOf(whole, length));
            Run run = Run.of("restore", torn.toString(), "--data", other.toString());
            assertTrue(run.exitCode() == ExitCodes.USER || run.exitCode() == ExitCodes.ENVIRONMENT, run::toString);
            assertTrue(run.isOneLineOfError(), run::toString);
            assertEquals(List.of(), content(other), length + " bytes");
        }
        Run otherId = Run.of("restore", file.toString(), "--data", other.toString(), "--member", "b=h:1/2");
        assertEquals(ExitCodes.USER, otherId.exitCode(), otherId::toString);
        assertTrue(otherId.isOneLineOfError() && otherId.err().contains("keep its id"), otherId::toString);
        assertEquals(List.of(), content(other));
    }

    /** A limit to the size of files ends a write as a full disk does. */
    @Test
    void aBackupThatFindsNoRoomIsOneLineAndLeavesNothing() throws Exception {
        group.start(first.subList(0, 1), first.subList(0, 1));
        call(20, 1);
        Path file = data.resolve("a.backup");
        List<String> words = new ArrayList<>(List.of("sh", "-c", "ulimit -f 128; exec \"$@\"", "sh"));
        words.addAll(CommandProcess.words(
                "backup", file.toString(), "--from", group.folder("a").toString()));
        Process backup = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(backup.getInputStream().readAllBytes(), UTF_8);
        assertTrue(backup.waitFor(30, TimeUnit.SECONDS));
        assertEquals(ExitCodes.ENVIRONMENT, backup.exitValue(), said);
        assertTrue(said.lines().count() == 1 && said.contains("make room, or give a file elsewhere"), said);
        assertEquals(List.of(), filesBeside(file));
        call(1, 21);
    }

    private List<String> filesBeside(Path file) throws IOException {
        try (Stream<Path> files = Files.list(file.resolveSibling(""))) {
            return files.map(each -> each.getFileName().toString())
                    .filter(name -> name.startsWith("a.backup"))
                    .toList();
        }
    }

    private static List<String> content(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).toList();
        }
    }

    @Test
    void theCheckNamesEachDamagedFile() throws Exception {
        group.start(first, first);
        call(20, 1);
        // Two members answer them. The log of a third one that is slow may end before the byte that is flipped below.
        await().atMost(PATIENCE).until(() -> group.replicas.get("a").status().executed() == 20);
        Run running = Run.of("verify", group.folder("a").toString());
        assertEquals(ExitCodes.ENVIRONMENT, running.exitCode(), running::toString);
        assertTrue(running.isOneLineOfError() && running.err().contains("stop it first"), running::toString);
        group.stopAll();
        Run whole = Run.of("verify", group.folder("a").toString());
        assertEquals(ExitCodes.OK, whole.exitCode(), whole::toString);
        assertTrue(whole.out().endsWith("the member can start" + System.lineSeparator()), whole.out());
        assertEquals(List.of(), damaged("a"));

        Path entries = group.folder("a").resolve("a.log").resolve("entries.amo");
        flip(entries, 500);
        assertEquals(List.of("a.log/entries.amo"), damaged("a"));
        Run refused = recover("a", "counters");
        assertEquals(ExitCodes.ENVIRONMENT, refused.exitCode(), refused::toString);
        assertTrue(refused.isOneLineOfError() && refused.err().contains("another member"), refused::toString);
        flip(entries, 500);
        assertEquals(List.of(), damaged("a"), "the check has changed nothing");
        // Room behind the last record: what is there was not acknowledged.
        int room = (int) Files.size(entries) - 1;
        flip(entries, room);
        assertEquals("repairable", condition("a", "a.log/entries.amo"));
        flip(entries, room);

        flip(group.folder("a").resolve("executions"), 4_100);
        assertEquals("repairable", condition("a", "executions"));
        flip(group.folder("a").resolve("executions"), 8_200);
        flip(group.folder("a").resolve("members"), 12);
        flip(group.folder("a").resolve("a.log").resolve("state.amo"), 20);
        assertEquals(List.of("members", "executions"), damaged("a"));
        assertEquals("repairable", condition("a", "a.log"));
        Files.delete(group.folder("a").resolve("a.log").resolve("state.amo"));
        assertEquals(List.of("members", "a.log", "executions"), damaged("a"));
        assertEquals(
                ExitCodes.CHECK_FAILED,
                Run.of("verify", group.folder("a").toString()).exitCode());
    }

    @Test
    void aFolderThatIsNoMembersIsRefusedInOneLine() {
        for (String command : List.of("verify", "recover")) {
            Run run = Run.of(command, data.resolve("counters").toString());
            assertEquals(ExitCodes.USER, run.exitCode(), run::toString);
            assertTrue(run.isOneLineOfError() && run.err().contains("give DATA/GROUP/ID"), run::toString);
        }
    }

    private List<String> damaged(String id) throws IOException {
        List<String> names = new ArrayList<>();
        for (JsonNode file : files(id)) {
            if (file.path("condition").asText().equals("damaged")) {
                names.add(file.path("file").asText());
            }
        }
        return names;
    }

    private String condition(String id, String name) throws IOException {
        String condition = "";
        for (JsonNode file : files(id)) {
            condition = file.path("file").asText().equals(name)
                    ? file.path("condition").asText()
                    : condition;
        }
        return condition;
    }

    private JsonNode files(String id) throws IOException {
        Run run = Run.of("verify", group.folder(id).toString(), "--json", "-");
        return new ObjectMapper().readTree(run.out()).path("files");
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    private Run recover(String id, String typed) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream((typed + "\n").getBytes(UTF_8)));
        try {
            return Run.of("recover", group.folder(id).toString(), "--force-new-group");
        } finally {
            System.setIn(before);
        }
    }

    /** Calls so often; the first one answers that it is this one. */
    private void call(int times, int number) {
        try (AmoClient client = group.client(Member.format(members))) {
            for (int i = 0; i < times; i++) {
                assertEquals(number + i, JavaGroup.call(client));
            }
        }
    }

    /** @return the number of the last call */
    private int callUntil(AtomicBoolean over, int number) {
        try (AmoClient client = group.client(Member.format(first))) {
            int next = number;
            while (!over.get()) {
                assertEquals(next, JavaGroup.call(client));
                next++;
            }
            return next - 1;
        }
    }
}
