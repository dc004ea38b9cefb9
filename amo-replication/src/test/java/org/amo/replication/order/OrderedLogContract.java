package org.amo.replication.order;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.core.order.OrderedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What every binding of {@link OrderedLog} promises, with three members in this process. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
abstract class OrderedLogContract {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final List<String> IDS = List.of("a", "b", "c");

    private final Map<String, OrderedLog> logs = new LinkedHashMap<>();
    private final Map<String, Recorder> recorders = new LinkedHashMap<>();

    /** By member, the numbers that {@link #submit} gave to its entries. */
    private final Map<String, Set<Long>> submitted = new ConcurrentHashMap<>();

    private final AtomicBoolean rejected = new AtomicBoolean();

    /** A new group of members a, b and c. */
    abstract void newGroup();

    /** A log of that member, not started; again after the earlier one was closed. */
    abstract OrderedLog open(String id);

    abstract OrderedLog.Guarantee guarantee();

    /** Whether two of three can serve before the third has ever been there. */
    abstract boolean startsWithMajority();

    @BeforeEach
    void group() {
        newGroup();
    }

    @AfterEach
    void closeAll() {
        logs.values().forEach(OrderedLog::close);
    }

    @Test
    void everyMemberDeliversTheSameEntriesInTheSameOrder() throws InterruptedException {
        startAll();
        Set<String> submitted = new HashSet<>();
        List<Thread> threads = new ArrayList<>();
        for (String id : IDS) {
            for (int i = 0; i < 200; i++) {
                submitted.add(id + i);
            }
            Thread thread = new Thread(() -> submit(id, 0, 200));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join(BOUND.toMillis());
        }

        awaitDelivered(600, IDS);

        assertEquals(submitted, new HashSet<>(recorders.get("a").entries()), "each entry, own ones too, once");
        assertSameOrder(IDS);
        for (String id : IDS) {
            List<Long> positions = recorders.get(id).positions();
            assertTrue(positions.get(0) >= 1, "first position " + positions.get(0));
            for (int i = 1; i < positions.size(); i++) {
                assertTrue(positions.get(i) > positions.get(i - 1), "positions rise");
            }
        }
        assertEquals(guarantee(), logs.get("a").guarantee());
    }

    @Test
    void messagesReachOnlyTheirMemberAndNeverTheLog() {
        startAll();
        logs.get("a").send("b", "to b".getBytes(UTF_8));
        logs.get("c").send("b", "from c".getBytes(UTF_8));
        logs.get("b").send("b", "to itself".getBytes(UTF_8));
        logs.get("a").send("nobody", "lost".getBytes(UTF_8));

        await().atMost(BOUND).until(() -> recorders.get("b").messages().size() == 3);

        assertEquals(
                Set.of("a: to b", "c: from c", "b: to itself"),
                new HashSet<>(recorders.get("b").messages()));
        assertTrue(recorders.get("a").messages().isEmpty());
        assertTrue(recorders.get("b").entries().isEmpty());
    }

    @Test
    void entriesOfAnyContentAndSizeComeThroughUnchanged() {
        startAll();
        String large = "x".repeat(300_000);
        logs.get("b").submit(1, new byte[0]);
        awaitDelivered(1, IDS);
        logs.get("c").submit(2, large.getBytes(UTF_8));
        awaitDelivered(2, IDS);

        for (String id : IDS) {
            assertEquals(List.of("", large), recorders.get(id).entries());
        }
    }

    @Test
    void aMemberThatStartsLateGetsEverythingFromTheFirstEntryOn() {
        List<String> early = startsWithMajority() ? List.of("a", "b") : IDS;
        start(early);
        if (early.contains("c")) {
            logs.remove("c").close();
            awaitLeader(List.of("a", "b"));
        }
        submit("a", 0, 300);
        awaitDelivered(300, List.of("a", "b"));

        start(List.of("c"));
        submit("b", 300, 310);

        awaitDelivered(310, IDS);
        assertSameOrder(IDS);
        assertEquals(recorders.get("a").positions(), recorders.get("c").positions());
    }

    @Test
    void theOthersGoOnWhenAMemberLeaves() {
        startAll();
        String leader = recorders.get("a").leader();
        submit("a", 0, 20);
        awaitDelivered(20, IDS);
        logs.remove(leader).close();
        List<String> rest = IDS.stream().filter(id -> !id.equals(leader)).toList();
        awaitLeader(rest);
        assertFalse(recorders.get(rest.get(0)).leader().equals(leader), "another leads");

        submit(rest.get(1), 20, 40);

        awaitDelivered(40, rest);
        assertSameOrder(rest);
    }

    @Test
    void aMemberAloneOrdersOrRejectsButNeverForgets() {
        Recorder recorder = new Recorder();
        OrderedLog log = open("a");
        logs.put("a", log);
        log.start(recorder);
        log.submit(77, "alone".getBytes(UTF_8));

        await().atMost(BOUND)
                .until(() ->
                        !recorder.rejected().isEmpty() || !recorder.entries().isEmpty());
        assertEquals(servesAlone() ? Set.of() : Set.of(77L), recorder.rejected());
        assertEquals(servesAlone() ? List.of("alone") : List.of(), recorder.entries());
        await().atMost(BOUND).until(() -> recorder.leader().equals(servesAlone() ? "a" : ""));
    }

    /** Whether one member of three serves on its own. */
    boolean servesAlone() {
        return false;
    }

    final Recorder recorder(String id) {
        return Optional.ofNullable(recorders.get(id)).orElseThrow();
    }

    final OrderedLog log(String id) {
        return Optional.ofNullable(logs.get(id)).orElseThrow();
    }

    final void startAll() {
        start(IDS);
    }

    final void close(String id) {
        logs.remove(id).close();
    }

    /** At the same time, as a group's members are. */
    final void start(List<String> ids) {
        List<Thread> threads = new ArrayList<>();
        for (String id : ids) {
            OrderedLog log = open(id);
            Recorder recorder = new Recorder();
            logs.put(id, log);
            recorders.put(id, recorder);
            Thread thread = new Thread(() -> log.start(recorder));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            try {
                thread.join(BOUND.toMillis());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        awaitLeader(ids);
    }

    final void submit(String id, int from, int to) {
        Set<Long> numbers = submitted.computeIfAbsent(id, key -> ConcurrentHashMap.newKeySet());
        for (long number = from; number < to; number++) {
            numbers.add(number);
            logs.get(id).submit(number, (id + number).getBytes(UTF_8));
        }
    }

    /** A busy machine may cost a group its leader at any time. An entry that was rejected meanwhile was certainly not ordered. */
    private void submitRejected() {
        logs.forEach((id, log) -> recorder(id).takeRejected().stream()
                .filter(submitted.getOrDefault(id, Set.of())::contains)
                .forEach(number -> {
                    rejected.set(true);
                    log.submit(number, (id + number).getBytes(UTF_8));
                }));
    }

    /** Waits as long as entries come: a busy machine is slow, but a group that stands still delivers nothing. */
    final void awaitDelivered(int count, List<String> ids) {
        while (!haveDelivered(count, ids)) {
            int before = delivered(ids);
            await("the next delivery of " + count + " at each of " + ids + "; so far " + progress(ids))
                    .atMost(BOUND)
                    .until(() -> {
                        submitRejected();
                        return delivered(ids) > before || haveDelivered(count, ids);
                    });
        }
        for (String id : ids) {
            assertEquals(count, recorder(id).count(), "delivered at " + id);
        }
        assertTrue(
                !rejected.getAndSet(false) || recorders.values().stream().anyMatch(Recorder::lostALeader),
                "rejected, although all members kept their leader");
    }

    private boolean haveDelivered(int count, List<String> ids) {
        return ids.stream().allMatch(id -> recorder(id).count() >= count);
    }

    private int delivered(List<String> ids) {
        return ids.stream().mapToInt(id -> recorder(id).count()).sum();
    }

    private String progress(List<String> ids) {
        return ids.stream()
                .map(id -> recorder(id).count() + " at " + id + " with leader '"
                        + recorder(id).leader() + "' and "
                        + recorder(id).rejected().size() + " rejected")
                .toList()
                .toString();
    }

    /** All of them know the same leader, and it is there. */
    final void awaitLeader(List<String> ids) {
        await().atMost(BOUND)
                .until(() -> logs.containsKey(recorders.get(ids.get(0)).leader())
                        && ids.stream()
                                        .map(id -> recorders.get(id).leader())
                                        .distinct()
                                        .count()
                                == 1);
    }

    final void assertSameOrder(List<String> ids) {
        for (String id : ids) {
            assertEquals(recorders.get(ids.get(0)).entries(), recorders.get(id).entries(), "order at " + id);
        }
    }
}
