package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.amo.base.ClientId;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.order.Groups;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group of one member over a real log: what a snapshot holds, and what goes on while it is taken. */
@Timeout(120)
class RunningReplicaSnapshotTest {
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String LOG_BYTES = "amo.snapshotBytes";
    private static final String LOG_ENTRIES = "amo.snapshotEntries";

    @TempDir
    Path folder = Path.of("unset");

    private final List<Member> members = FreePorts.members(1);
    private final CountDownLatch give = new CountDownLatch(1);
    private volatile Counter servant = new Counter(0);
    private ClientId client = CLIENT;
    private int bodyLength = 8;
    private Optional<ReplicatedService> replica = Optional.empty();

    /** Counts; its state is the count, in an array of any size. */
    private final class Counter implements ServantPort {
        private final AtomicLong count = new AtomicLong();
        private final AtomicLong longestPauseNanos = new AtomicLong();
        private final AtomicLong asked = new AtomicLong();
        private final int size;
        private volatile int replyLength = Long.BYTES;
        private volatile CountDownLatch begin = new CountDownLatch(0);
        private volatile boolean restoresByRecursion;
        private volatile long stateNanos;
        private volatile boolean offersState = true;
        private long lastNanos;

        Counter(int size) {
            this.size = size;
        }

        @Override
        public byte[] execute(long position, long orderedTimeMillis, Request request) {
            passed(begin);
            long now = System.nanoTime();
            if (lastNanos != 0) {
                longestPauseNanos.accumulateAndGet(now - lastNanos, Math::max);
            }
            lastNanos = now;
            return Arrays.copyOf(bytes(count.incrementAndGet()), replyLength);
        }

        @Override
        public Optional<byte[]> takeState() {
            asked.incrementAndGet();
            passed(give);
            for (long began = System.nanoTime(); System.nanoTime() - began < stateNanos; ) {
                Thread.onSpinWait();
            }
            return !offersState ? Optional.empty() : Optional.of(Arrays.copyOf(bytes(count.get()), Long.BYTES + size));
        }

        @Override
        public void restoreState(byte[] state) {
            if (restoresByRecursion) {
                // As set_state does that is called by reflection.
                throw new IllegalStateException("set_state failed", new StackOverflowError("planted"));
            }
            count.set(ByteBuffer.wrap(state).getLong());
        }
    }

    private static void passed(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @BeforeEach
    void cutEarly() {
        System.setProperty(LOG_BYTES, "20000");
    }

    @AfterEach
    void close() {
        System.clearProperty(LOG_BYTES);
        System.clearProperty(LOG_ENTRIES);
        give.countDown();
        replica.ifPresent(ReplicatedService::close);
    }

    /** Deliveries and decisions do not wait for the servant to give its state; executions do. */
    @Test
    void deliveriesGoOnWhileTheStateIsTakenAndTheCutIsExact() throws Exception {
        open();
        Answer kept = call(1, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        call(2, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        long number = 2;
        CompletableFuture<Answer> last = CompletableFuture.completedFuture(kept);
        while (servant.asked.get() == 0) {
            CompletableFuture<Answer> next = call(++number, FinishedNumbers.of(0, 2, 2));
            await().atMost(BOUND)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> next.isDone() || servant.asked.get() > 0);
            last = next;
        }
        long executed = status().executed();
        // Decided, and it must wait with its execution until the state was given. The last one may be such a call
        // already.
        CompletableFuture<Answer> waiting = last.isDone() ? call(++number, FinishedNumbers.of(0, 2, 2)) : last;
        long position = status().position();
        replica.orElseThrow().acknowledge(CLIENT, FinishedNumbers.of(0, 2, 3));
        await().atMost(BOUND).until(() -> status().position() > position);
        Answer cached = call(1, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        assertArrayEquals(kept.reply(), cached.reply(), "answered from the cache meanwhile");
        assertEquals(executed, status().executed());

        give.countDown();

        assertArrayEquals(bytes(executed + 1), waiting.get(20, TimeUnit.SECONDS).reply());
        await().atMost(BOUND).until(() -> Files.exists(snapshot()));
        ReplicaStatus before = status();
        replica.orElseThrow().close();
        servant = new Counter(0);
        open();
        // Entries of the group's own follow soon, and count in the digest.
        ReplicaStatus after = await().atMost(BOUND)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(this::status, now -> now.executedPosition() >= before.executedPosition());
        if (after.executedPosition() == before.executedPosition()) {
            assertEquals(before.digest(), after.digest());
        }
        assertEquals(before.executed(), servant.count.get(), "the servant goes on from the state of the same position");
        assertArrayEquals(
                kept.reply(),
                call(1, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS).reply());
        assertEquals(
                Optional.of(Refusal.STALE),
                call(2, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS).refusal());
        assertEquals(before.executed(), servant.count.get());
    }

    @Test
    void aLargeStateIsTakenWhileCallsRun() throws Exception {
        takeWhileCallsRun(10);
    }

    /** Not a bar, a measurement for docs/how-to/offer-a-servants-state.md: printed, and checked only for being there. */
    @Test
    @Tag("slow")
    void aStateOfAHundredMegabytesIsTakenWhileCallsRun() throws Exception {
        takeWhileCallsRun(100);
    }

    private void takeWhileCallsRun(int megabytes) throws Exception {
        servant = new Counter(megabytes << 20);
        give.countDown();
        open();
        long number = 0;
        long longestNanos = 0;
        long until = Long.MAX_VALUE;
        while (System.nanoTime() < until) {
            long began = System.nanoTime();
            call(++number, FinishedNumbers.of(number - 1)).get(20, TimeUnit.SECONDS);
            longestNanos = Math.max(longestNanos, System.nanoTime() - began);
            if (until == Long.MAX_VALUE && Files.exists(snapshot())) {
                until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
            }
        }
        assertTrue(Files.size(snapshot()) > megabytes << 20);
        System.out.println(megabytes + " MB of state: longest call " + longestNanos / 1_000_000
                + " ms, longest pause between executions " + servant.longestPauseNanos.get() / 1_000_000 + " ms, calls "
                + number);
    }

    /** However few bytes they have, a start executes them again. */
    @Test
    void aNumberOfEntriesAsksForASnapshotToo() throws Exception {
        System.setProperty(LOG_BYTES, "1000000000");
        System.setProperty(LOG_ENTRIES, "50");
        give.countDown();
        open();
        long number = 0;
        while (!Files.exists(snapshot()) && number < 2_000) {
            call(++number, FinishedNumbers.of(number - 1)).get(20, TimeUnit.SECONDS);
        }
        assertTrue(Files.exists(snapshot()), "after " + number + " calls");
        replica.orElseThrow().close();
        servant = new Counter(0);
        open();
        long executed = number;
        await().atMost(BOUND).until(() -> servant.count.get() == executed);
    }

    /** Nothing is written, so that the search for the state is all that it takes. */
    @Test
    void aServantWithoutStateIsNotAskedForItAgainAndAgain() throws Exception {
        System.setProperty(LOG_BYTES, "1000000000");
        System.setProperty(LOG_ENTRIES, "10");
        give.countDown();
        servant.offersState = false;
        servant.stateNanos = TimeUnit.MILLISECONDS.toNanos(30);
        long began = System.nanoTime();
        open();
        for (long number = 1; number <= 500; number++) {
            call(number, FinishedNumbers.of(number - 1)).get(20, TimeUnit.SECONDS);
        }
        long asked = servant.asked.get();
        long most = 1 + (System.nanoTime() - began) / (100 * servant.stateNanos);
        assertTrue(asked >= 1 && asked <= most, asked + " times, at most " + most);
    }

    /** A snapshot has them on the heap, wherever they are kept. */
    @Test
    void noSnapshotIsTakenWhileKeptRepliesAreLarge() throws Exception {
        System.setProperty(LOG_BYTES, "100000");
        give.countDown();
        servant.replyLength = 8 << 20;
        open();
        long number = 0;
        while (number * servant.replyLength <= Runtime.getRuntime().maxMemory() / 8) {
            call(++number, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        }
        servant.replyLength = Long.BYTES;
        long large = number;
        // A client whose replies take as much is refused.
        client = new ClientId(3, 4);
        bodyLength = 2_000;
        for (int i = 0; i < 100; i++) {
            assertEquals(
                    Optional.empty(),
                    call(++number, FinishedNumbers.NONE)
                            .get(20, TimeUnit.SECONDS)
                            .refusal());
        }
        assertEquals(0, servant.asked.get());
        replica.orElseThrow().acknowledge(CLIENT, FinishedNumbers.of(large));
        await().atMost(BOUND).until(() -> Files.exists(snapshot()));
    }

    /** Their length is not known when it begins. */
    @Test
    void aSnapshotIsGivenUpIfTheRepliesOfRequestsUnderWayAreLarge() throws Exception {
        long most = Runtime.getRuntime().maxMemory() / 8;
        servant.replyLength = 8 << 20;
        int calls = (int) (5 * most / 4 / servant.replyLength) + 1;
        bodyLength = 60_000;
        // The first snapshot begins with the last of them.
        System.setProperty(LOG_BYTES, "" + calls * bodyLength);
        give.countDown();
        servant.begin = new CountDownLatch(1);
        open();
        List<CompletableFuture<Answer>> underWay = new ArrayList<>();
        for (int number = 1; number <= calls; number++) {
            underWay.add(call(number, FinishedNumbers.NONE));
        }
        long all = calls;
        await().atMost(BOUND).until(() -> status().entries() == all);
        servant.begin.countDown();
        for (CompletableFuture<Answer> each : underWay) {
            assertEquals(servant.replyLength, each.get(20, TimeUnit.SECONDS).reply().length);
        }
        await().atMost(BOUND).until(() -> servant.asked.get() == 1);
        servant.replyLength = Long.BYTES;
        long number = calls;
        while (!Files.exists(snapshot())) {
            call(++number, FinishedNumbers.of(number - 1)).get(20, TimeUnit.SECONDS);
        }
        assertTrue(Files.size(snapshot()) < most, "without the replies that were acknowledged");
    }

    /** The process ended by the error, without a word, and at each start again. */
    @Test
    void aStateWhoseRestoreOverflowsTheStackIsRefusedWithTheRemedy() throws Exception {
        give.countDown();
        open();
        for (long number = 1; !Files.exists(snapshot()); number++) {
            call(number, FinishedNumbers.of(number - 1)).get(20, TimeUnit.SECONDS);
        }
        replica.orElseThrow().close();
        servant = new Counter(0);
        servant.restoresByRecursion = true;
        OrderedLogException refused = assertThrows(OrderedLogException.class, this::open);
        String line = String.valueOf(refused.getMessage());
        assertTrue(line.contains("-Xss") && !line.contains("\n"), line);
        assertEquals(Optional.empty(), FatalErrors.in(refused));
    }

    @Test
    void anOperatorHasASnapshotTakenAndTheStatusTellsOfIt() throws Exception {
        System.setProperty(LOG_BYTES, "1000000000");
        give.countDown();
        servant.stateNanos = TimeUnit.MILLISECONDS.toNanos(2);
        open();
        call(1, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        assertEquals(Map.of(), status().snapshot());
        long before = status().position();
        ask().get(20, TimeUnit.SECONDS);
        Map<String, Long> first = status().snapshot();
        assertTrue(first.getOrDefault("position", 0L) >= before, first::toString);
        assertTrue(first.getOrDefault("takeMicros", 0L) >= 2_000, first::toString);
        assertTrue(first.getOrDefault("writeMicros", 0L) > 0, first::toString);
        assertEquals(1L, first.get("taken"));
        long bytes = first.getOrDefault("bytes", 0L);
        assertTrue(bytes > Long.BYTES && bytes < Files.size(snapshot()), first::toString);

        replica.orElseThrow().close();
        servant = new Counter(0);
        open();
        assertEquals(
                Map.of(
                        "position",
                        first.get("position"),
                        "bytes",
                        bytes,
                        "takeMicros",
                        0L,
                        "writeMicros",
                        0L,
                        "taken",
                        0L),
                status().snapshot());
        call(2, FinishedNumbers.of(1)).get(20, TimeUnit.SECONDS);
        assertEquals(2, servant.count.get());
    }

    /** The one under way is of an earlier position. */
    @Test
    void anOperatorWaitsForASnapshotOfThePositionOfTheQuestion() throws Exception {
        System.setProperty(LOG_BYTES, "1000000000");
        open();
        call(1, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        CompletableFuture<GroupMembers> early = ask();
        await().atMost(BOUND).until(() -> servant.asked.get() == 1);
        long before = status().position();
        replica.orElseThrow().acknowledge(CLIENT, FinishedNumbers.of(1));
        await().atMost(BOUND).until(() -> status().position() > before);
        long position = status().position();
        CompletableFuture<GroupMembers> late = ask();
        give.countDown();
        early.get(20, TimeUnit.SECONDS);
        late.get(20, TimeUnit.SECONDS);
        assertTrue(status().snapshot().getOrDefault("position", 0L) >= position);
        assertEquals(2, servant.asked.get());
    }

    @Test
    void anOperatorIsToldWhyThereIsNoSnapshot() throws Exception {
        System.setProperty(LOG_BYTES, "1000000000");
        give.countDown();
        servant.offersState = false;
        open();
        assertRefused(OrderedLogException.Fault.USER, "offer no state", ask());
        assertRefused(
                OrderedLogException.Fault.USER,
                "this is member 'a'",
                ask(Member.parseList("b=h:1/2").get(0), 0));
        assertRefused(OrderedLogException.Fault.ENVIRONMENT, "have changed since", ask(members.get(0), 1));
        servant.offersState = true;
        call(1, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        // The disk does not take it.
        Path draft = Files.createDirectories(snapshot().resolveSibling("snapshot.next"));
        assertRefused(OrderedLogException.Fault.ENVIRONMENT, "is the disk full?", ask());
        assertEquals(Map.of(), status().snapshot());
        Files.deleteIfExists(draft);
        ask().get(20, TimeUnit.SECONDS);
        assertEquals(1L, status().snapshot().get("taken"));
    }

    @Test
    void anOperatorIsToldThatTheMemberStops() throws Exception {
        System.setProperty(LOG_BYTES, "1000000000");
        open();
        call(1, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        CompletableFuture<GroupMembers> waiting = ask();
        await().atMost(BOUND).until(() -> servant.asked.get() == 1);
        replica.orElseThrow().close();
        assertRefused(OrderedLogException.Fault.ENVIRONMENT, "it stops", waiting);
    }

    @Test
    @Tag("slow")
    void anOperatorDoesNotWaitForEver() throws Exception {
        System.setProperty(LOG_BYTES, "1000000000");
        open();
        call(1, FinishedNumbers.NONE).get(20, TimeUnit.SECONDS);
        assertRefused(OrderedLogException.Fault.ENVIRONMENT, "still being taken", ask());
    }

    private static void assertRefused(
            OrderedLogException.Fault fault, String part, CompletableFuture<GroupMembers> asked) {
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> asked.get(20, TimeUnit.SECONDS));
        OrderedLogException why = assertInstanceOf(OrderedLogException.class, thrown.getCause());
        assertEquals(fault, why.fault(), why::toString);
        assertTrue(String.valueOf(why.getMessage()).contains(part), why::toString);
    }

    private CompletableFuture<GroupMembers> ask() {
        return ask(members.get(0), 0);
    }

    /** As {@code amo snapshot take} does. */
    private CompletableFuture<GroupMembers> ask(Member member, long version) {
        return replica.orElseThrow()
                .changeMembers(MemberChange.of("one", MemberChange.Kind.SNAPSHOT, member, version, Optional.empty()))
                .toCompletableFuture();
    }

    @Test
    void aClosedMemberWritesNothingAnyMore() throws Exception {
        servant = new Counter(100 << 20);
        give.countDown();
        open();
        for (long number = 1; filesBesideTheLog().isEmpty(); number++) {
            call(number, FinishedNumbers.of(number - 1)).get(20, TimeUnit.SECONDS);
        }
        replica.orElseThrow().close();
        Map<Path, Long> atOnce = sizes();
        await().atMost(BOUND).until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("amo-snapshot-a")));
        assertEquals(atOnce, sizes());
    }

    /** A snapshot, or one that is being written. */
    private List<Path> filesBesideTheLog() throws IOException {
        try (Stream<Path> files = Files.list(snapshot().getParent())) {
            return files.filter(file -> file.getFileName().toString().startsWith("snapshot"))
                    .toList();
        }
    }

    private Map<Path, Long> sizes() throws IOException {
        Map<Path, Long> sizes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                sizes.put(file, Files.size(file));
            }
        }
        return sizes;
    }

    private Path snapshot() {
        return folder.resolve("one").resolve("a").resolve("a.log").resolve("snapshot.amo");
    }

    private void open() {
        ReplicaSettings settings = Groups.settings(
                "one", "a", members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FSYNC, folder, Optional.empty());
        replica = Optional.of(new ReplicationProvider().open(settings, servant, why -> {}));
        await().atMost(BOUND)
                .until(() ->
                        status().orderedTimeMillis() > 0 && !status().leader().isEmpty());
    }

    private ReplicaStatus status() {
        return replica.orElseThrow().status();
    }

    private CompletableFuture<Answer> call(long number, FinishedNumbers finished) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        ReplicaStatus status = status();
        long timestamp = Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
        replica.orElseThrow()
                .submit(
                        new Request(
                                RequestId.own(client, number),
                                timestamp,
                                timestamp + 60_000,
                                number,
                                false,
                                new byte[bodyLength]),
                        finished,
                        answer::complete);
        return answer;
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }
}
