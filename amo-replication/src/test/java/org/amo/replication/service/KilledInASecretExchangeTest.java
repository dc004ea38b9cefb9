package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.amo.replication.service.SecretSteps.BOTH;
import static org.amo.replication.service.SecretSteps.NEW;
import static org.amo.replication.service.SecretSteps.OLD;
import static org.amo.replication.service.SecretSteps.SWITCHED;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.replication.ChildJvm;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member is killed between the steps of an exchange of the secret, and comes back with the file of an earlier step. */
@Tag("slow")
@Timeout(180)
final class KilledInASecretExchangeTest {
    private static final Duration LIMIT = Duration.ofSeconds(40);

    @TempDir
    Path folder;

    private final List<Member> members = FreePorts.members(3);
    private final String list = Member.format(members);
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private final PacedCalls load = new PacedCalls();
    private SecretSteps steps = new SecretSteps(Path.of(""));
    private int outputs;
    private final Map<String, Path> said = new LinkedHashMap<>();

    @BeforeEach
    void start() {
        steps = new SecretSteps(folder);
        steps.write("client", OLD);
        for (Member member : members) {
            steps.write(member.id(), OLD);
            start(member.id());
        }
    }

    @AfterEach
    void end() {
        load.close();
        processes.values().forEach(Process::destroyForcibly);
    }

    private void start(String id) {
        Path output = folder.resolve("said-" + id + "-" + outputs++);
        List<String> words = new ArrayList<>(ChildJvm.words(List.of("-Xmx96m")));
        words.addAll(List.of(
                SecretMember.class.getName(),
                id,
                list,
                folder.toString(),
                steps.file(id).toString()));
        try {
            processes.put(
                    id,
                    new ProcessBuilder(words)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        said.put(id, output);
    }

    private void kill(String id) throws InterruptedException {
        Process process = processes.get(id);
        process.destroyForcibly();
        assertTrue(process.waitFor(20, TimeUnit.SECONDS));
    }

    private String output(String id) {
        try {
            return Files.readString(said.get(id));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks until an answer has the words. */
    private void awaitStatus(String id, String words) {
        await().atMost(LIMIT).until(() -> {
            OutputStream in = processes.get(id).getOutputStream();
            in.write('\n');
            in.flush();
            return output(id)
                    .lines()
                    .filter(line -> line.startsWith("at "))
                    .reduce((before, last) -> last)
                    .filter(line -> line.contains(words))
                    .isPresent();
        });
    }

    private void step(String text, String words, String... ids) {
        for (String id : ids) {
            steps.write(id, text);
        }
        steps.write("client", text);
        for (String id : ids) {
            awaitStatus(id, words);
        }
    }

    @Test
    void aMemberKilledBetweenTheStepsComesBackOrIsRefusedInOneLineAndNoCallFails() throws Exception {
        String a = members.get(0).id();
        String b = members.get(1).id();
        String c = members.get(2).id();
        try (AmoClient client = AmoClient.builder("count")
                .members(list)
                .deadline(Duration.ofSeconds(40))
                .secretFile(steps.file("client"))
                .build()) {
            client.call(new byte[] {1});
            load.begin(client);
            step(BOTH, "accepted 2 changes 1", a, b, c);
            kill(c);
            step(SWITCHED, "accepted 2 changes 2", a, b);
            // With the file of the first step it is let in: all accept both.
            start(c);
            awaitStatus(c, "leader " + leaderOf(a));
            kill(c);
            step(NEW, "accepted 1 changes 3", a, b);
            start(c);
            // It seals with the old secret. Each side names the cause and the remedy, in one line.
            await().atMost(LIMIT).until(() -> countOf(a) + countOf(b) >= 1);
            assertTrue(countOf(a) <= 1 && countOf(b) <= 1, output(a) + output(b));
            awaitStatus(c, "leader ");
            steps.write(c, NEW);
            awaitStatus(c, "leader " + leaderOf(a));
            load.awaitMore();
            int begun = load.end();
            assertEquals(begun + 2L, Long.parseLong(new String(client.call(new byte[] {1}), UTF_8)));
        }
        for (Path output : List.copyOf(said.values())) {
            String text = Files.readString(output);
            assertTrue(!text.contains(OLD) && !text.contains(NEW), text);
        }
    }

    private long countOf(String id) {
        return output(id)
                .lines()
                .filter(line -> line.contains("was not sealed with this group's secret")
                        && line.contains("give it the secret file"))
                .count();
    }

    private String leaderOf(String id) {
        awaitStatus(id, "leader ");
        String last = output(id)
                .lines()
                .filter(line -> line.startsWith("at "))
                .reduce((before, next) -> next)
                .orElseThrow();
        return last.substring(last.lastIndexOf("leader ") + "leader ".length());
    }
}
