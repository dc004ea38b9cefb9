package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.request.Refusal;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Members whose disk has no room take no requests, say so, and go on by themselves when there is room (docs/how-to/mend-a-full-disk.md). */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
final class FullDiskTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final byte[] REQUEST = new byte[30_000];

    @TempDir
    private Path folder = Path.of("unset");

    private Path small = Path.of("unset");
    private boolean mounted;
    private final String members = Member.format(FreePorts.members(3));
    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();
    private final Map<String, AtomicLong> runs = new ConcurrentHashMap<>();

    @BeforeEach
    void mountASmallDisk() throws Exception {
        small = Files.createDirectory(folder.resolve("disk"));
        mounted = run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small.toString());
        assumeTrue(mounted, "this user may not mount a small file system");
    }

    @AfterEach
    void close() throws Exception {
        replicas.values().forEach(AmoReplica::close);
        if (mounted) {
            run("umount", "--lazy", small.toString());
        }
    }

    @Test
    void aMemberWithoutRoomStandsAsideAndCatchesUpByItself() throws Exception {
        start(Map.of("a", folder, "b", folder, "c", small));
        try (AmoClient client = client()) {
            client.call(REQUEST);
            fill();
            long calls = 1 + callUntilFull(client, "c");
            for (int i = 0; i < 20; i++, calls++) {
                client.call(REQUEST);
            }
            assertEquals(List.of("", ""), List.of(trouble("a"), trouble("b")));
            makeRoom();
            long all = calls;
            await().atMost(BOUND)
                    .until(() -> trouble("c").isEmpty()
                            && List.of(ran("a"), ran("b"), ran("c")).equals(List.of(all, all, all)));
        }
    }

    @Test
    void aGroupWithoutRoomRefusesCallsAndGoesOnByItself() throws Exception {
        start(Map.of("a", small, "b", small, "c", small));
        try (AmoClient client = client()) {
            client.call(REQUEST);
            fill();
            assertEquals(Optional.of(Refusal.OVERLOADED), callUntilRefused(client));
            await().atMost(BOUND).until(() -> replicas.keySet().stream()
                    .anyMatch(id -> trouble(id).contains("disk is full")));
            makeRoom();
            await().atMost(BOUND).until(() -> replicas.keySet().stream()
                    .allMatch(id -> trouble(id).isEmpty()));
            client.call(REQUEST);
            await().atMost(BOUND).until(() -> ran("a") == ran("b") && ran("b") == ran("c"));
        }
    }

    @Test
    void aLeaderWithRoomStepsDownWhenItsFollowersHaveNone() throws Exception {
        start(Map.of("a", folder, "b", small, "c", small));
        letALead();
        try (AmoClient client = client()) {
            client.call(REQUEST);
            fill();
            assertEquals(Optional.of(Refusal.OVERLOADED), callUntilRefused(client));
            await().atMost(BOUND).until(() -> leader().isEmpty());
            // A full member must not become leader meanwhile.
            await().during(Duration.ofSeconds(4)).atMost(BOUND).until(() -> leader().isEmpty());
            assertEquals("", trouble("a"));
            makeRoom();
            await().atMost(BOUND).until(() -> replicas.keySet().stream()
                    .allMatch(id -> trouble(id).isEmpty()));
            client.call(REQUEST);
        }
    }

    private void letALead() {
        await().atMost(BOUND).until(() -> !leader().isEmpty());
        while (!leader().equals("a")) {
            String other = leader();
            replicas.get(other).close();
            await().atMost(BOUND).until(() -> !leader().isEmpty() && !leader().equals(other));
            replicas.put(other, start(other, small));
        }
    }

    private String leader() {
        return replicas.get("a").status().leader();
    }

    private static Optional<Refusal> callUntilRefused(AmoClient client) throws Exception {
        for (int unknown = 0; unknown < 6; ) {
            try {
                client.call(REQUEST, Duration.ofSeconds(2));
            } catch (AmoNotExecutedException e) {
                return e.reason();
            } catch (AmoUnknownException e) {
                // It is in the log of a leader whose followers have no room.
                unknown++;
            }
        }
        return Optional.empty();
    }

    private long callUntilFull(AmoClient client, String id) throws Exception {
        long calls = 0;
        while (!trouble(id).contains("its disk is full, and it takes no requests until there is room; make some")) {
            client.call(REQUEST);
            calls++;
        }
        return calls;
    }

    private String trouble(String id) {
        return replicas.get(id).status().trouble();
    }

    private long ran(String id) {
        return runs.get(id).get();
    }

    private AmoClient client() {
        return AmoClient.builder("small")
                .members(members)
                .insecure()
                .deadline(Duration.ofSeconds(20))
                .build();
    }

    private void start(Map<String, Path> data) throws Exception {
        Map<String, CompletableFuture<AmoReplica>> starting = new LinkedHashMap<>();
        data.forEach((id, place) -> starting.put(
                id, CompletableFuture.supplyAsync(() -> start(id, place), task -> new Thread(task).start())));
        for (Map.Entry<String, CompletableFuture<AmoReplica>> each : starting.entrySet()) {
            replicas.put(each.getKey(), each.getValue().get(30, TimeUnit.SECONDS));
        }
    }

    private AmoReplica start(String id, Path data) {
        AtomicLong count = new AtomicLong();
        runs.put(id, count);
        return AmoReplica.builder("small")
                .id(id)
                .members(members)
                .data(data)
                .log(ReplicaSettings.Log.FSYNC)
                .insecure()
                .handler((request, context) ->
                        Long.toString(count.incrementAndGet()).getBytes(UTF_8))
                .start();
    }

    private void fill() throws IOException {
        Path ballast = small.resolve("ballast");
        Files.createFile(ballast);
        for (int block = 1 << 16; block >= 1 << 10; ) {
            try {
                Files.write(ballast, new byte[block], StandardOpenOption.APPEND);
            } catch (IOException noRoom) {
                block /= 2;
            }
        }
    }

    private void makeRoom() throws IOException {
        Files.delete(small.resolve("ballast"));
    }

    private static boolean run(String... words) throws Exception {
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    }
}
