package org.amo.replication.order;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.raft.RaftLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Members that come and go while entries are ordered. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
final class MemberChangesTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final Optional<String> SECRET = Optional.of("5e".repeat(32));
    private static final Logger LOG = Logger.getLogger(RaftLog.class.getName());

    @TempDir
    private Path data = Path.of("unset");

    private final String group = Groups.freshName();
    private final List<Member> all = FreePorts.members(4);
    private final List<Member> three = all.subList(0, 3);
    private final Map<String, OrderedLog> logs = new LinkedHashMap<>();
    private final Map<String, Recorder> recorders = new LinkedHashMap<>();

    /** What the members and the changes prove themselves by. */
    private Optional<String> secret = Optional.empty();

    private int submitted;

    @AfterEach
    void close() {
        logs.values().forEach(OrderedLog::close);
    }

    @Test
    void oneIsAddedAndCountsAndOneIsRemovedAndCountsNoMore() throws Exception {
        secret = SECRET;
        startThree();
        order(50);
        GroupMembers four = change(true, all.get(3), 0);
        assertEquals(new GroupMembers(1, all), four);
        // A majority of four is three: with d and two others the group goes on, with two of the first alone it does
        // not.
        open("d", all);
        order(50);
        awaitAll();
        logs.remove("c").close();
        recorders.remove("c");
        order(10);
        awaitAll();

        GroupMembers after = change(false, all.get(2), 1);
        assertEquals(
                List.of("a", "b", "d"), after.members().stream().map(Member::id).toList());
        logs.remove("b").close();
        recorders.remove("b");
        awaitLeader();
        order(10);
        awaitAll();

        // Members that restart have the members of the log, not of their command line.
        logs.values().forEach(OrderedLog::close);
        logs.clear();
        recorders.clear();
        open("a", three);
        open("d", all);
        awaitLeader();
        order(1);
        awaitAll();
        assertEquals(Optional.of(after), log("a").members());
        assertEquals(Optional.of(after), log("d").members());
    }

    @Test
    void whatCannotBeChangedIsRefusedWithTheReason() throws Exception {
        secret = SECRET;
        startThree();
        order(1);
        assertTrue(refusal(MemberChange.of(group, MemberChange.Kind.ADD, all.get(3), 0, Optional.of("another secret")))
                .contains("secret"));
        assertTrue(refusal(true, all.get(3), 7).contains("changed since"));
        for (MemberChange.Kind kind : List.of(MemberChange.Kind.LEAD, MemberChange.Kind.SNAPSHOT)) {
            assertTrue(
                    refusal(MemberChange.of(group, kind, all.get(0), 7, secret)).contains("changed since"));
            assertTrue(refusal(MemberChange.of(group, kind, all.get(0), 0, Optional.of("another secret")))
                    .contains("secret"));
        }
        assertTrue(refusal(true, all.get(0), 0).contains("already"));
        assertTrue(refusal(false, all.get(3), 0).contains("no member 'd'"));
        Member first = all.get(0);
        for (Member sameAddress : List.of(
                new Member("e", first.host(), first.orderPort(), 1),
                new Member("e", first.host(), 1, first.orderPort()),
                new Member("e", first.host(), 1, 1))) {
            assertTrue(refusal(true, sameAddress, 0).contains("uses an address twice"), sameAddress::toString);
        }
        MemberChange sound = MemberChange.of(group, MemberChange.Kind.ADD, all.get(3), 0, secret);
        String away = aFollower();
        assertTrue(refusal(log(away), sound).contains("does not lead"));

        logs.remove(away).close();
        recorders.remove(away);
        awaitLeader();
        assertTrue(refusal(true, all.get(3), 0).contains("[" + away + "]"), "a member is added only with all there");
        assertEquals(0, log(leader()).members().orElseThrow().version());
    }

    /** Under the id of a removed member the log is run from its beginning, its removal included: it would count and never serve. */
    @Test
    void aRemovedIdIsNotAddedAgain() throws Exception {
        startThree();
        order(10);
        awaitAll();
        Member removed = three.stream()
                .filter(member -> !member.id().equals(leader()))
                .findFirst()
                .orElseThrow();
        GroupMembers two = change(false, removed, 0);
        await().atMost(BOUND).until(() -> recorder(removed.id()).endings().stream()
                .anyMatch(ending -> ending.contains("id cannot come back")));
        logs.remove(removed.id()).close();
        recorders.remove(removed.id());
        String why = "member '" + removed.id()
                + "' was removed from the group, and its id cannot come back; add the member under a new id";
        assertEquals(why, refusal(true, removed, 1));

        // A leader that starts again learns of it from its log.
        logs.values().forEach(OrderedLog::close);
        logs.clear();
        recorders.clear();
        two.members().forEach(member -> open(member.id(), three));
        awaitLeader();
        order(1);
        await().atMost(BOUND).until(() -> log(leader()).members().equals(Optional.of(two)));
        assertEquals(why, refusal(true, removed, 1));
    }

    /** It is away when it is removed, and every log begins behind its removal. */
    @Test
    void aRemovedIdIsNotAddedAgainBehindASnapshot() throws Exception {
        startThree();
        order(10);
        awaitAll();
        Member removed = three.stream()
                .filter(member -> !member.id().equals(leader()))
                .findFirst()
                .orElseThrow();
        logs.remove(removed.id()).close();
        recorders.remove(removed.id());
        GroupMembers two = change(false, removed, 0);
        order(1);
        awaitAll();
        for (Member member : two.members()) {
            assertTrue(log(member.id()).compact(recorder(member.id()).snapshot()));
        }
        // Behind it, the logs are cut.
        order(1);
        awaitAll();
        logs.values().forEach(OrderedLog::close);
        logs.clear();
        recorders.clear();
        two.members().forEach(member -> open(member.id(), three));
        awaitLeader();
        order(1);
        awaitAll();
        assertEquals(Optional.of(two), log(leader()).members());
        assertTrue(refusal(true, removed, 1).contains("its id cannot come back"));

        // By the snapshot of the leader, which has no entry of the removal any more.
        open(removed.id(), three);
        await().atMost(BOUND).until(() -> recorder(removed.id()).endings().stream()
                .anyMatch(ending -> ending.contains("id cannot come back")));
    }

    /**
     * The log's delays run in a thread of its own. CompletableFuture runs those without an executor in the common pool. On JDK 17 it
     * starts threads instead if that pool has one thread, so there the test cannot fail.
     */
    @Test
    void removedMembersEndWhileAnApplicationBlocksTheCommonPool() throws Exception {
        startThree();
        order(1);
        awaitAll();
        CountDownLatch release = new CountDownLatch(1);
        try {
            blockCommonPool(release);
            removeAndAwaitItsEnd(aFollower(), 0);
            removeAndAwaitItsEnd(leader(), 1);
        } finally {
            release.countDown();
        }
    }

    private void removeAndAwaitItsEnd(String id, long version) throws Exception {
        Member member =
                three.stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
        change(false, member, version);
        await().atMost(BOUND).until(() -> recorder(id).endings().stream()
                .anyMatch(ending -> ending.contains("id cannot come back")));
        logs.remove(id).close();
        recorders.remove(id);
        awaitLeader();
    }

    /** Waits until as many tasks wait for the latch as the pool has threads. The pool starts no thread in the place of one that waits so. */
    private static void blockCommonPool(CountDownLatch release) throws InterruptedException {
        int threads = ForkJoinPool.commonPool().getParallelism();
        CountDownLatch waiting = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            ForkJoinPool.commonPool().execute(() -> {
                waiting.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        assertTrue(waiting.await(BOUND.toSeconds(), TimeUnit.SECONDS), "the common pool has other work");
    }

    /** It may be the first in the view, and it must not keep the others from electing a leader. */
    @Test
    void oneThatIsNoMemberNeitherLeadsNorGathersVotes() {
        open("d", all);
        for (Member member : three) {
            open(member.id(), three);
        }
        await().atMost(BOUND)
                .until(() -> three.stream().anyMatch(member -> member.id().equals(leader())));
        order(20);
        logs.remove("d").close();
        recorders.remove("d");
        awaitAll();
    }

    /** It starts before it is added, from a snapshot that does not have it. Only its own removal ends it. */
    @Test
    void oneThatIsNotYetAMemberOutlivesTheRemovalOfAnother() throws Exception {
        startThree();
        order(10);
        awaitAll();
        for (Member member : three) {
            assertTrue(log(member.id()).compact(recorder(member.id()).snapshot()));
        }
        // Behind it, the logs are cut.
        order(1);
        awaitAll();
        open("d", all);
        Recorder ofD = recorder("d");
        recorders.remove("d");
        await().atMost(BOUND).until(() -> ofD.snapshots().equals(List.of(10L)) && ofD.count() == 11);

        Member removed = three.stream()
                .filter(member -> !member.id().equals(leader()))
                .findFirst()
                .orElseThrow();
        change(false, removed, 0);
        logs.remove(removed.id()).close();
        recorders.remove(removed.id());
        order(1);
        await().atMost(BOUND).until(() -> ofD.count() == 12);
        change(true, all.get(3), 1);
        await().atMost(BOUND).until(() -> log("d").members().orElseThrow().version() == 2);
        assertEquals(List.of(), ofD.endings());
    }

    /** By the list alone, members with new folders would be a second group under the same name. */
    @Test
    void aListOfMembersThatIsNotTheGroupsIsNamedByTheLeader() {
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Lines("group " + group + " ", lines);
        LOG.addHandler(handler);
        try {
            open("a", all.subList(0, 1));
            order(1);
            awaitAll();
            assertEquals(List.of(), warnings(lines));
            logs.values().forEach(OrderedLog::close);
            logs.clear();
            recorders.clear();

            open("a", three);
            await().atMost(BOUND).until(() -> warnings(lines).stream()
                    .anyMatch(line -> line.startsWith("--members names b, c, but")));
            open("b", three);
            await().atMost(BOUND)
                    .until(() -> warnings(lines).stream().anyMatch(line -> line.contains("are no members: b (")));
            assertEquals(2, warnings(lines).size(), lines::toString);
        } finally {
            LOG.removeHandler(handler);
        }
    }

    private static List<String> warnings(List<String> lines) {
        return lines.stream().filter(line -> line.contains("the members ")).toList();
    }

    /** Those of the log that contain this. */
    private static final class Lines extends Handler {
        private final String wanted;
        private final List<String> lines;

        private Lines(String wanted, List<String> lines) {
            this.wanted = wanted;
            this.lines = lines;
        }

        @Override
        public void publish(LogRecord line) {
            if (line.getMessage().contains(wanted)) {
                lines.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private void startThree() {
        three.forEach(member -> open(member.id(), three));
        awaitLeader();
    }

    private void open(String id, List<Member> members) {
        open(id, members, data);
    }

    private void open(String id, List<Member> members, Path folder) {
        OrderedLog log = OrderedLogs.open(Groups.settings(
                group, id, members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, folder, secret));
        Recorder recorder = new Recorder();
        logs.put(id, log);
        recorders.put(id, recorder);
        Thread thread = new Thread(() -> log.start(recorder));
        thread.setDaemon(true);
        thread.start();
    }

    private GroupMembers change(boolean add, Member member, long version) throws Exception {
        return log(leader())
                .changeMembers(MemberChange.of(group, kind(add), member, version, secret))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    private static MemberChange.Kind kind(boolean add) {
        return add ? MemberChange.Kind.ADD : MemberChange.Kind.REMOVE;
    }

    private String refusal(boolean add, Member member, long version) {
        return refusal(MemberChange.of(group, kind(add), member, version, secret));
    }

    private String refusal(MemberChange change) {
        return refusal(log(leader()), change);
    }

    private static String refusal(OrderedLog asked, MemberChange change) {
        return String.valueOf(assertThrows(
                        ExecutionException.class,
                        () -> asked.changeMembers(change).toCompletableFuture().get(20, TimeUnit.SECONDS))
                .getCause()
                .getMessage());
    }

    private void order(int count) {
        awaitLeader();
        OrderedLog log = log(leader());
        for (int i = 0; i < count; i++) {
            submitted++;
            log.submit(submitted, ("entry " + submitted).getBytes(UTF_8));
        }
    }

    private void awaitAll() {
        List<String> expected = java.util.stream.IntStream.rangeClosed(1, submitted)
                .mapToObj(i -> "entry " + i)
                .toList();
        await().atMost(BOUND).untilAsserted(() -> {
            for (Map.Entry<String, Recorder> recorder : recorders.entrySet()) {
                assertEquals(expected, recorder.getValue().entries(), recorder.getKey());
            }
        });
    }

    private String aFollower() {
        return logs.keySet().stream()
                .filter(id -> !id.equals(leader()))
                .findFirst()
                .orElseThrow();
    }

    private String leader() {
        return recorders.values().stream()
                .map(Recorder::leader)
                .filter(id -> !id.isEmpty())
                .findFirst()
                .orElse("");
    }

    private void awaitLeader() {
        await().atMost(BOUND)
                .until(() -> logs.containsKey(leader())
                        && recorders.values().stream()
                                .allMatch(recorder -> recorder.leader().equals(leader())));
    }

    private Recorder recorder(String id) {
        return Optional.ofNullable(recorders.get(id)).orElseThrow();
    }

    private OrderedLog log(String id) {
        return Optional.ofNullable(logs.get(id)).orElseThrow();
    }
}
