package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.core.replica.FaultHooks;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.raft.AppendEntriesResponse;
import org.jgroups.protocols.raft.AppendResult;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.raft.Options;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Which members an entry needs that is ordered beside the removal of one. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class RemovedVoicesTest {
    private static final Duration BOUND = Duration.ofSeconds(40);
    private static final long TERM = 4;

    @TempDir
    private Path data = Path.of("unset");

    private final List<RaftLog> opened = new ArrayList<>();
    private final Recorder recorder = new Recorder();
    private final Map<String, Address> addresses = new LinkedHashMap<>();

    @AfterEach
    void close() {
        opened.forEach(RaftLog::close);
    }

    /** Five members stay. Two of them may fail, and the other three must know each answered call. */
    @Test
    void anEntryBehindARemovalNeedsAMajorityOfThoseThatStay() {
        List<Member> members = FreePorts.members(6);
        GuardedRaft raft = leaderOf(members);
        order(raft, EntryFrame.memberChange(false, members.get(2)), true);
        order(raft, EntryFrame.wrap("behind it".getBytes(UTF_8)), false);
        await().atMost(BOUND).until(() -> raft.lastAppended() == 3);
        // The removal needs four of six. The removed member has the entry behind it, too.
        answer(raft, "c", 3);
        answer(raft, "d", 2);
        answer(raft, "e", 2);
        assertEquals(5, raft.members().size());
        assertEquals(List.of(), recorder.entries());

        answer(raft, "b", 3);
        assertEquals(List.of(), recorder.entries(), "two of five have it");

        answer(raft, "d", 3);
        assertEquals(List.of("behind it"), recorder.entries());
    }

    /** The leader, whose first entry is in its log; the others are there by their addresses alone. */
    private GuardedRaft leaderOf(List<Member> members) {
        RaftLog log = new RaftLog(Groups.onDisk("a", members, data), FaultHooks.NONE);
        opened.add(log);
        log.start(recorder);
        GuardedRaft raft = log.raft();
        raft.resendInterval(TimeUnit.HOURS.toMillis(1));
        addresses.put("a", raft.getAddress());
        members.stream()
                .map(Member::id)
                .skip(1)
                .forEach(
                        id -> addresses.put(id, ExtendedUUID.randomUUID(id).put(RAFT.raft_id_key, id.getBytes(UTF_8))));
        inRaft(raft, () -> raft.handleView(View.create(raft.getAddress(), 9, addresses.values())));
        raft.setLeaderAndTerm(raft.getAddress(), TERM);
        await().atMost(BOUND).until(() -> raft.lastAppended() == 1);
        return raft;
    }

    private static void order(GuardedRaft raft, byte[] command, boolean internal) {
        CompletableFuture<byte[]> ordered =
                raft.setAsync(command, 0, command.length, internal, Options.DEFAULT_OPTIONS);
        assertFalse(ordered.isCompletedExceptionally());
    }

    /** That member has all entries up to there. */
    private void answer(GuardedRaft raft, String member, long upTo) {
        Message message = new EmptyMessage(raft.getAddress())
                .setSrc(Optional.ofNullable(addresses.get(member)).orElseThrow())
                .putHeader(
                        raft.getId(), new AppendEntriesResponse(TERM, new AppendResult(AppendResult.Result.OK, upTo)));
        inRaft(raft, () -> raft.handleUpRequest(message, message.getHeader(raft.getId())));
    }

    private static void inRaft(GuardedRaft raft, Runnable task) {
        CompletableFuture.runAsync(task, raft::run).join();
    }
}
