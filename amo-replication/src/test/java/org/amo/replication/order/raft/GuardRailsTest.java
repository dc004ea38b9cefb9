package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.amo.replication.order.group.GroupChannel;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.View;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.raft.AppendEntriesRequest;
import org.jgroups.protocols.raft.AppendResult;
import org.jgroups.protocols.raft.Log;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.protocols.raft.election.VoteResponse;
import org.jgroups.raft.Options;
import org.jgroups.raft.util.CommitTable;
import org.jgroups.stack.Protocol;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.MessageBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is set, replaced or forbidden in jgroups-raft, and why. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class GuardRailsTest {
    private static final Duration BOUND = Duration.ofSeconds(40);

    @TempDir
    private Path data = Path.of("unset");

    private final List<RaftLog> opened = new ArrayList<>();
    private final Recorder recorder = new Recorder();

    @AfterEach
    void close() {
        opened.forEach(RaftLog::close);
    }

    @Test
    void theSettingsThatSafetyRestsOnAreMade() {
        RaftLog log = open(FreePorts.members(1), "a", ReplicaSettings.Log.FSYNC, Optional.empty());
        log.start(recorder);

        assertTrue(log.raft().logUseFsync(), "forced to disk before it is acknowledged");
        assertFalse(log.raft().sendCommitsImmediately());
        assertEquals(Long.MAX_VALUE, log.raft().maxLogSize(), "never cut while there are no snapshots");
        TCP tcp = assertInstanceOf(TCP.class, log.raft().getTransport());
        assertTrue(tcp.tcpNodelay());
        assertFalse(tcp.getDiagnosticsHandler().isEnabled());
        assertFalse(tcp.getDiagnosticsHandler().isRunning());
        assertTrue(Files.exists(
                data.resolve(log.raft().getTransport().getClusterName()).resolve("a/a.log/entries.amo")));
    }

    @Test
    void aFileLogIsNotForced() {
        RaftLog log = open(FreePorts.members(1), "a", ReplicaSettings.Log.FILE, Optional.empty());
        log.start(recorder);
        assertFalse(log.raft().logUseFsync());
    }

    @Test
    void aLogInTheHeapIsSeenByTheLimitOfItsBytes() {
        RaftLog log = open(FreePorts.members(1), "a", ReplicaSettings.Log.MEMORY, Optional.empty());
        log.start(recorder);
        assertInstanceOf(MemoryLog.class, log.raft().log());
    }

    @Test
    void quorumReadsAreImpossible() {
        RaftLog log = open(FreePorts.members(1), "a", ReplicaSettings.Log.FILE, Optional.empty());
        assertThrows(UnsupportedOperationException.class, () -> log.raft()
                .getAsync(new byte[1], 0, 1, Options.DEFAULT_OPTIONS));
    }

    @Test
    void noThreadKeepsTheProcessAlive() {
        RaftLog log = open(FreePorts.members(1), "a", ReplicaSettings.Log.FILE, Optional.empty());
        log.start(recorder);
        await().atMost(BOUND).until(() -> recorder.leader().equals("a"));
        log.submit(1, "x".getBytes(UTF_8));
        await().atMost(BOUND).until(() -> !recorder.entries().isEmpty());
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("amo-")) {
                assertTrue(thread.isDaemon(), thread.getName());
            }
            assertFalse(thread.getName().startsWith("runner") && !thread.isDaemon(), thread.getName());
            assertFalse(thread.getName().startsWith("pd-bundler"), thread.getName());
        }
    }

    @Test
    void moreThanTheQueueHoldsIsRejectedNotLost() throws InterruptedException {
        RaftLog log = open(FreePorts.members(1), "a", ReplicaSettings.Log.FILE, Optional.empty());
        HeldListener held = new HeldListener();
        log.start(held);
        await().atMost(BOUND).until(() -> held.leader().equals("a"));
        int submitted = RaftLog.MOST_UNCOMMITTED + 500;
        held.block(); // delivery waits, so nothing is committed beyond what RAFT has taken
        try {
            for (int i = 0; i < submitted; i++) {
                log.submit(i, "x".getBytes(UTF_8));
            }
        } finally {
            held.unblock();
        }
        await().atMost(BOUND)
                .until(() -> held.entries().size() + held.rejected().size() == submitted);
        assertTrue(held.rejected().size() >= 400, "rejected " + held.rejected().size());
        assertTrue(
                held.entries().size() >= RaftLog.MOST_UNCOMMITTED,
                "delivered " + held.entries().size());
    }

    /** Submissions that waited for a message of RAFT's come in the thread that reads, and so would flow control's credits. */
    @Test
    void answersToMessagesOfTheLogWaitForNoCredits() {
        List<Member> members = FreePorts.members(3);
        RaftLog log = open(members, "a", ReplicaSettings.Log.MEMORY, Optional.empty());
        log.start(recorder);
        Map<Byte, Boolean> withoutCredits = new ConcurrentHashMap<>();
        ReplicaSettings settings = Groups.settings(
                group(log),
                "b",
                members,
                ReplicaSettings.Order.RAFT,
                ReplicaSettings.Log.MEMORY,
                data,
                Optional.empty());
        GroupChannel.Listener deaf = (GroupChannel.Listener) Proxy.newProxyInstance(
                GroupChannel.Listener.class.getClassLoader(),
                new Class<?>[] {GroupChannel.Listener.class},
                (proxy, method, arguments) -> null);
        byte[] entry = "x".getBytes(UTF_8);
        byte rejected = 2;
        byte appliedMembers = 8;
        try (GroupChannel other = new GroupChannel(settings, List.of(new Flags(withoutCredits)), deaf)) {
            other.connect(() -> {});
            // This member does not lead. It may not have heard of the other one at the first.
            await().atMost(BOUND).until(() -> {
                other.send("a", (byte) 1, new byte[Long.BYTES], entry, EntryFrame.checksumOf(entry));
                other.send("a", (byte) 7, new byte[0], new byte[0]);
                return withoutCredits.keySet().containsAll(Set.of(rejected, appliedMembers));
            });
        }
        assertEquals(true, withoutCredits.get(rejected));
        assertEquals(true, withoutCredits.get(appliedMembers));
    }

    /** Looks at the flags of messages that come. */
    private static final class Flags extends Protocol {
        private final Map<Byte, Boolean> withoutCredits;

        Flags(Map<Byte, Boolean> withoutCredits) {
            this.withoutCredits = withoutCredits;
        }

        @Override
        public Object up(Message message) {
            see(message);
            return up_prot.up(message);
        }

        @Override
        public void up(MessageBatch batch) {
            batch.forEach(this::see);
            up_prot.up(batch);
        }

        private void see(Message message) {
            if (message.getLength() > 0 && message.hasArray()) {
                byte kind = message.getArray()[message.getOffset()];
                withoutCredits.put(kind, message.isFlagSet(Message.Flag.NO_FC));
            }
        }
    }

    @Test
    void aFollowersSubmissionIsCopiedOnceOnItsWayToTheChannel() {
        List<Member> members = FreePorts.members(2);
        RaftLog a = open(members, "a", ReplicaSettings.Log.MEMORY, Optional.empty());
        a.start(recorder);
        RaftLog b = open(members, "b", ReplicaSettings.Log.MEMORY, Optional.empty());
        Recorder other = new Recorder();
        b.start(other);
        await().atMost(BOUND)
                .until(() -> !recorder.leader().isEmpty() && recorder.leader().equals(other.leader()));
        RaftLog follower = recorder.leader().equals("a") ? b : a;
        byte[] entry = "e".repeat(800_000).getBytes(UTF_8);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 1; i <= 3; i++) {
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            follower.submit(i, entry);
            least = Math.min(
                    least,
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before);
            int submitted = i;
            await().atMost(BOUND).until(() -> recorder.count() == submitted && other.count() == submitted);
        }
        assertTrue(least < entry.length * 3L / 2, least + " bytes for a submission of " + entry.length);
        assertEquals(new String(entry, UTF_8), recorder.entries().get(2));
        assertEquals(new String(entry, UTF_8), other.entries().get(2));
    }

    // The fault of jgroups-raft 1.1.4: an append without entries made a member apply its own stale tail.
    @Test
    void aFollowerDoesNotCommitATailThatTheLeaderNeverConfirmed() throws Exception {
        GuardedRaft raft = alone();
        Address oldLeader = address("b");
        raft.currentTerm(1);
        AppendResult first = append(raft, oldLeader, 0, 0, 1, 1, "w0", "old-1", "old-2");
        assertTrue(first.success());
        assertEquals(3, first.index());
        assertEquals(List.of("w0"), recorder.entries());

        Address newLeader = address("c");
        raft.currentTerm(2);
        AppendResult empty = append(raft, newLeader, 0, 0, 2, 3);
        assertEquals(List.of("w0"), recorder.entries(), "old-1 and old-2 were never committed");
        assertEquals(1, empty.index(), "and are not acknowledged to the new leader");

        AppendResult replaced = append(raft, newLeader, 1, 1, 2, 3, "new-1");
        assertTrue(replaced.success());
        assertEquals(2, replaced.index());
        assertEquals(List.of("w0", "new-1"), recorder.entries());
        assertEquals(2, raft.lastAppended(), "the stale tail is gone");
    }

    // The commit index beside a read index comes without entries, too.
    @Test
    void aReadIndexCommitsNoTailThatTheLeaderNeverConfirmed() throws Exception {
        GuardedRaft raft = alone();
        raft.currentTerm(1);
        append(raft, address("b"), 0, 0, 1, 1, "w0", "old-1", "old-2");
        Address newLeader = address("c");
        raft.setLeaderAndTerm(newLeader, 2);
        raft.onCommitted("c", 2, 3);
        assertEquals(List.of("w0"), recorder.entries(), "old-1 and old-2 were never committed");

        append(raft, newLeader, 1, 1, 2, 1, "new-1");
        raft.onCommitted("b", 2, 2);
        raft.onCommitted("c", 1, 2);
        assertEquals(List.of("w0"), recorder.entries(), "neither came from the leader of this term");
        raft.onCommitted("c", 2, 2);
        assertEquals(List.of("w0", "new-1"), recorder.entries());
    }

    @Test
    void aMemberConfirmsItsPresentTermAlone() {
        RaftLog log = open(FreePorts.members(3), "a", ReplicaSettings.Log.FSYNC, Optional.empty());
        log.start(recorder);
        GuardedRaft raft = log.raft();
        raft.currentTerm(7);
        assertTrue(raft.confirms(7));
        assertFalse(raft.confirms(6));
        raft.currentTerm(8);
        assertFalse(raft.confirms(7), "a leader of term 8 may have its vote");
    }

    @Test
    void entriesThatOverlapAStaleTailAcknowledgeOnlyWhatAgrees() throws Exception {
        GuardedRaft raft = alone();
        raft.currentTerm(1);
        append(raft, address("b"), 0, 0, 1, 0, "e1", "stale-2", "stale-3");
        raft.currentTerm(2);
        LogEntries sent = new LogEntries().add(entry(1, "e1"), entry(2, "new-2"), entry(2, "new-3"));
        AppendResult result = raft.impl().handleAppendEntriesRequest(sent, address("c"), 0, 0, 1, 3);
        assertEquals(List.of(), recorder.entries(), "the leader's answer goes first");
        raft.deliverKnown();
        assertTrue(result.success());
        assertEquals(1, result.index());
        assertEquals(List.of("e1"), recorder.entries());
    }

    // A conflict made jgroups-raft delete all entries of the conflicting term that are not delivered.
    @Test
    void aConflictDeletesNoCommittedEntryThatWaitsForRoom() throws Exception {
        HeldListener held = new HeldListener();
        GuardedRaft raft = alone(held);
        held.room(false);
        raft.currentTerm(1);
        append(raft, address("b"), 0, 0, 1, 3, "e1", "e2", "e3", "stale-4", "stale-5");
        assertEquals(List.of(), held.entries());

        raft.currentTerm(3);
        Address newLeader = address("c");
        AppendResult conflict = append(raft, newLeader, 5, 2, 3, 5, "new-6");
        assertFalse(conflict.success());
        assertEquals(4, conflict.index(), "the first of that term that is not known to be committed");
        assertEquals(5, raft.lastAppended(), "nothing is deleted before the leader has something in its place");

        assertTrue(append(raft, newLeader, 3, 1, 3, 5, "new-4", "new-5").success());
        assertThrows(IllegalStateException.class, () -> raft.deleteAllLogEntriesStartingFrom(5));
        held.room(true);
        raft.deliverKnown();
        assertEquals(List.of("e1", "e2", "e3", "new-4", "new-5"), held.entries());
    }

    // The commit index that lets it deliver comes with further entries.
    @Test
    void aFollowerWithALongUncommittedTailTakesTheCommitIndex() throws Exception {
        GuardedRaft raft = alone();
        Address leader = address("b");
        raft.currentTerm(1);
        LogEntries many = new LogEntries();
        for (int i = 0; i < GuardedRaft.MOST_UNDELIVERED + 1; i++) {
            many.add(entry(1, "x"));
        }
        receive(raft, leader, many, 0, 0, 1, 0);
        receive(raft, leader, new LogEntries().add(entry(1, "y")), many.size(), 1, 1, many.size());
        raft.deliverKnown();
        assertEquals(many.size(), recorder.count());
        assertEquals(many.size() + 1, raft.lastAppended());
    }

    @Test
    void aFormerLeaderAppendsNothingBehindTheEntriesOfTheNewOne() throws Exception {
        GuardedRaft raft = alone();
        raft.currentTerm(4);
        raft.setLeaderAndTerm(raft.getAddress(), 4);
        await().atMost(BOUND).until(() -> raft.lastAppended() == 1); // its empty entry
        CountDownLatch both = new CountDownLatch(1);
        raft.run(() -> {
            try {
                both.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        CompletableFuture<byte[]> late =
                raft.setAsync(EntryFrame.wrap("late".getBytes(UTF_8)), 0, 8, false, Options.DEFAULT_OPTIONS);
        raft.up(message(raft, address("b"), new LogEntries().add(entry(5, "new")), 1, 4, 5, 0));
        both.countDown();
        await().atMost(BOUND).until(late::isDone);
        assertTrue(late.isCompletedExceptionally());
        assertEquals(2, raft.lastAppended());
        assertEquals(5, Optional.ofNullable(raft.log().get(2)).orElseThrow().term());
    }

    // Raft, section 5.4.2 and figure 8.
    @Test
    void aLeaderCommitsEntriesOfEarlierTermsOnlyWithOneOfItsOwn() throws Exception {
        GuardedRaft raft = alone();
        raft.currentTerm(1);
        append(raft, address("b"), 0, 0, 1, 0, "of term 1", "of term 1 too");
        raft.currentTerm(4);
        raft.setLeaderAndTerm(raft.getAddress(), 4);
        await().atMost(BOUND).until(() -> raft.lastAppended() == 3); // its empty entry

        Address b = address("b");
        raft.impl().handleAppendEntriesResponse(b, 4, new AppendResult(AppendResult.Result.OK, 2));
        assertEquals(List.of(), recorder.entries(), "a majority has them, but another leader might still replace them");

        raft.impl().handleAppendEntriesResponse(b, 4, new AppendResult(AppendResult.Result.OK, 3));
        assertEquals(List.of("of term 1", "of term 1 too"), recorder.entries());
        assertEquals(List.of(1L, 2L), recorder.positions());
    }

    /** The next view comes while the thread of the election makes the table of the leader, from the view before. */
    @Test
    void aLeaderKnowsAMemberWhoseViewComesWhileTheLeadBegins() throws Exception {
        GuardedRaft raft = alone();
        Address self = raft.getAddress();
        Address b = address("b");
        Thread next = new Thread(() -> raft.handleView(View.create(self, 102, self, b)), "next view");
        raft.handleView(new View(self, 101, List.of(self)) {
            @Override
            public List<Address> getMembers() {
                if (next.getState() == Thread.State.NEW) {
                    next.start();
                    await().atMost(BOUND).until(() -> !next.isAlive() || next.getState() == Thread.State.BLOCKED);
                }
                return super.getMembers();
            }
        });
        raft.currentTerm(4);
        raft.setLeaderAndTerm(self, 4);
        CommitTable table = raft.commitTable();
        next.join();
        assertEquals(Set.of(b), table.keys());
    }

    @Test
    void aLeaderThatStepsDownWhileAViewComesTakesTheView() throws Exception {
        GuardedRaft raft = alone();
        Address self = raft.getAddress();
        raft.currentTerm(4);
        raft.setLeaderAndTerm(self, 4);
        raft.handleView(new View(self, 101, List.of(self, address("b"))) {
            @Override
            public List<Address> getMembers() {
                raft.setLeaderAndTerm(null);
                return super.getMembers();
            }
        });
        assertFalse(raft.isLeader());
    }

    @Test
    void aListenerThatFailsStopsItsMember() {
        RaftLog log = open(FreePorts.members(1), "a", ReplicaSettings.Log.FILE, Optional.empty());
        Recorder failing = new Recorder() {
            @Override
            public void onDelivered(long position, byte[] entry) {
                throw new IllegalStateException("the servant's state is broken");
            }
        };
        log.start(failing);
        await().atMost(BOUND).until(() -> failing.leader().equals("a"));
        log.submit(1, "x".getBytes(UTF_8));
        await().atMost(BOUND).until(() -> failing.leader().isEmpty());
    }

    @Test
    void whoDoesNotKnowTheSecretStaysOutside() {
        List<Member> members = FreePorts.members(3);
        RaftLog a = open(members, "a", ReplicaSettings.Log.FILE, Optional.of("5e".repeat(32)));
        a.start(recorder);
        RaftLog b = open(members, "b", ReplicaSettings.Log.FILE, Optional.of("5e".repeat(32)));
        b.start(new Recorder());
        RaftLog stranger = open(members, "c", ReplicaSettings.Log.FILE, Optional.of("5f".repeat(32)));
        stranger.start(new Recorder());

        await().atMost(BOUND).until(() -> !recorder.leader().isEmpty());
        await().during(Duration.ofSeconds(3)).atMost(BOUND).untilAsserted(() -> {
            assertEquals(Set.of("c"), reachable(stranger));
            assertEquals(Set.of("a", "b"), reachable(a));
        });
    }

    @Test
    void ofTwoProcessesWithOneIdOneIsRefusedOrStops() {
        Member live = FreePorts.members(1).get(0);
        Member elsewhere = FreePorts.members(1).get(0);
        Member spare = FreePorts.members(1).get(0);
        RaftLog first = open(
                List.of(live, new Member("b", spare.host(), spare.orderPort(), spare.clientPort())),
                "a",
                ReplicaSettings.Log.FILE,
                Optional.empty());
        first.start(recorder);
        // It listens elsewhere and has another folder, but knows where the first one is.
        RaftLog second = new RaftLog(
                Groups.settings(
                        group(first),
                        "a",
                        List.of(elsewhere, new Member("b", live.host(), live.orderPort(), live.clientPort())),
                        ReplicaSettings.Order.RAFT,
                        ReplicaSettings.Log.FILE,
                        data.resolve("of the second"),
                        Optional.empty()),
                FaultHooks.NONE);
        opened.add(second);
        try {
            second.start(new Recorder());
        } catch (OrderedLogException refused) {
            assertEquals(OrderedLogException.Fault.USER, refused.fault());
            assertTrue(String.valueOf(refused.getMessage()).contains("already member 'a'"), refused.getMessage());
        }
        await().atMost(BOUND)
                .until(() -> channel(first).isConnected() != channel(second).isConnected());
    }

    // Both start alone, so that no join is there to be refused, and meet by a merge.
    @Test
    void twinsThatMeetLaterDoNotBothGoOn() {
        Member live = FreePorts.members(1).get(0);
        Member elsewhere = FreePorts.members(1).get(0);
        Member nobody = FreePorts.members(2).get(1);
        List<Member> theirs = List.of(elsewhere, new Member("b", live.host(), live.orderPort(), live.clientPort()));
        RaftLog second = open(theirs, "a", ReplicaSettings.Log.FILE, Optional.empty());
        second.start(recorder);
        RaftLog first = new RaftLog(
                Groups.settings(
                        group(second),
                        "a",
                        List.of(live, nobody),
                        ReplicaSettings.Order.RAFT,
                        ReplicaSettings.Log.FILE,
                        data.resolve("of the other"),
                        Optional.empty()),
                FaultHooks.NONE);
        opened.add(first);
        Recorder ofFirst = new Recorder();
        List<String> refusals = new ArrayList<>();
        try {
            first.start(ofFirst);
        } catch (OrderedLogException met) {
            // The merge came while it was starting.
            refusals.add(String.valueOf(met.getMessage()));
        }
        await().atMost(BOUND)
                .until(() -> channel(first).isConnected() != channel(second).isConnected());
        List<String> endings = Stream.concat(
                        refusals.stream(), Stream.of(recorder, ofFirst).flatMap(each -> each.endings().stream()))
                .toList();
        assertEquals(1, endings.size(), endings::toString);
        assertTrue(endings.get(0).contains("already member 'a'"), endings::toString);
    }

    private GuardedRaft alone() {
        return alone(recorder);
    }

    private GuardedRaft alone(LogListener listener) {
        RaftLog log = open(FreePorts.members(3), "a", ReplicaSettings.Log.FILE, Optional.empty());
        log.start(listener);
        return log.raft();
    }

    private static void receive(
            GuardedRaft raft,
            Address leader,
            LogEntries entries,
            long previous,
            long previousTerm,
            long term,
            long commit) {
        Message message = message(raft, leader, entries, previous, previousTerm, term, commit);
        raft.handleUpRequest(message, message.getHeader(raft.getId()));
    }

    private static Message message(
            GuardedRaft raft,
            Address leader,
            LogEntries entries,
            long previous,
            long previousTerm,
            long term,
            long commit) {
        return new ObjectMessage(raft.getAddress(), entries)
                .setSrc(leader)
                .putHeader(raft.getId(), new AppendEntriesRequest(leader, term, previous, previousTerm, term, commit));
    }

    private RaftLog open(List<Member> members, String id, ReplicaSettings.Log log, Optional<String> secret) {
        String group = opened.isEmpty() ? Groups.freshName() : group(opened.get(0));
        RaftLog raftLog = new RaftLog(
                Groups.settings(group, id, members, ReplicaSettings.Order.RAFT, log, data, secret), FaultHooks.NONE);
        opened.add(raftLog);
        return raftLog;
    }

    private static JChannel channel(RaftLog log) {
        return log.raft().getProtocolStack().getChannel();
    }

    private static Set<String> reachable(RaftLog log) {
        return channel(log).getView().getMembers().stream()
                .map(GroupChannel::idOf)
                .collect(Collectors.toSet());
    }

    private static String group(RaftLog log) {
        return String.valueOf(log.raft().getTransport().getClusterName());
    }

    private static AppendResult append(
            GuardedRaft raft,
            Address leader,
            long previous,
            long previousTerm,
            long term,
            long commit,
            String... texts) {
        LogEntries entries = new LogEntries();
        for (String text : texts) {
            entries.add(entry(term, text));
        }
        AppendResult result =
                raft.impl().handleAppendEntriesRequest(entries, leader, previous, previousTerm, term, commit);
        raft.deliverKnown(); // what follows the answer
        return result;
    }

    private static LogEntry entry(long term, String text) {
        return new LogEntry(term, EntryFrame.wrap(text.getBytes(UTF_8)));
    }

    private static Address address(String id) {
        return ExtendedUUID.randomUUID(id).put(RAFT.raft_id_key, id.getBytes(UTF_8));
    }

    // ------------------------------------------------- terms and votes

    /** A request for a vote and a word of the same term come in two threads. A member that loses its vote with its process votes twice. */
    @Test
    void aVoteOutlivesAWordOfItsTermThatIsBeingStored() throws Exception {
        RaftLog log = open(FreePorts.members(3), "a", ReplicaSettings.Log.FSYNC, Optional.empty());
        log.start(recorder);
        GuardedRaft raft = log.raft();
        Log disk = raft.log();
        CountDownLatch stores = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        raft.log((Log) Proxy.newProxyInstance(
                Log.class.getClassLoader(), new Class<?>[] {Log.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("currentTerm") && arguments != null && stores.getCount() > 0) {
                        stores.countDown();
                        goesOn.await();
                    }
                    try {
                        return method.invoke(disk, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
        Address candidate = ExtendedUUID.randomUUID("b");
        Thread word = new Thread(() -> raft.currentTerm(7), "word");
        Thread vote = new Thread(() -> raft.vote(candidate, 7), "vote");
        word.start();
        assertTrue(stores.await(BOUND.toSeconds(), TimeUnit.SECONDS));
        vote.start();
        // It has voted, or waits for the term to be stored.
        await().atMost(BOUND).until(() -> !vote.isAlive() || vote.getState() == Thread.State.BLOCKED);
        goesOn.countDown();
        word.join();
        vote.join();
        // Not as the cache of the log has it.
        ByteBuffer file = ByteBuffer.wrap(
                Files.readAllBytes(data.resolve(raft.getTransport().getClusterName())
                        .resolve("a/a.log")
                        .resolve(StateFile.NAME)));
        MemberState stored = Stream.of(MemberState.read(file, 0), MemberState.read(file, 4096))
                .flatMap(Optional::stream)
                .max(Comparator.comparingLong(MemberState::generation))
                .orElseThrow();
        assertEquals(7, stored.term());
        assertTrue(stored.vote().length > 0, "the vote is gone");
    }

    @Test
    void aMemberVotesOnceInATermAndInNoEarlierOne() {
        RaftLog log = open(FreePorts.members(3), "a", ReplicaSettings.Log.FSYNC, Optional.empty());
        log.start(recorder);
        GuardedRaft raft = log.raft();
        Address candidate = ExtendedUUID.randomUUID("b");
        Address other = ExtendedUUID.randomUUID("c");
        assertEquals(Optional.of(new GuardedRaft.LogEnd(0, 0)), raft.vote(candidate, 7));
        assertEquals(Optional.of(new GuardedRaft.LogEnd(0, 0)), raft.vote(candidate, 7), "asked again");
        assertEquals(Optional.empty(), raft.vote(other, 7));
        assertTrue(raft.vote(other, 8).isPresent());
        assertEquals(Optional.empty(), raft.vote(candidate, 7));
        assertEquals(Optional.empty(), raft.vote(other, 7), "its vote is one of a later term");
        assertEquals(other, raft.log().votedFor());
    }

    /** The candidate has begun another term since: nothing keeps that member from voting for another one there. */
    @Test
    void anAnswerOfAnEarlierTermIsNoVote() {
        RaftLog log = open(FreePorts.members(3), "a", ReplicaSettings.Log.FSYNC, Optional.empty());
        log.start(recorder);
        GuardedRaft raft = log.raft();
        ConfiguredElection election = raft.getProtocolStack().findProtocol(ConfiguredElection.class);
        raft.currentTerm(7);
        Address voter = ExtendedUUID.randomUUID("b");
        election.getVotes().reset(voter);
        for (long term : List.of(6L, 8L)) {
            election.up(answer(election, voter, term));
            assertEquals(0, election.getVotes().numberOfValidResponses(), "of term " + term);
        }
        election.up(answer(election, voter, 7));
        assertEquals(1, election.getVotes().numberOfValidResponses());
    }

    private static Message answer(ConfiguredElection election, Address voter, long term) {
        return new EmptyMessage(election.getAddress())
                .setSrc(voter)
                .putHeader(election.getId(), new VoteResponse(term, 0, 0));
    }
}
