package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.order.Member;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.protocols.raft.AppendEntriesResponse;
import org.jgroups.protocols.raft.AppendResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A member whose servant or disk stands still, while its process lives and its heartbeats are heard. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class StandingMemberTest {
    private static final Duration BOUND = Duration.ofSeconds(40);
    /** Far below the time after which a member that is not heard leaves the view. */
    private static final Duration STALL = Duration.ofSeconds(5);

    @TempDir
    private Path data = Path.of("unset");

    private final Map<String, RaftLog> logs = new LinkedHashMap<>();
    private final Map<String, HeldListener> listeners = new LinkedHashMap<>();
    private final AtomicLong submissions = new AtomicLong();

    @AfterEach
    void close() {
        logs.values().forEach(RaftLog::close);
    }

    @Test
    void entriesAreDeliveredWhenTheListenerTellsOfRoom() {
        open(FreePorts.members(1), ReplicaSettings.Log.FILE);
        await().atMost(BOUND).until(() -> recorder("a").leader().equals("a"));
        listeners.get("a").room(false);
        submit("a", "1");
        submit("a", "2");
        await().atMost(BOUND).until(() -> logs.get("a").raft().lastAppended() == 3); // its empty entry is the first
        assertEquals(List.of(), delivered("a"));
        // Nothing else arrives, so that only the word of the listener makes it go on.
        makeRoom("a");
        await().atMost(BOUND).until(() -> delivered("a").equals(List.of("1", "2")));
    }

    // More messages than wait for RAFT's thread, and then more bytes than flow control lets pass: with a queue that
    // blocks its reader, the group stops here.
    @Test
    void aFollowerWhoseDeliveriesBlockDoesNotStopTheGroup() throws InterruptedException {
        openThree(ReplicaSettings.Log.MEMORY);
        String leader = leader();
        String held = other(leader);
        int first = 2; // the commit index of an entry comes with the next one
        int small = 1_100;
        int large = 200;
        HeldListener blocked = listeners.get(held);
        blocked.block();
        try {
            deliver(leader, first, "");
            await().atMost(BOUND).until(blocked::holdsUp);
            fillQueue(held, leader);
            deliver(leader, small, "");
            deliver(leader, large, "x".repeat(64 << 10));
            assertEquals(List.of(), delivered(held));
        } finally {
            blocked.unblock();
        }
        assertAllDeliver(first + small + large);
    }

    /** With as many messages as wait for RAFT's thread, which stands: answers of an earlier term, which mean nothing to it. */
    private void fillQueue(String member, String sender) {
        GuardedRaft raft = logs.get(member).raft();
        Address from = logs.get(sender).raft().getAddress();
        AppendResult late = new AppendResult(AppendResult.Result.OK, 0);
        for (int i = 0; i < GuardedRaft.MOST_INBOUND; i++) {
            raft.up(new EmptyMessage(raft.getAddress())
                    .setSrc(from)
                    .putHeader(raft.getId(), new AppendEntriesResponse(0, late)));
        }
    }

    @Test
    void aFollowerWithoutRoomTakesALimitedTailAndIsFedLater() throws InterruptedException {
        openThree(ReplicaSettings.Log.MEMORY);
        String leader = leader();
        String held = other(leader);
        listeners.get(held).room(false);
        // Half a megabyte each, so that the bytes are the limit.
        String body = "x".repeat(512 << 10);
        int entries = (int) (2 * GuardedRaft.MOST_UNDELIVERED_BYTES / body.length());
        deliver(leader, entries, body);
        GuardedRaft follower = logs.get(held).raft();
        assertEquals(List.of(), delivered(held));
        assertTrue(
                follower.log().sizeInBytes() <= GuardedRaft.MOST_UNDELIVERED_BYTES * 3 / 2,
                "bytes of the undelivered tail");

        makeRoom(held);
        assertAllDeliver(entries);
    }

    @Test
    void aLeaderWithoutRoomGivesWayAndGoesOnLater() {
        openThree(ReplicaSettings.Log.FILE);
        String first = leader();
        listeners.get(first).room(false);
        assertAnotherLeads(first);
        assertTrue(
                logs.get(first).health().trouble().contains("no progress"),
                logs.get(first).health()::toString);

        makeRoom(first);
        assertServesAgain(first);
    }

    // As a disk does that does not return from a write.
    @Test
    void aLeaderWhoseThreadStandsGivesWayAndGoesOnLater() {
        openThree(ReplicaSettings.Log.FILE);
        String first = leader();
        listeners.get(first).block();
        try {
            assertAnotherLeads(first);
        } finally {
            listeners.get(first).unblock();
        }
        assertServesAgain(first);
    }

    private void assertAnotherLeads(String first) {
        submit(first, "first");
        String follower = other(first);
        await().atMost(BOUND)
                .until(() -> !recorder(follower).leader().equals(first)
                        && !recorder(follower).leader().isEmpty());
        // The new leader has the entry, and goes on without the old one.
        await().atMost(BOUND).untilAsserted(() -> {
            submit(follower, "later");
            assertTrue(delivered(follower).size() >= 2);
        });
        assertTrue(recorder(first).leader().isEmpty(), "it says that it cannot serve");
        assertEquals(List.of(), delivered(first));
        assertFalse(logs.get(first).raft().isLeader());
    }

    private void assertServesAgain(String member) {
        await().atMost(BOUND).until(() -> !recorder(member).leader().isEmpty());
        assertEquals("", logs.get(member).health().trouble());
        int entries = delivered(other(member)).size();
        await().atMost(BOUND).until(() -> delivered(member).size() >= entries);
        assertEquals(
                delivered(other(member)).subList(0, entries), delivered(member).subList(0, entries));
    }

    private void assertAllDeliver(int entries) {
        for (String id : logs.keySet()) {
            await().atMost(BOUND).until(() -> delivered(id).size() == entries);
        }
        assertEquals(1, logs.keySet().stream().map(this::delivered).distinct().count());
    }

    private void makeRoom(String member) {
        listeners.get(member).room(true);
        logs.get(member).onRoom();
    }

    /** One after the other, so that each has messages of its own. */
    private void deliver(String leader, int entries, String body) throws InterruptedException {
        int before = recorder(leader).count();
        for (int i = 1; i <= entries; i++) {
            submit(leader, i + body);
            assertTrue(recorder(leader).reaches(before + i, STALL), "the leader delivers " + i + " of " + entries);
        }
    }

    private void submit(String member, String entry) {
        logs.get(member).submit(submissions.incrementAndGet(), entry.getBytes(UTF_8));
    }

    private String leader() {
        await().atMost(BOUND)
                .until(() -> !recorder("a").leader().isEmpty()
                        && logs.keySet().stream().allMatch(id -> recorder(id)
                                .leader()
                                .equals(recorder("a").leader())));
        return recorder("a").leader();
    }

    private String other(String member) {
        return logs.keySet().stream()
                .filter(id -> !id.equals(member))
                .findFirst()
                .orElseThrow();
    }

    private Recorder recorder(String id) {
        return listeners.get(id);
    }

    private List<String> delivered(String id) {
        return recorder(id).entries();
    }

    private void openThree(ReplicaSettings.Log kind) {
        open(FreePorts.members(3), kind);
    }

    private void open(List<Member> members, ReplicaSettings.Log kind) {
        String group = Groups.freshName();
        members.stream().map(Member::id).forEach(id -> {
            RaftLog log = new RaftLog(
                    Groups.settings(group, id, members, ReplicaSettings.Order.RAFT, kind, data, Optional.empty()),
                    FaultHooks.NONE);
            logs.put(id, log);
            listeners.put(id, new HeldListener());
            log.start(listeners.get(id));
        });
    }
}
