package org.amo.replication.order;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RAFT, also with logs that were cut behind a snapshot. */
final class RaftLogTest extends JoinedLogContract {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final List<String> IDS = List.of("a", "b", "c");

    @TempDir
    private Path data = Path.of("unset");

    private ReplicaSettings.Log kind = ReplicaSettings.Log.FILE;

    /** A member takes a third of a second to derive a key from it. */
    private Optional<String> secret = Optional.empty();

    @Override
    OrderedLog open(String id) {
        return OrderedLogs.open(Groups.settings(group, id, members, ReplicaSettings.Order.RAFT, kind, data, secret));
    }

    @Override
    OrderedLog.Guarantee guarantee() {
        return OrderedLog.Guarantee.UNIFORM;
    }

    @Override
    boolean startsWithMajority() {
        return true;
    }

    @Test
    void afterARestartOfAllMembersEveryEntryIsDeliveredAgainFromTheFirst() {
        startAll();
        submit("a", 0, 100);
        awaitDelivered(100, IDS);
        List<String> before = recorder("a").entries();
        IDS.forEach(this::close);

        startAll();
        submit("b", 100, 101);

        awaitDelivered(101, IDS);
        assertSameOrder(IDS);
        assertEquals(before, recorder("c").entries().subList(0, 100));
        assertEquals(1L, recorder("c").positions().get(0));
        assertEquals(101L, recorder("c").positions().get(100));
    }

    @Test
    void afterARestartTheSnapshotComesFirstAndThenWhatFollowsIt() {
        startAll();
        submit("a", 0, 200);
        awaitDelivered(200, IDS);
        long before = logBytes("a");
        IDS.forEach(this::compactNow);
        awaitShorter(before);
        submit("b", 200, 250);
        awaitDelivered(250, IDS);
        List<String> all = recorder("a").entries();
        IDS.forEach(this::close);

        startAll();
        submit("c", 250, 251);

        awaitDelivered(251, IDS);
        assertSameOrder(IDS);
        assertEquals(all, recorder("b").entries().subList(0, 250));
        for (String id : IDS) {
            assertEquals(List.of(200L), recorder(id).snapshots(), id);
            assertEquals(201L, recorder(id).positions().get(1), id);
            assertEquals(251L, recorder(id).snapshot().position(), id);
        }
    }

    @Test
    void aMemberThatLacksWhatWasCutOffGetsTheSnapshotWhileEntriesAreOrdered() {
        bringOnALaggard();
    }

    @Test
    void inMemoryToo() {
        kind = ReplicaSettings.Log.MEMORY;
        bringOnALaggard();
    }

    private void bringOnALaggard() {
        start(List.of("a", "b"));
        submit("a", 0, 200);
        awaitDelivered(200, List.of("a", "b"));
        compactNow("a");
        compactNow("b");
        submit("a", 200, 210);
        awaitDelivered(210, List.of("a", "b"));

        start(List.of("c"));
        submit("b", 210, 220);

        awaitDelivered(220, IDS);
        assertSameOrder(IDS);
        assertEquals(List.of(200L), recorder("c").snapshots());
        // It is a member like the others: with it alone a majority is left.
        close(recorder("a").leader());
        List<String> rest = IDS.stream().filter(this::isOpen).toList();
        awaitLeader(rest);
        submit("c".equals(rest.get(1)) ? "c" : rest.get(0), 300, 310);
        awaitDelivered(230, rest);
        assertSameOrder(rest);
    }

    @Test
    void aMemberMayBehindABigSnapshotBeKilledAndComeBack() {
        secret = Optional.of("sesame");
        start(List.of("a", "b"));
        String large = "x".repeat(3 * 1_000_000);
        log("a").submit(1_000, large.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        submit("a", 0, 20);
        awaitDelivered(21, List.of("a", "b"));
        compactNow("a");
        compactNow("b");

        start(List.of("c"));
        awaitDelivered(21, List.of("c"));
        close("c");
        submit("b", 20, 30);
        awaitDelivered(31, List.of("a", "b"));
        start(List.of("c"));

        awaitDelivered(31, IDS);
        assertSameOrder(IDS);
        assertEquals(1, recorder("c").snapshots().size(), "its own, from its disk");
    }

    @Test
    void anOlderSnapshotNeverTakesThePlaceOfANewerOne() {
        startAll();
        submit("a", 0, 10);
        awaitDelivered(10, IDS);
        var older = recorder("a").snapshot();
        submit("a", 10, 20);
        awaitDelivered(20, IDS);
        assertTrue(log("a").compact(recorder("a").snapshot()));

        assertFalse(log("a").compact(older));

        close("a");
        start(List.of("a"));
        awaitDelivered(20, List.of("a"));
        assertEquals(List.of(20L), recorder("a").snapshots());
    }

    private boolean isOpen(String id) {
        try {
            return log(id) != null;
        } catch (java.util.NoSuchElementException e) {
            return false;
        }
    }

    private void compactNow(String id) {
        assertTrue(log(id).compacts());
        assertTrue(log(id).compact(recorder(id).snapshot()));
    }

    private void awaitShorter(long before) {
        await().atMost(BOUND).until(() -> IDS.stream().map(this::logBytes).allMatch(bytes -> bytes < before / 2));
    }

    private long logBytes(String id) {
        return Groups.logBytes(data, group, id);
    }
}
