package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.amo.core.order.LogHealth;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A member of three with damaged files, among members that go on. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
final class DamagedMemberTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final List<String> IDS = List.of("a", "b", "c");

    @TempDir
    private Path data = Path.of("unset");

    private final String group = Groups.freshName();
    private final List<Member> members = FreePorts.members(3);
    private final Map<String, RaftLog> logs = new HashMap<>();
    private final Map<String, Recorder> recorders = new HashMap<>();
    private final SplittableRandom random = new SplittableRandom(31);
    private final AtomicBoolean loading = new AtomicBoolean();
    private int submitted;

    @AfterEach
    void close() {
        loading.set(false);
        logs.values().forEach(RaftLog::close);
    }

    @Test
    void aMemberIsRepairedWhileEntriesAreOrdered() throws Exception {
        flipUnderLoad(5);
    }

    @Test
    @Tag("slow")
    void aMemberIsRepairedWhileEntriesAreOrderedAHundredTimes() throws Exception {
        flipUnderLoad(100);
    }

    private void flipUnderLoad(int flips) throws Exception {
        startAll();
        submit(50);
        awaitDelivered(50, IDS);
        loading.set(true);
        Thread load = new Thread(this::load, "load");
        load.start();
        int abstained = 0;
        for (int i = 0; i < flips; i++) {
            if (i % 3 == 1) {
                assertTrue(log("c").compact(recorder("c").snapshot()));
            }
            close("c");
            flipSomewhere();
            start("c");
            abstained += log("c").raft().abstains() ? 1 : 0;
            int reached = recorder("a").entries().size();
            awaitDelivered(reached, List.of("c"));
            await().atMost(BOUND).until(() -> !log("c").raft().abstains());
            assertEquals(List.of(), recorder("c").endings());
        }
        loading.set(false);
        load.join();
        await().atMost(BOUND).until(() -> {
            List<String> there = recorder("a").entries();
            return there.equals(recorder("b").entries())
                    && there.equals(recorder("c").entries());
        });
        int all = recorder("a").entries().size();
        System.out.printf("%d flips under load of %d entries: %d seen abstaining%n", flips, all, abstained);
        assertTrue(all > 50, "the load went on");
        List<String> expected = recorder("a").entries();
        assertEquals(expected.size(), new HashSet<>(expected).size(), "nothing twice");
        assertEquals(expected, recorder("b").entries());
        assertEquals(expected, recorder("c").entries());
    }

    @Test
    void aMemberThatLostAnAcknowledgedEntryDoesNotVoteUntilItHasItAgain() throws Exception {
        startAll();
        submit(20);
        awaitDelivered(20, IDS);
        IDS.forEach(this::close);
        flip(file("c", EntryFile.NAME), lastRecord("c") + LogRecord.HEAD + 1);

        start("a");
        start("c");
        assertTrue(log("c").raft().abstains());
        String trouble = log("c").health().trouble();
        assertTrue(trouble.contains("damaged the log") && trouble.contains("a majority without damage"), trouble);
        long term = log("a").raft().currentTerm();
        await().atMost(BOUND).until(() -> log("a").raft().currentTerm() > term + 2);
        assertEquals("", recorder("a").leader(), "its vote would be the second of a majority");
        assertEquals("", recorder("c").leader());

        start("b");
        awaitOneMore();
        await().atMost(BOUND).until(() -> !log("c").raft().abstains());
        assertEquals(new LogHealth("", 1), log("c").health());
        assertEquals(LogHealth.SOUND, log("a").health());
        assertFalse(Files.exists(file("c", "entries.damaged")));
        awaitSameEntries();
    }

    @Test
    void aMemberThatLostItsTermAndVoteComesBackWhenAllOthersHaveToldTheirs() throws Exception {
        startAll();
        submit(20);
        awaitDelivered(20, IDS);
        IDS.forEach(this::close);
        flip(file("c", StateFile.NAME), 17);
        flip(file("c", StateFile.NAME), 4096 + 17);

        start("a");
        start("c");
        long term = log("a").raft().currentTerm();
        await().atMost(BOUND).until(() -> log("a").raft().currentTerm() > term + 2);
        assertTrue(log("c").raft().abstains());
        String trouble = log("c").health().trouble();
        assertTrue(trouble.contains("all other members have to run"), trouble);
        start("b");
        awaitOneMore();
        await().atMost(BOUND).until(() -> !log("c").raft().abstains());
        assertTrue(log("c").raft().currentTerm() >= term);
        awaitSameEntries();
    }

    /** It may have voted in the last term that the others know. A process killed at any sync must not leave that term known and the vote open. */
    @Test
    void aTermThatTheOthersToldIsNeverStoredWithoutTheVoteInIt() throws Exception {
        startAll();
        submit(20);
        awaitDelivered(20, IDS);
        IDS.forEach(this::close);
        flip(file("c", StateFile.NAME), 17);
        flip(file("c", StateFile.NAME), 4096 + 17);

        Queue<byte[]> images = new ConcurrentLinkedQueue<>();
        start("a");
        start("b");
        start("c", new FaultHooks() {
            @Override
            public void beforeSync(ReplicaSettings settings) throws IOException {
                if (Files.exists(file("c", StateFile.NAME))) {
                    images.add(Files.readAllBytes(file("c", StateFile.NAME)));
                }
            }
        });
        await().atMost(BOUND).until(() -> !log("c").raft().abstains());
        List<MemberState> known = images.stream()
                .flatMap(DamagedMemberTest::newest)
                .filter(DamagedMemberTest::knowsItsTermAgain)
                .toList();
        assertFalse(known.isEmpty(), "it asked and was told");
        assertEquals(
                List.of(),
                known.stream().filter(state -> state.vote().length == 0).toList(),
                "it would vote again");
    }

    /** The state that a start reads. */
    private static Stream<MemberState> newest(byte[] image) {
        ByteBuffer bytes = ByteBuffer.wrap(image);
        return Stream.of(MemberState.read(bytes, 0), MemberState.read(bytes, 4096))
                .flatMap(Optional::stream)
                .max(Comparator.comparingLong(MemberState::generation))
                .stream();
    }

    private static boolean knowsItsTermAgain(MemberState state) {
        return state.damage()
                .filter(damage -> damage.termKnown() && damage.term() == state.term())
                .isPresent();
    }

    /** The member would start blank, and its vote would elect a leader without the entries that it acknowledged. */
    @Test
    void aMemberWhoseLogIsGoneDoesNotVoteUntilItHasItAgain() throws Exception {
        startAll();
        submit(20);
        awaitDelivered(20, IDS);
        IDS.forEach(this::close);
        loseLog("c");

        start("a");
        start("c");
        long term = log("a").raft().currentTerm();
        await().atMost(BOUND).until(() -> log("a").raft().currentTerm() > term + 2);
        assertEquals("", recorder("a").leader(), "the vote of c would be the second of a majority");
        assertTrue(log("c").raft().abstains());
        start("b");
        awaitOneMore();
        await().atMost(BOUND).until(() -> !log("c").raft().abstains());
        assertTrue(log("c").raft().currentTerm() >= term);
        awaitSameEntries();
    }

    /** It may have voted for the added member, which it does not know and cannot ask. */
    @Test
    void aMemberThatLostAnAdditionWithItsLogDoesNotComeBack() throws Exception {
        doesNotComeBackAfterAnAddition(() -> loseLog("c"));
    }

    /** The addition is in its log, but nothing tells whether it was committed. */
    @Test
    void aMemberThatLostItsTermAndVoteBehindAnAdditionDoesNotComeBack() throws Exception {
        doesNotComeBackAfterAnAddition(() -> Files.delete(file("c", StateFile.NAME)));
    }

    private void doesNotComeBackAfterAnAddition(Loss loss) throws Exception {
        startAll();
        Member added = FreePorts.members(4).get(3);
        log(recorder("a").leader())
                .changeMembers(MemberChange.of(group, MemberChange.Kind.ADD, added, 0, Optional.empty()))
                .get(20, TimeUnit.SECONDS);
        IDS.forEach(this::close);
        loss.happens();

        IDS.forEach(this::start);
        assertEquals(1, log("a").members().orElseThrow().version());
        long term = log("a").raft().currentTerm();
        await().atMost(BOUND).until(() -> log("a").raft().currentTerm() > term + 2);
        String trouble = log("c").health().trouble();
        assertTrue(trouble.contains("its term and vote are lost"), trouble);
        assertTrue(trouble.contains("does not know the latest change of members for certain"), trouble);
        assertTrue(trouble.contains("has to be replaced"), trouble);
    }

    /** After a loss of power the members would be further apart than the change that the leader orders next. */
    @Test
    void aChangeOfMembersIsOnDiskBeforeItCountsAsApplied() throws Exception {
        AtomicReference<Optional<RaftLog>> changing = new AtomicReference<>(Optional.empty());
        Queue<Long> syncedBefore = new ConcurrentLinkedQueue<>();
        start("a");
        start("b");
        start("c", new FaultHooks() {
            @Override
            public void beforeSync(ReplicaSettings settings) throws IOException {
                boolean before = changing.get()
                        .flatMap(RaftLog::members)
                        .filter(now -> now.version() == 0)
                        .isPresent();
                if (before) {
                    newest(Files.readAllBytes(file("c", StateFile.NAME)))
                            .forEach(state -> syncedBefore.add(state.commit()));
                }
            }
        });
        submit(20);
        awaitDelivered(20, IDS);
        long next = log("c").raft().commitIndex() + 1;
        changing.set(Optional.of(log("c")));
        log(recorder("a").leader())
                .changeMembers(MemberChange.of(
                        group, MemberChange.Kind.ADD, FreePorts.members(4).get(3), 0, Optional.empty()))
                .get(20, TimeUnit.SECONDS);
        assertEquals(1, log("c").members().orElseThrow().version());
        assertTrue(syncedBefore.stream().anyMatch(commit -> commit >= next), next + " is not in " + syncedBefore);
    }

    /** On the disk of a member that is closed. */
    private interface Loss {
        void happens() throws IOException;
    }

    @Test
    void aGroupOfOneWhoseLogIsGoneEndsInsteadOfBeginningAgain() throws Exception {
        members.subList(1, 3).clear();
        start(List.of("a"));
        submit(5);
        awaitDelivered(5, List.of("a"));
        close("a");
        loseLog("a");

        start("a");
        await().atMost(BOUND).until(() -> !recorder("a").endings().isEmpty());
        String why = recorder("a").endings().get(0);
        assertTrue(why.contains("no other member to repair it from"), why);
        assertEquals(List.of(), recorder("a").entries());
    }

    @Test
    void aDamagedSnapshotGivesWayToANewerOne() throws Exception {
        startAll();
        submit(10);
        awaitDelivered(10, IDS);
        assertTrue(log("c").compact(recorder("c").snapshot()));
        SnapshotFile snapshot = new SnapshotFile(file("c", ".").normalize());
        flip(snapshot.path(), Files.size(snapshot.path()) / 2);
        assertThrows(IOException.class, snapshot::read);
        submit(10);
        awaitDelivered(20, IDS);

        assertTrue(log("c").compact(recorder("c").snapshot()));

        assertEquals(20, snapshot.read().orElseThrow().head().position());
        assertFalse(log("c").compact(recorder("c").snapshot()), "not by one that is not newer");
    }

    @Test
    void aLeaderWhoseSnapshotIsDamagedEndsAndAnotherMemberBringsTheThirdOn() throws Exception {
        List<String> two = List.of("a", "b");
        start(two);
        submit(50);
        awaitDelivered(50, two);
        for (String id : two) {
            assertTrue(log(id).compact(recorder(id).snapshot()));
        }
        submit(10);
        awaitDelivered(60, two);
        String leader = recorder("a").leader();
        String other = leader.equals("a") ? "b" : "a";
        flip(file(leader, SnapshotFile.NAME), Files.size(file(leader, SnapshotFile.NAME)) / 2);

        start("c");
        await().atMost(BOUND).until(() -> !recorder(leader).endings().isEmpty());
        String why = recorder(leader).endings().get(0);
        assertTrue(why.contains("is damaged") && why.contains("restart this member"), why);
        awaitDelivered(60, List.of("c"));
        assertEquals(List.of(50L), recorder("c").snapshots());
        assertEquals(recorder(other).entries(), recorder("c").entries());

        close(leader);
        start(leader);
        awaitDelivered(60, List.of(leader));
        await().atMost(BOUND).until(() -> !log(leader).raft().abstains());
        assertEquals(recorder(other).entries(), recorder(leader).entries());
    }

    private void load() {
        while (loading.get()) {
            submit(1);
            LockSupport.parkNanos(2_000_000);
        }
    }

    private synchronized void submit(int more) {
        for (int i = 0; i < more; i++) {
            // Another one may lead by now, and then it is not ordered: nobody waits for it here.
            log("a").submit(submitted, ("entry " + submitted++).getBytes(UTF_8));
        }
    }

    private void startAll() {
        start(IDS);
    }

    /** Member a among them; returns when they have a leader. */
    private void start(List<String> ids) {
        ids.forEach(this::start);
        await().atMost(BOUND).until(() -> ids.stream()
                .allMatch(id -> !recorder(id).leader().isEmpty()
                        && recorder(id).leader().equals(recorder("a").leader())));
    }

    private void start(String id) {
        start(id, FaultHooks.NONE);
    }

    private synchronized void start(String id, FaultHooks hooks) {
        RaftLog log = new RaftLog(
                Groups.settings(
                        group,
                        id,
                        members,
                        ReplicaSettings.Order.RAFT,
                        ReplicaSettings.Log.FSYNC,
                        data,
                        Optional.empty()),
                hooks);
        Recorder recorder = new Recorder();
        logs.put(id, log);
        recorders.put(id, recorder);
        log.start(recorder);
    }

    private void close(String id) {
        log(id).close();
    }

    private synchronized RaftLog log(String id) {
        return Objects.requireNonNull(logs.get(id));
    }

    private synchronized Recorder recorder(String id) {
        return Objects.requireNonNull(recorders.get(id));
    }

    private void awaitDelivered(int count, List<String> ids) {
        await().atMost(BOUND)
                .until(() -> ids.stream().allMatch(id -> recorder(id).entries().size() >= count));
    }

    /** All have the twenty entries and another one; what is submitted while the leader changes is lost, so it is tried again. */
    private void awaitOneMore() {
        await().atMost(BOUND).until(() -> {
            submit(1);
            return IDS.stream().allMatch(id -> recorder(id).entries().size() > 20);
        });
    }

    private void awaitSameEntries() {
        await().atMost(BOUND)
                .untilAsserted(() ->
                        assertEquals(recorder("a").entries(), recorder("c").entries()));
    }

    private void loseLog(String id) throws IOException {
        for (String name : List.of(EntryFile.NAME, StateFile.NAME, ".")) {
            Files.delete(file(id, name).normalize());
        }
    }

    private void flipSomewhere() throws IOException {
        boolean snapshot = Files.exists(file("c", SnapshotFile.NAME));
        int of = random.nextInt(100);
        if (of < 70) {
            // Mostly near the end, where it could be taken for a crash.
            long end = lastRecord("c") + LogRecord.HEAD;
            flip(file("c", EntryFile.NAME), of < 35 ? end - random.nextLong(Math.min(end, 400)) : random.nextLong(end));
        } else if (of < 85 && snapshot) {
            flip(file("c", SnapshotFile.NAME), random.nextLong(Files.size(file("c", SnapshotFile.NAME))));
        } else {
            flip(file("c", StateFile.NAME), random.nextInt(2) * 4096L + random.nextInt(MemberState.LENGTH));
        }
    }

    /** Where the last whole record of a member begins. */
    private long lastRecord(String id) throws IOException {
        try (var file = Disk.LOCAL.open(file(id, EntryFile.NAME))) {
            LogScan scan = LogScan.of(file);
            return scan.count == 0 ? 0 : scan.offsets[scan.count - 1];
        }
    }

    private Path file(String id, String name) {
        return data.resolve(group).resolve(id).resolve(id + ".log").resolve(name);
    }

    private void flip(Path file, long at) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            int was = bytes.read();
            bytes.seek(at);
            bytes.write(was ^ (1 << random.nextInt(8)));
        }
    }
}
