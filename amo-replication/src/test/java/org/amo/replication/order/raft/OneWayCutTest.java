package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A follower cut off in one direction while entries are ordered. The view that each side comes to when its patience is
 * over is put in place at once; the merge afterwards is the group's own.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class OneWayCutTest {
    private static final Duration BOUND = Duration.ofSeconds(40);
    private static final int ENTRY_BYTES = 40_000;

    @TempDir
    private Path data = Path.of("unset");

    private final Map<String, RaftLog> logs = new LinkedHashMap<>();
    private final Map<String, Recorder> recorders = new LinkedHashMap<>();
    private final Map<String, DISCARD> deafness = new LinkedHashMap<>();

    /** a leads. */
    @BeforeEach
    void open() throws Exception {
        List<Member> members = FreePorts.members(3);
        String group = Groups.freshName();
        for (String id : List.of("a", "b", "c")) {
            RaftLog log = new RaftLog(Groups.settings(
                    group,
                    id,
                    members,
                    ReplicaSettings.Order.RAFT,
                    ReplicaSettings.Log.MEMORY,
                    data,
                    Optional.empty()));
            logs.put(id, log);
            recorders.put(id, new Recorder());
            log.start(recorders.get(id));
            DISCARD discard = new DISCARD();
            log.raft().getProtocolStack().insertProtocol(discard, ProtocolStack.Position.ABOVE, TP.class);
            deafness.put(id, discard);
        }
        await().atMost(BOUND).until(() -> recorders.values().stream()
                .allMatch(recorder -> recorder.leader().equals("a")));
    }

    @AfterEach
    void close() {
        logs.values().forEach(RaftLog::close);
    }

    @Test
    void aFollowerThatHeardNobodyCatchesUp() {
        deafness.get("c").addIgnoredMembers(address("a"), address("b"));
        order(0, 250);
        install("c", "c");
        order(250, 280);
        deafness.get("c").resetIgnoredMembers();
        awaitLevel(280);
    }

    @Test
    void aFollowerThatNobodyHeardCatchesUp() {
        deafness.get("a").addIgnoredMembers(address("c"));
        deafness.get("b").addIgnoredMembers(address("c"));
        order(0, 250);
        install("a", "a", "b");
        install("b", "a", "b");
        order(250, 280);
        deafness.get("a").resetIgnoredMembers();
        deafness.get("b").resetIgnoredMembers();
        awaitLevel(280);
    }

    // More than flow control lets be on its way.
    private void order(int from, int to) {
        for (int i = from; i < to; i++) {
            String entry = i + " " + "x".repeat(ENTRY_BYTES);
            logs.get("a").submit(i, entry.getBytes(UTF_8));
        }
        await().atMost(BOUND)
                .until(() -> recorders.get("b").entries().size() == to
                        && recorders.get("a").entries().size() == to);
    }

    private void awaitLevel(int count) {
        await().atMost(BOUND).until(() -> recorders.get("c").entries().size() == count);
        assertEquals(recorders.get("a").entries(), recorders.get("c").entries());
        // Whoever submits does it again until it hears of it.
        await().atMost(BOUND).pollInterval(Duration.ofMillis(300)).until(() -> {
            logs.get("c").submit(1, "of its own".getBytes(UTF_8));
            return recorders.values().stream()
                    .allMatch(recorder -> recorder.entries().contains("of its own"));
        });
    }

    private Address address(String id) {
        return logs.get(id).raft().getAddress();
    }

    private void install(String at, String... members) {
        Address[] addresses = new Address[members.length];
        for (int i = 0; i < members.length; i++) {
            addresses[i] = address(members[i]);
        }
        logs.get(at).channel().protocol(GMS.class).installView(View.create(addresses[0], 100, addresses));
    }
}
