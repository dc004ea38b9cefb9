package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.order.Member;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.raft.AppendEntriesResponse;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Which thread runs RAFT, over real channels in one process, and that no other one waits for it. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class GuestsOfRaftTest {
    private static final Duration BOUND = Duration.ofSeconds(40);
    /** Flow control holds up a message for about nine seconds. */
    private static final Duration HELD_UP = Duration.ofSeconds(4);

    /** So many entries of 50,000 bytes leave less than half a megabyte of the eight that flow control lets pass. */
    private static final int ALMOST_ALL_CREDITS = 160;

    private static final String OWN = "amo-raft-";
    private static final String READER = "Connection.Receiver";

    @TempDir
    private Path data = Path.of("unset");

    private final Map<String, RaftLog> logs = new LinkedHashMap<>();
    private final Map<String, Watching> listeners = new LinkedHashMap<>();
    private final Map<String, Sent> sent = new LinkedHashMap<>();
    private final AtomicLong submissions = new AtomicLong();

    @AfterEach
    void close() {
        logs.values().forEach(RaftLog::close);
    }

    @Test
    void inMemoryTheThreadsThatBringRequestsRunRaftAndDeliverNothing() {
        String leader = start(3, ReplicaSettings.Log.MEMORY);
        // RAFT's own thread may have the turn at a moment.
        await().atMost(BOUND).until(() -> {
            deliver(leader, "x");
            return sent.get(leader).entries.contains(Thread.currentThread().getName())
                    && others(leader).stream().allMatch(each -> sent.get(each).answers.stream()
                            .anyMatch(thread -> thread.contains(READER)));
        });
        listeners
                .values()
                .forEach(each -> assertTrue(
                        each.threads.stream().allMatch(thread -> thread.startsWith(OWN)), each.threads::toString));
    }

    /** A disk may not answer. */
    @Test
    void withALogInFilesRaftsThreadAloneRunsIt() {
        String leader = start(3, ReplicaSettings.Log.FILE);
        for (int i = 0; i < 20; i++) {
            deliver(leader, "x");
        }
        sent.values().forEach(each -> {
            assertEquals(List.of(), each.byGuests());
            assertTrue(each.answers.stream().allMatch(thread -> thread.startsWith(OWN)), each.answers::toString);
        });
    }

    /** RAFT's thread is woken for all that a guest leaves behind, and not by the time. */
    @Test
    void noneOfManyOutstandingEntriesWaitsForARepetition() throws InterruptedException {
        String leader = start(3, ReplicaSettings.Log.MEMORY);
        logs.values().forEach(log -> log.raft().resendInterval(TimeUnit.HOURS.toMillis(1)));
        int before = listeners.get(leader).count();
        int outstanding = 64;
        for (int round = 1; round <= 15; round++) {
            for (int i = 0; i < outstanding; i++) {
                logs.keySet().forEach(member -> submit(member, "x"));
            }
            int all = before + round * outstanding * logs.size();
            assertTrue(listeners.get(leader).reaches(all, BOUND), "the leader delivers those of round " + round);
        }
        // The last commit index comes with the next entry.
        submit(leader, "last");
        int all = listeners.get(leader).count();
        for (String each : others(leader)) {
            assertTrue(listeners.get(each).reaches(all, BOUND), each + " delivers what the leader has delivered");
        }
    }

    /** So it takes many into one message. */
    @Test
    void submissionsBehindAnEntryInFlightWaitForRaftsThread() {
        String leader = start(3, ReplicaSettings.Log.MEMORY);
        others(leader).forEach(each -> insert(each, new Deaf(), ProtocolStack.Position.BELOW, RAFT.class));
        GuardedRaft raft = logs.get(leader).raft();
        long entries = raft.lastAppended() + 100;
        for (int i = 0; i < 100; i++) {
            submit(leader, "x");
        }
        await().atMost(BOUND).until(() -> raft.lastAppended() == entries);
        assertTrue(sent.get(leader).byGuests().size() <= 1, sent.get(leader).byGuests()::toString);
    }

    @Test
    void aSubmissionDoesNotWaitForAMemberThatReadsNothing() throws InterruptedException {
        String leader = start(3, ReplicaSettings.Log.MEMORY);
        GuardedRaft raft = logs.get(leader).raft();
        String body = "x".repeat(50_000);
        Stuck stuck = new Stuck();
        insert(others(leader).get(0), stuck, ProtocolStack.Position.ABOVE, MFC.class);
        try {
            boolean committed = true;
            long longest = 0;
            for (int i = 0; i < 400 && committed; i++) {
                if (i >= ALMOST_ALL_CREDITS) {
                    // The thread of the test may be a guest, since RAFT's own has ended its turn when this has been
                    // seen.
                    await().atMost(BOUND).until(() -> raft.commitIndex() == raft.lastAppended());
                }
                int before = listeners.get(leader).count();
                long began = System.nanoTime();
                submit(leader, body);
                longest = Math.max(longest, System.nanoTime() - began);
                committed = listeners.get(leader).reaches(before + 1, Duration.ofSeconds(1));
            }
            assertFalse(committed, "flow control holds up RAFT's thread");
            assertTrue(longest < HELD_UP.toNanos(), "a submission took " + longest + " ns");
        } finally {
            stuck.released.countDown();
        }
        int all = (int) submissions.get();
        listeners.values().forEach(each -> await().atMost(BOUND).until(() -> each.count() >= all - 1));
    }

    /** The answer by which the leader learns that it lacks more comes in the thread that reads that member's credits. */
    @Test
    void raftsThreadFeedsAMemberThatLags() {
        String leader = start(3, ReplicaSettings.Log.MEMORY);
        String lagging = others(leader).get(0);
        Deaf deaf = new Deaf();
        insert(lagging, deaf, ProtocolStack.Position.BELOW, RAFT.class);
        String body = "x".repeat(200_000);
        for (int i = 0; i < 12; i++) {
            deliver(leader, body);
        }
        deaf.hears = true;
        await().atMost(BOUND)
                .until(() ->
                        listeners.get(lagging).count() >= listeners.get(leader).count() - 1);
        Set<String> fed = sent.get(leader).repeated;
        assertTrue(fed.stream().allMatch(thread -> thread.startsWith(OWN)), fed::toString);
        assertEquals(1, fed.size(), "it lacked entries");
        assertEquals(List.of(), sent.get(leader).byGuests(), "they are too long for a guest");
    }

    @Test
    void aNewLeaderSubmitsItsFirstEntryUnderNoLock() {
        String leader = start(1, ReplicaSettings.Log.MEMORY);
        GuardedRaft raft = logs.get(leader).raft();
        for (int i = 0; i < 10; i++) {
            long appended = raft.lastAppended();
            raft.setLeaderAndTerm(null);
            raft.setLeaderAndTerm(raft.getAddress(), raft.currentTerm() + 1);
            await().atMost(BOUND).until(() -> raft.lastAppended() > appended && raft.known() == raft.lastAppended());
        }
        assertEquals(List.of(), sent.get(leader).underLock);
    }

    private String start(int count, ReplicaSettings.Log kind) {
        String group = Groups.freshName();
        List<Member> members = FreePorts.members(count);
        for (Member member : members) {
            RaftLog log = new RaftLog(
                    Groups.settings(
                            group, member.id(), members, ReplicaSettings.Order.RAFT, kind, data, Optional.empty()),
                    FaultHooks.NONE);
            logs.put(member.id(), log);
            listeners.put(member.id(), new Watching());
            log.start(listeners.get(member.id()));
        }
        Watching first = listeners.get(members.get(0).id());
        await().atMost(BOUND).until(() -> !first.leader().isEmpty());
        deliver(members.get(0).id(), "before");
        String leader = first.leader();
        // Each has heard of its commit, and none lacks an entry.
        await().atMost(BOUND).until(() -> {
            deliver(leader, "x");
            return listeners.values().stream().allMatch(each -> each.count() > 1);
        });
        logs.forEach((id, log) -> {
            Sent below = new Sent(log.raft());
            sent.put(id, below);
            insert(id, below, ProtocolStack.Position.BELOW, RAFT.class);
        });
        return leader;
    }

    private void insert(
            String member, Protocol protocol, ProtocolStack.Position where, Class<? extends Protocol> neighbour) {
        try {
            logs.get(member).raft().getProtocolStack().insertProtocol(protocol, where, neighbour);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> others(String leader) {
        return logs.keySet().stream().filter(each -> !each.equals(leader)).toList();
    }

    private void deliver(String member, String entry) {
        int before = listeners.get(member).count();
        submit(member, entry);
        await().atMost(BOUND).until(() -> listeners.get(member).count() > before);
    }

    private void submit(String member, String entry) {
        logs.get(member).submit(submissions.incrementAndGet(), entry.getBytes(UTF_8));
    }

    /** Remembers the threads that deliver. */
    private static final class Watching extends Recorder {
        private final Set<String> threads = ConcurrentHashMap.newKeySet();

        @Override
        public void onDelivered(long position, byte[] entry) {
            threads.add(Thread.currentThread().getName());
            super.onDelivered(position, entry);
        }
    }

    /** Remembers the threads that send RAFT's messages. */
    private static final class Sent extends Protocol {
        private final GuardedRaft raft;
        /** One of each message to all. */
        private final Collection<String> entries = new ConcurrentLinkedQueue<>();

        private final Set<String> repeated = ConcurrentHashMap.newKeySet();
        private final Set<String> answers = ConcurrentHashMap.newKeySet();
        private final List<String> underLock = new CopyOnWriteArrayList<>();

        Sent(GuardedRaft raft) {
            this.raft = raft;
        }

        List<String> byGuests() {
            return entries.stream().filter(thread -> !thread.startsWith(OWN)).toList();
        }

        @Override
        public Object down(Message message) {
            String thread = Thread.currentThread().getName();
            if (message.getHeader(raft.getId()) instanceof AppendEntriesResponse) {
                answers.add(thread);
            } else if (message instanceof ObjectMessage object
                    && object.getObject() instanceof LogEntries appended
                    && appended.size() > 0) {
                (message.getDest() == null ? entries : repeated).add(thread);
                if (raft.isLocked()) {
                    underLock.add(thread);
                }
            }
            return down_prot.down(message);
        }
    }

    /** Each message of a batch, too. */
    private abstract static class EachMessage extends Protocol {
        @Override
        protected final boolean accept(Message message) {
            return true;
        }
    }

    /** Holds up the thread that reads entries. */
    private static final class Stuck extends EachMessage {
        private final CountDownLatch released = new CountDownLatch(1);

        @Override
        public Object up(Message message) {
            if (message instanceof ObjectMessage) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return up_prot.up(message);
        }
    }

    /** Drops entries. */
    private static final class Deaf extends EachMessage {
        private volatile boolean hears;

        @Override
        public Object up(Message message) {
            return !hears && message instanceof ObjectMessage ? null : up_prot.up(message);
        }
    }
}
