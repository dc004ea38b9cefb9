package org.amo.replication.order;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Logs that keep entries in front of a snapshot, for members that are away for a moment. */
@Timeout(120)
@Isolated("it changes a system property")
final class KeptEntriesTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final String KEPT_ENTRIES = "amo.keptEntries";
    private static final int KEPT = 100;

    private final String before = System.getProperty(KEPT_ENTRIES);
    private final String group = Groups.freshName();
    private final List<Member> members = FreePorts.members(3);
    private final Map<String, OrderedLog> logs = new LinkedHashMap<>();
    private final Map<String, Recorder> recorders = new LinkedHashMap<>();
    private int submitted;

    @TempDir
    private Path data = Path.of("unset");

    @BeforeEach
    void keep() {
        System.setProperty(KEPT_ENTRIES, Integer.toString(KEPT));
    }

    @AfterEach
    void close() {
        System.setProperty(KEPT_ENTRIES, before);
        logs.values().forEach(OrderedLog::close);
    }

    @Test
    void aMemberThatLacksNoMoreGetsThemAndNoSnapshot() {
        start(List.of("a", "b", "c"));
        order(50);
        close("c");
        order(2 * KEPT);
        compact();
        start(List.of("c"));
        awaitDelivered();
        assertEquals(List.of(50L + 2 * KEPT), recorder("c").snapshots(), "it lacked more than they keep");

        close("c");
        order(KEPT / 2);
        Map<String, Long> before = lengths();
        compact();
        start(List.of("c"));
        order(10);
        assertEquals(List.of(50L + 2 * KEPT), recorder("c").snapshots(), "its own, from its disk");
        for (String id : List.of("a", "b")) {
            assertTrue(lengths().get(id) > before.get(id), "a cut would have written more than it removes");
        }
    }

    /** As the members of a group do: at the same time. */
    private void start(List<String> ids) {
        CompletableFuture.allOf(ids.stream().map(this::startOne).toArray(CompletableFuture[]::new))
                .join();
    }

    private CompletableFuture<Void> startOne(String id) {
        OrderedLog log = OrderedLogs.open(Groups.settings(
                group, id, members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, data, Optional.empty()));
        Recorder recorder = new Recorder();
        logs.put(id, log);
        recorders.put(id, recorder);
        return CompletableFuture.runAsync(() -> log.start(recorder), task -> new Thread(task).start());
    }

    private void close(String id) {
        Optional.ofNullable(logs.remove(id)).orElseThrow().close();
        recorders.remove(id);
    }

    private void order(int entries) {
        await().atMost(BOUND).until(() -> recorders.values().stream()
                .map(Recorder::leader)
                .allMatch(leader ->
                        logs.containsKey(leader) && leader.equals(recorder("a").leader())));
        OrderedLog leader =
                Optional.ofNullable(logs.get(recorder("a").leader())).orElseThrow();
        for (int i = 0; i < entries; i++) {
            leader.submit(submitted, Integer.toString(submitted).getBytes(UTF_8));
            submitted++;
        }
        awaitDelivered();
    }

    private void awaitDelivered() {
        await().atMost(BOUND)
                .untilAsserted(() -> recorders.forEach((id, recorder) ->
                        assertEquals(submitted, recorder.entries().size(), "delivered at " + id)));
    }

    private void compact() {
        logs.forEach((id, log) -> assertTrue(log.compact(recorder(id).snapshot())));
    }

    private Map<String, Long> lengths() {
        Map<String, Long> lengths = new LinkedHashMap<>();
        logs.forEach((id, log) -> lengths.put(id, Groups.logBytes(data, group, id)));
        return lengths;
    }

    private Recorder recorder(String id) {
        return Optional.ofNullable(recorders.get(id)).orElseThrow();
    }
}
