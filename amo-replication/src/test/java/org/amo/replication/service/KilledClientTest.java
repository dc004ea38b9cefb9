package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.ChildJvm;
import org.amo.replication.FreePorts;
import org.amo.replication.service.LedgerClient.Tally;
import org.amo.replication.service.LedgerClient.TallyService;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client's process is killed in the middle of calls, again and again; its ledger then equals the service's. */
final class KilledClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long SEED = 20_261_128;
    private static final int MOST_CALLS_BETWEEN = 60;

    /** One kill of so many comes while calls are recovered. */
    private static final int IN_RECOVERY = 5;

    @TempDir
    Path folder;

    private final List<TallyService> services = new ArrayList<>();
    private final List<AmoReplica> members = new ArrayList<>();
    private String list = "";

    @BeforeEach
    void start() throws Exception {
        list = Member.format(FreePorts.members(3));
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (Member member : Member.parseList(list)) {
            TallyService service = new TallyService();
            services.add(service);
            starting.add(CompletableFuture.supplyAsync(() -> AmoReplica.builder("tally")
                    .id(member.id())
                    .members(list)
                    .data(folder.resolve("data"))
                    .log(ReplicaSettings.Log.MEMORY)
                    .insecure()
                    .service(Tally.class, service)
                    .start()));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            members.add(each.get(60, TimeUnit.SECONDS));
        }
    }

    @AfterEach
    void end() {
        members.forEach(AmoReplica::close);
    }

    @Test
    @Timeout(120)
    void theLedgerOfAKilledClientEqualsTheServices() throws Exception {
        kill(6);
    }

    @Test
    @Tag("slow")
    @Timeout(1_800)
    void theSameAfterTwoHundredKills() throws Exception {
        kill(200);
    }

    private void kill(int kills) throws Exception {
        Random random = new Random(SEED);
        Path ledger = folder.resolve("ledger");
        for (int i = 1; i <= kills; i++) {
            long before = lines(ledger);
            Path said = folder.resolve("said-" + i);
            Process client = client(said);
            if (i % IN_RECOVERY == 0) {
                Awaitility.await().atMost(PATIENCE).until(() -> Files.readString(said)
                        .contains("up"));
            } else {
                long enough = before + 1 + random.nextInt(MOST_CALLS_BETWEEN);
                Awaitility.await()
                        .atMost(PATIENCE)
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(2))
                        .until(() -> lines(ledger) >= enough);
            }
            client.destroyForcibly();
            assertTrue(client.waitFor(60, TimeUnit.SECONDS));
        }
        Files.createFile(folder.resolve("finish"));
        Path said = folder.resolve("said-last");
        Process last = client(said);
        assertTrue(last.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, last.exitValue(), () -> text(said));
        Map<String, String> ledgerNow = LedgerClient.read(ledger);
        int recovered = 0;
        for (int i = 1; i <= kills; i++) {
            recovered += recovered(folder.resolve("said-" + i));
        }
        recovered += recovered(said);
        TallyService leader = services.stream()
                .max(Comparator.comparingInt(each -> each.results().size()))
                .orElseThrow();
        System.out.println(kills + " kills, " + recovered + " calls recovered, " + ledgerNow.size()
                + " lines in the ledger, " + leader.results().size() + " keys at the service, " + leader.twice()
                + " twice");
        assertTrue(recovered >= kills, "calls were open at the kills: " + recovered);
        assertEquals(leader.results(), ledgerNow, "lost, or unknown");
        assertEquals(0, leader.twice());
        assertEquals(List.of("lock"), names(folder.resolve("identity")), "nothing is left open");
    }

    private Process client(Path said) throws IOException {
        List<String> words = ChildJvm.words(List.of("-Xmx64m"));
        words.addAll(List.of(LedgerClient.class.getName(), list, folder.toString()));
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
    }

    private static long lines(Path ledger) throws IOException {
        if (!Files.exists(ledger)) {
            return 0;
        }
        byte[] text = Files.readAllBytes(ledger);
        long lines = 0;
        for (byte next : text) {
            if (next == '\n') {
                lines++;
            }
        }
        return lines;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static int recovered(Path said) {
        return (int)
                text(said).lines().filter(line -> line.startsWith("recovered")).count();
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> files = Files.list(in)) {
            return files.map(each -> String.valueOf(each.getFileName())).toList();
        }
    }
}
