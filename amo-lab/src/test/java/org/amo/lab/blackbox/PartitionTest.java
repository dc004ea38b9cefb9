package org.amo.lab.blackbox;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.examples.bank.BankServer;
import org.amo.lab.cluster.Watch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The member that leads is cut off from the others, not from the client: what it orders nobody has, so it executes
 * nothing and says what is true, while the others go on; healed, it comes back by itself.
 */
@Timeout(240)
final class PartitionTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final List<String> IDS = List.of("a", "b", "c");

    @TempDir
    private Path folder = Path.of("unset");

    private Optional<Namespaces> network = Optional.empty();
    private final Map<String, MemberProcess> members = new LinkedHashMap<>();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private Optional<Process> client = Optional.empty();

    @BeforeEach
    void start() {
        assumeTrue(
                new File("/proc/self/ns/net").exists() && Namespaces.permitted(),
                "this machine does not let us make network namespaces");
        Namespaces made = Namespaces.of("a", "b", "c", "client");
        network = Optional.of(made);
        List<Member> list = IDS.stream()
                .map(id -> new Member(id, made.address(id), 7801, 9801))
                .toList();
        for (Member member : list) {
            MemberProcess process = new MemberProcess(member, folder);
            members.put(member.id(), process);
            process.start(made.at(member.id(), server(process, list)));
        }
        await().atMost(BOUND).until(() -> members.get("a").reference().toFile().exists());
        startClient(made, list);
        await().atMost(BOUND).until(() -> IDS.stream()
                .allMatch(id -> status(id).path("orderedTimeMillis").asLong() > 0
                        && !status(id).path("leader").asText().isEmpty()));
    }

    @AfterEach
    void stop() {
        client.ifPresent(Process::destroyForcibly);
        members.values().forEach(MemberProcess::kill);
        network.ifPresent(Namespaces::close);
    }

    @Test
    void aLeaderWithoutAMajorityExecutesNothingSaysWhatIsTrueAndComesBackByItself() {
        String cutOff = status("a").path("leader").asText();
        List<String> others = IDS.stream().filter(id -> !id.equals(cutOff)).toList();
        tell("load");
        await().atMost(BOUND).until(() -> oks() > 20);
        // Not before: the time of a group that orders nothing stands still.
        ask("learn " + cutOff);

        network.orElseThrow().cut(cutOff, others);

        String first = ask("raw " + cutOff + " 1 3000");
        // Behind an entry of the load that is under way it may never have been handed over, and then that is certain.
        boolean certain = first.endsWith("REFUSED OVERLOADED");
        assertTrue(certain || first.contains(" UNKNOWN "), first);
        await().atMost(BOUND).until(() -> status(cutOff).path("leader").asText().isEmpty());
        long executed = status(cutOff).path("executed").asLong();
        String second = ask("raw " + cutOff + " 2 3000");
        assertTrue(second.endsWith("REFUSED OVERLOADED"), "it certainly did not run: " + second);
        int before = oks();
        await().atMost(BOUND).until(() -> oks() > before + 50);
        assertEquals(executed, status(cutOff).path("executed").asLong(), "a minority never executes");
        String leader = status(others.get(0)).path("leader").asText();
        assertTrue(others.contains(leader), leader);

        network.orElseThrow().heal(cutOff, others);

        await().atMost(BOUND).until(() -> status(cutOff).path("executed").asLong() > executed + 50);
        tell("rest");
        await().atMost(BOUND)
                .until(() -> IDS.stream()
                                .map(id -> status(id).path("executedPosition").asText() + " "
                                        + status(id).path("digest").asText())
                                .distinct()
                                .count()
                        == 1);
        assertEquals(
                List.of(),
                said.stream()
                        .filter(line -> line.startsWith("EXC") || line.startsWith("WRO"))
                        .toList());
        String firstId = first.split(" ", -1)[1];
        String secondId = second.split(" ", -1)[1];
        for (MemberProcess member : members.values()) {
            assertTrue(member.executions(firstId) <= (certain ? 0 : 1), first);
            assertEquals(0, member.executions(secondId), "what was said not to have run did not");
        }
    }

    private int oks() {
        return (int) said.stream().filter(line -> line.startsWith("ok ")).count();
    }

    private JsonNode status(String id) {
        String answer = ask("status " + id);
        try {
            return new ObjectMapper().readTree(answer.equals("status none") ? "{}" : answer.substring(7));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Tells the client something and waits for what it says to that. */
    private String ask(String command) {
        String kind = command.substring(0, command.indexOf(' '));
        List<String> before = answers(kind);
        tell(command);
        await().atMost(BOUND)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> answers(kind).size() > before.size());
        List<String> now = answers(kind);
        return now.get(now.size() - 1);
    }

    private List<String> answers(String kind) {
        return said.stream().filter(line -> line.startsWith(kind)).toList();
    }

    private void tell(String command) {
        try {
            BufferedWriter out = new BufferedWriter(
                    new OutputStreamWriter(client.orElseThrow().getOutputStream(), StandardCharsets.UTF_8));
            out.write(command + "\n");
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void startClient(Namespaces made, List<Member> list) {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                PartitionClient.class.getName(),
                Member.format(list),
                members.get("a").reference().toString()));
        try {
            Process process = new ProcessBuilder(made.at("client", words))
                    .redirectErrorStream(true)
                    .start();
            client = Optional.of(process);
            Thread reading = new Thread(() -> {
                try (BufferedReader in =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                    for (String line = in.readLine(); line != null; line = in.readLine()) {
                        said.add(line);
                    }
                } catch (IOException e) {
                    said.add("closed " + e);
                }
            });
            reading.setDaemon(true);
            reading.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> server(MemberProcess process, List<Member> list) {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(List.of(
                "-Damo.defaultDeadlineMillis=10000",
                "-cp",
                BankCluster.location(BankServer.class) + File.pathSeparator + BankCluster.location(Watch.PROGRAM),
                Watch.PROGRAM.getName(),
                BankServer.class.getName(),
                process.reference().toString()));
        return new ServerWrap(
                        "partition",
                        process.id(),
                        list,
                        folder,
                        Order.RAFT,
                        Log.FILE,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(process.nextHistory()))
                .applyWithAgent(JavaCommandLine.parse(words, Optional.empty()))
                .words();
    }
}
