package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.core.order.Member;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.protocols.raft.AppendEntriesRequest;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A leader sends entries before it appends them. If that fails, it orders no others under the same indexes and the same term. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class FailedAppendTest {
    private static final Pattern PREVIOUS = Pattern.compile("prev_log_index=(\\d+)");
    private static final Duration BOUND = Duration.ofSeconds(40);

    @TempDir
    private Path data = Path.of("unset");

    private final List<Member> members = FreePorts.members(3);
    private final String group = Groups.freshName();
    private final Map<String, RaftLog> logs = new HashMap<>();
    private final Map<String, Recorder> recorders = new HashMap<>();
    private final AtomicReference<Optional<Fault>> armed = new AtomicReference<>(Optional.empty());
    private final Sent sent = new Sent();

    /** Thrown once at a member, while the next submission waits there already. */
    private record Fault(String member, Throwable thrown) {}

    @AfterEach
    void close() {
        logs.values().forEach(RaftLog::close);
    }

    /** As of a buffer for which the virtual machine has no memory. */
    @Test
    void anErrorUnderTheAppendEndsTheLeader() {
        endsTheLeader(new OutOfMemoryError("Cannot reserve 67108864 bytes of direct buffer memory"));
    }

    @Test
    void aSyncThatFailsEndsTheLeader() {
        endsTheLeader(new IOException("Input/output error"));
    }

    private void endsTheLeader(Throwable thrown) {
        String leader = start(ReplicaSettings.Log.FSYNC);
        sent.fails = false;
        armed.set(Optional.of(new Fault(leader, thrown)));
        log(leader).submit(2, bytes("first"));
        await().atMost(BOUND)
                .until(() ->
                        !sent.conflicts.isEmpty() || !recorder(leader).endings().isEmpty());
        assertEquals(List.of(), sent.conflicts);
        List<String> rest =
                logs.keySet().stream().filter(each -> !each.equals(leader)).toList();
        agree(rest);
        List<String> there = recorder(leader).entries();
        assertEquals(there, recorder(rest.get(0)).entries().subList(0, there.size()));
    }

    /** Nothing is wrong with the log in the heap; the member takes part in the next terms. */
    @Test
    void aLeaderWhoseSendingFailsLeavesItsTerm() {
        String leader = start(ReplicaSettings.Log.MEMORY);
        long term = log(leader).raft().currentTerm();
        sent.fails = true;
        armed.set(Optional.of(new Fault(leader, new OutOfMemoryError("Java heap space"))));
        log(leader).submit(2, bytes("first"));
        await().atMost(BOUND)
                .until(() -> !sent.conflicts.isEmpty() || log(leader).raft().currentTerm() > term);
        assertEquals(List.of(), sent.conflicts);
        agree(List.copyOf(logs.keySet()));
        assertEquals(List.of(), recorder(leader).endings());
    }

    /** They order and deliver a further entry, and the same ones before it. */
    private void agree(List<String> ids) {
        String one = ids.get(0);
        int[] submitted = {100};
        // A submission is rejected while there is no leader.
        await().atMost(BOUND).until(() -> {
            log(one).submit(submitted[0]++, bytes("last"));
            return ids.stream().allMatch(each -> recorder(each).entries().contains("last"));
        });
        await().atMost(BOUND)
                .untilAsserted(() -> ids.forEach(each ->
                        assertEquals(recorder(one).entries(), recorder(each).entries())));
    }

    /** @return the leader */
    private String start(ReplicaSettings.Log kind) {
        for (Member member : members) {
            ReplicaSettings settings = Groups.settings(
                    group, member.id(), members, ReplicaSettings.Order.RAFT, kind, data, Optional.empty());
            RaftLog log = new RaftLog(settings, new FaultHooks() {
                @Override
                public void beforeSync(ReplicaSettings of) throws IOException {
                    if (sent.fails) {
                        return;
                    }
                    Optional<Throwable> thrown = takeFault(of.id());
                    if (thrown.isPresent() && thrown.get() instanceof IOException failed) {
                        throw failed;
                    }
                    if (thrown.isPresent()) {
                        throw (Error) thrown.get();
                    }
                }
            });
            logs.put(member.id(), log);
            recorders.put(member.id(), new Recorder());
            log.start(recorder(member.id()));
        }
        String first = members.get(0).id();
        await().atMost(BOUND).until(() -> !recorder(first).leader().isEmpty());
        log(first).submit(1, bytes("before"));
        await().atMost(BOUND).until(() -> recorders.values().stream().allMatch(each -> each.count() == 1));
        String leader = recorder(first).leader();
        try {
            log(leader).raft().getProtocolStack().insertProtocol(sent, ProtocolStack.Position.BELOW, RAFT.class);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return leader;
    }

    private Optional<Throwable> takeFault(String member) {
        Optional<Fault> fault = armed.get().filter(each -> each.member.equals(member));
        if (fault.isEmpty() || !armed.compareAndSet(armed.get(), Optional.empty())) {
            return Optional.empty();
        }
        log(member).submit(3, bytes("second"));
        return Optional.of(fault.get().thrown);
    }

    private RaftLog log(String id) {
        return logs.get(id);
    }

    private Recorder recorder(String id) {
        return recorders.get(id);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Looks at the entries that the leader sends. */
    private final class Sent extends Protocol {
        private final Map<String, String> entries = new ConcurrentHashMap<>();
        private final List<String> conflicts = new CopyOnWriteArrayList<>();
        private volatile boolean fails;

        @Override
        public Object down(Message message) {
            boolean ordered = see(message);
            Object result = down_prot.down(message);
            if (ordered && fails) {
                Optional<Throwable> thrown = takeFault(raft().raftId());
                if (thrown.isPresent()) {
                    throw (Error) thrown.get();
                }
            }
            return result;
        }

        private RAFT raft() {
            return (RAFT) up_prot;
        }

        private boolean see(Message message) {
            if (!(message.getHeader(raft().getId()) instanceof AppendEntriesRequest request)
                    || !(message instanceof ObjectMessage object)
                    || !(object.getObject() instanceof LogEntries sentEntries)) {
                return false;
            }
            // The field is not visible.
            Matcher before = PREVIOUS.matcher(request.toString());
            long index = before.find() ? Long.parseLong(before.group(1)) : -1;
            for (LogEntry entry : sentEntries.toArray()) {
                String place = "entry " + ++index + " of term " + entry.term();
                String content = new String(entry.command(), entry.offset(), entry.length(), UTF_8);
                String other = entries.putIfAbsent(place, content);
                if (other != null && !other.equals(content)) {
                    conflicts.add(place + ": " + other + " and " + content);
                }
            }
            return true;
        }
    }
}
