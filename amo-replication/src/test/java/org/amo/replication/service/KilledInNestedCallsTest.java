package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.amo.replication.service.ChainMember.Back;
import org.amo.replication.service.ChainMember.Front;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group of three processes that calls another group of three; members of both are killed in the middle of calls. */
@Timeout(300)
class KilledInNestedCallsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> IDS = List.of("a", "b", "c");
    private static final int THREADS = 3;
    private static final int FEWEST_CALLS = 10;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** One of each group in each round, the leaders first. */
    private static final int ROUNDS = Boolean.getBoolean("amo.allSeeds") ? 3 : 1;

    @TempDir
    Path folder;

    private final List<SupervisedMember> fronts = new ArrayList<>();
    private final List<SupervisedMember> backs = new ArrayList<>();
    private final List<AmoClient> clients = new ArrayList<>();
    private final AtomicLong made = new AtomicLong();
    /** On two processors the common pool of JDK 25 has one thread, which the kills take. */
    private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.factory("amo-test-calls"));

    private String frontMembers = "";
    private String backMembers = "";

    @BeforeEach
    void start() throws Exception {
        List<Member> ports = FreePorts.members(6);
        List<Member> front = new ArrayList<>();
        List<Member> back = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Member one = ports.get(i);
            Member other = ports.get(i + 3);
            front.add(new Member(IDS.get(i), one.host(), one.orderPort(), one.clientPort()));
            back.add(new Member(IDS.get(i), other.host(), other.orderPort(), other.clientPort()));
        }
        frontMembers = Member.format(front);
        backMembers = Member.format(back);
        Path ofFront = Files.createDirectories(folder.resolve("front"));
        Path ofBack = Files.createDirectories(folder.resolve("back"));
        for (String id : IDS) {
            backs.add(new SupervisedMember(ChainMember.class, "back", id, backMembers, ofBack.toString()));
        }
        for (String id : IDS) {
            fronts.add(new SupervisedMember(
                    ChainMember.class, "front", id, frontMembers, ofFront.toString(), backMembers));
        }
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
        clients.forEach(AmoClient::close);
        fronts.forEach(SupervisedMember::end);
        backs.forEach(SupervisedMember::end);
    }

    private AmoClient client(String group, String members) {
        AmoClient client = AmoClient.builder(group)
                .members(members)
                .insecure()
                .deadline(PATIENCE)
                .build();
        clients.add(client);
        return client;
    }

    @Test
    void eachCallRunsOnceAtEachLevel() throws Exception {
        Front front = client("front", frontMembers).proxy(Front.class);
        Back back = client("back", backMembers).proxy(Back.class);
        assertEquals(0, back.total());
        front.move();
        int frontLeader = leader(fronts);
        int backLeader = leader(backs);
        CompletableFuture<Void> killing = CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        SupervisedMember oneFront = fronts.get((frontLeader + i) % IDS.size());
                        SupervisedMember oneBack = backs.get((backLeader + i) % IDS.size());
                        oneFront.kill();
                        awaitMoreCalls();
                        oneBack.kill();
                        awaitUp(oneFront);
                        awaitUp(oneBack);
                    }
                },
                threads);
        List<CompletableFuture<Integer>> calling = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            calling.add(CompletableFuture.supplyAsync(
                    () -> {
                        int calls = 0;
                        while (calls < FEWEST_CALLS || !killing.isDone()) {
                            front.move();
                            made.incrementAndGet();
                            calls++;
                            // At full speed the calls would take the processors from the members that start.
                            LockSupport.parkNanos(PAUSE_NANOS);
                        }
                        return calls;
                    },
                    threads));
        }
        long moves = 1;
        for (CompletableFuture<Integer> each : calling) {
            moves += each.get(200, TimeUnit.SECONDS);
        }
        killing.get(60, TimeUnit.SECONDS);
        assertEquals(2 * moves, back.total());
        assertEquals(moves, front.moves());
        awaitEqual(fronts);
        awaitEqual(backs);
        System.out.println(2 * moves + " nested calls, " + 2 * ROUNDS + " kills, back counted " + back.total());
    }

    private static int leader(List<SupervisedMember> members) {
        return Awaitility.await().atMost(PATIENCE).until(() -> toldBy(members.get(0)), place -> place >= 0);
    }

    /** The place of the leader; -1 if the member tells of none. */
    private static int toldBy(SupervisedMember member) {
        String line = member.ask().orElse("");
        return IDS.indexOf(line.substring(line.lastIndexOf(' ') + 1));
    }

    /** One of them begins after this was called. */
    private void awaitMoreCalls() {
        long before = made.get();
        Awaitility.await().atMost(PATIENCE).until(() -> made.get() > before + THREADS);
    }

    private static void awaitUp(SupervisedMember member) {
        Awaitility.await().atMost(PATIENCE).until(() -> member.ask().isPresent());
    }

    private static void awaitEqual(List<SupervisedMember> members) {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            List<Optional<String>> said =
                    members.stream().map(SupervisedMember::ask).distinct().toList();
            return said.size() == 1 && said.get(0).isPresent();
        });
    }
}
