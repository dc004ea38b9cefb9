package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.amo.replication.service.PassiveMember.Draws;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three members of style passive in processes of their own, each started again whenever it ends, as a supervisor would. One group
 * serves all tests.
 */
@Timeout(240)
final class PassiveMembersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int THREADS = 8;
    private static final int KILLS = Boolean.getBoolean("amo.allSeeds") ? 6 : 1;

    @TempDir
    private static Path folder = Path.of("unset");

    private static final Map<String, SupervisedMember> members = new TreeMap<>();
    private static String list = "";

    @BeforeAll
    static void start() {
        List<Member> all = FreePorts.members(3);
        list = Member.format(all);
        all.forEach(member -> members.put(
                member.id(), new SupervisedMember(PassiveMember.class, member.id(), list, folder.toString())));
    }

    @AfterAll
    static void end() {
        members.values().forEach(SupervisedMember::end);
    }

    private AmoClient client() {
        return AmoClient.builder("draws")
                .members(list)
                .insecure()
                .deadline(Duration.ofSeconds(60))
                .build();
    }

    private Optional<String> primary() {
        return members.values().stream()
                .flatMap(member -> member.ask().stream())
                .map(line -> line.replaceFirst(".* primary ?", ""))
                .filter(id -> !id.isEmpty())
                .findFirst();
    }

    private void awaitEqual() {
        await().atMost(PATIENCE).until(() -> {
            Set<Optional<String>> told =
                    members.values().stream().map(SupervisedMember::ask).collect(Collectors.toSet());
            return told.size() == 1 && !told.contains(Optional.<String>empty());
        });
    }

    @Test
    void eachCallRunsOnceWhileThePrimaryIsKilledUnderLoad() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (AmoClient client = client()) {
            Draws draws = client.proxy(Draws.class);
            draws.draw("first");
            int drawnBefore = draws.drawn().size();
            AtomicInteger calls = new AtomicInteger();
            AtomicInteger round = new AtomicInteger();
            List<CompletableFuture<Map<String, Long>>> load = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                load.add(CompletableFuture.supplyAsync(
                        () -> {
                            Map<String, Long> told = new HashMap<>();
                            while (round.get() < KILLS) {
                                String call = "call" + calls.incrementAndGet();
                                told.put(call, draws.draw(call));
                            }
                            return told;
                        },
                        threads));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                int before = calls.get();
                await().atMost(PATIENCE).until(() -> calls.get() > before + 50);
                await().atMost(PATIENCE).until(() -> primary().isPresent());
                members.get(primary().orElseThrow()).kill();
                int at = calls.get();
                await().atMost(PATIENCE).until(() -> calls.get() > at + 50);
                round.incrementAndGet();
            }
            Map<String, Long> told = new HashMap<>();
            for (CompletableFuture<Map<String, Long>> thread : load) {
                told.putAll(thread.get(60, TimeUnit.SECONDS));
            }
            Map<String, Long> drawn = draws.drawn();
            told.forEach((call, number) -> assertEquals(number, drawn.get(call), call));
            assertEquals(drawnBefore + calls.get(), drawn.size());
            awaitEqual();
            System.out.println(calls.get() + " calls, " + KILLS + " kills of the primary, ends "
                    + members.values().stream().map(SupervisedMember::exits).toList());
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    @Tag("slow")
    void aRequestThatEndsThePrimaryIsSkippedAndTheGroupGoesOn() throws Exception {
        try (AmoClient client = client()) {
            Draws draws = client.proxy(Draws.class);
            draws.draw("before");
            awaitEqual();
            members.values().forEach(SupervisedMember::forget);
            Set<String> drawn = new HashSet<>(draws.drawn().keySet());
            assertThrows(AmoNotExecutedException.class, () -> draws.deadly(0));
            draws.draw("behind");
            drawn.add("behind");
            assertEquals(drawn, draws.drawn().keySet());
            awaitEqual();
            List<List<Integer>> exits =
                    members.values().stream().map(SupervisedMember::exits).toList();
            assertTrue(exits.stream().anyMatch(ends -> !ends.isEmpty()), "ends: " + exits);
            System.out.println("ends before the verdict: " + exits);
        }
    }

    @Test
    void aBackupThatCannotApplyAnUpdateLeavesAndRejoinsWithTheStateOfAnotherMember() throws Exception {
        try (AmoClient client = client()) {
            Draws draws = client.proxy(Draws.class);
            draws.draw("applied");
            awaitEqual();
            await().atMost(PATIENCE).until(() -> primary().isPresent());
            String primary = primary().orElseThrow();
            String id = members.keySet().stream()
                    .filter(each -> !each.equals(primary))
                    .findFirst()
                    .orElseThrow();
            SupervisedMember backup = members.get(id);
            members.values().forEach(SupervisedMember::forget);
            Map<String, Long> drawn = new HashMap<>(draws.drawn());
            Path broken = Files.createFile(folder.resolve("broken-" + id));
            drawn.put("not applied", draws.draw("not applied"));
            await().atMost(PATIENCE).until(() -> backup.hasSaid("cannot apply the update at "));
            drawn.put("meanwhile", draws.draw("meanwhile"));
            await().atMost(PATIENCE).until(() -> backup.hasSaid("has taken the state of another member"));
            await().atMost(PATIENCE).until(() -> backup.exits().equals(List.of(3)));
            assertTrue(Files.notExists(broken), "an update failed once");
            drawn.put("rejoined", draws.draw("rejoined"));
            assertEquals(drawn, draws.drawn());
            awaitEqual();
            members.forEach((member, process) ->
                    assertEquals(member.equals(id) ? List.of(3) : List.of(), process.exits(), member));
        }
    }
}
