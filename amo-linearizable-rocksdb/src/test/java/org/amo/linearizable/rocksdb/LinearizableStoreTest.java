package org.amo.linearizable.rocksdb;

import static org.amo.linearizable.rocksdb.Operations.ALL;
import static org.amo.linearizable.rocksdb.Operations.conditionalWrite;
import static org.amo.linearizable.rocksdb.Operations.delete;
import static org.amo.linearizable.rocksdb.Operations.increment;
import static org.amo.linearizable.rocksdb.Operations.key;
import static org.amo.linearizable.rocksdb.Operations.text;
import static org.amo.linearizable.rocksdb.Operations.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.StoreOutcome.Status;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store on a real disk (rows R3 to R10, R12, R14, R16, R17). */
class LinearizableStoreTest {
    private static final KeyRange LOW = new KeyRange(1, 0, Long.MAX_VALUE);
    private static final KeyRange HIGH = new KeyRange(1, Long.MIN_VALUE, -1);

    @TempDir
    Path directory;

    private TestAuthority authority = new TestAuthority();
    private final List<LinearizableStore> stores = new ArrayList<>();
    private LinearizableStore store;
    private LeaseAnswer lease;

    @BeforeEach
    void open() {
        lease = authority.openLease();
        store = open("a", ALL);
    }

    @AfterEach
    void close() {
        stores.forEach(LinearizableStore::close);
    }

    private LinearizableStore open(String name, KeyRange... ranges) {
        LinearizableStore opened = LinearizableStore.open(
                directory.resolve(name),
                List.of(ranges),
                StoreOptions.builder().durability(Durability.FILE).build(),
                authority);
        stores.add(opened);
        Awaitility.await().until(() -> get(opened.status()).ready());
        return opened;
    }

    private void reopen() {
        close();
        stores.clear();
        store = open("a", ALL);
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private RpcHeader header(LeaseAnswer of, long number, long ackId) {
        return new RpcHeader(new RpcId(of.client(), number), ackId, of.expires(), ClusterTime.ZERO);
    }

    private String call(LinearizableStore at, long number, long ackId, String key, Operation operation) {
        return told(get(at.call(header(lease, number, ackId), key(key), operation)));
    }

    private static String told(StoreOutcome outcome) {
        return outcome.status() == Status.DONE ? text(outcome.result()) : "" + outcome.status();
    }

    private String call(long number, long ackId, String key, Operation operation) {
        return call(store, number, ackId, key, operation);
    }

    private String value(String key) {
        return get(store.read(key(key))).map(object -> text(object.value())).orElse("none");
    }

    @Test
    void eachOperationRunsOnceAndItsCopiesGetItsResult() {
        assertEquals("1", call(1, 0, "k", write("x")));
        assertEquals("1", call(1, 0, "k", write("x")));
        assertEquals("2", call(2, 0, "k", conditionalWrite(1, "y")));
        assertEquals("2", call(2, 0, "k", conditionalWrite(1, "y")), "it was met when it was looked at");
        assertEquals("no", call(3, 0, "k", conditionalWrite(1, "z")));
        assertEquals("1", call(4, 0, "n", increment()));
        assertEquals("1", call(4, 0, "n", increment()));
        assertEquals("y", value("k"));
        assertEquals("1", value("n"));
    }

    /** Section I: the bank. The delayed first write must not undo the transactions after it. */
    @Test
    void aDelayedWriteOfTheFirstBalanceDoesNotOverwriteLaterOnes() {
        assertEquals("1", call(1, 0, "account", write("0")));
        assertEquals("1", call(2, 1, "account", increment()));
        assertEquals("2", call(3, 2, "account", increment()));
        assertEquals("STALE", call(1, 0, "account", write("0")), "the packet that was on its way all the time");
        assertEquals("2", value("account"));
        reopen();
        assertEquals("STALE", call(1, 0, "account", write("0")));
        assertEquals("2", value("account"));
    }

    /** RocksDB's default would open it without this write and all behind it. */
    @Test
    void aWriteThatTheDiskDamagedIsNotLeftOutWithoutAWord() throws IOException {
        for (int i = 1; i <= 40; i++) {
            assertEquals("1", call(i, 0, "k" + i, write("x")));
        }
        close();
        stores.clear();
        Path log = only(directory.resolve("a"), ".log");
        byte[] whole = Files.readAllBytes(log);
        int refused = 0;
        // A last write may be torn, so it is not looked at.
        for (int at = 3; at < whole.length * 9 / 10; at += whole.length / 40) {
            Path copy = copy("a", "flip-" + at);
            byte[] flipped = whole.clone();
            flipped[at] ^= 16;
            Files.write(copy.resolve(log.getFileName()), flipped);
            try {
                store = open(copy.getFileName().toString(), ALL);
                for (int i = 1; i <= 40; i++) {
                    assertEquals("x", value("k" + i), "byte " + at);
                }
                close();
                stores.clear();
            } catch (StoreException e) {
                refused++;
                assertTrue(String.valueOf(e.getMessage()).contains("; put a copy"), e.getMessage());
            }
        }
        assertTrue(refused > 20, refused + " flips noticed");
    }

    /** RocksDB makes a store where CURRENT is missing, but none beside a log of writes, and each open store has one. */
    @Test
    void aStoreThatLostItsFileCurrentIsNotMadeAnew() throws IOException {
        assertEquals("1", call(1, 0, "k", write("x")));
        close();
        stores.clear();
        Path current = directory.resolve("a").resolve("CURRENT");
        byte[] content = Files.readAllBytes(current);
        Files.delete(current);
        StoreException e = assertThrows(StoreException.class, () -> open("a", ALL));
        assertTrue(String.valueOf(e.getMessage()).contains("contains existing log file"), e.getMessage());
        Files.write(current, content);
        store = open("a", ALL);
        assertEquals("x", value("k"));
    }

    /** RocksDB would open it as it was when it last wrote its tables, without a word about the calls that were answered since. */
    @Test
    void aStoreThatLostItsLogOfWritesIsNeitherOpenedNorTakenOver() throws IOException {
        assertEquals("1", call(1, 0, "k", write("x")));
        close();
        stores.clear();
        Path lost = directory.resolve("a");
        Path log = only(lost, ".log");
        byte[] content = Files.readAllBytes(log);
        Files.delete(log);
        StoreException e = assertThrows(StoreException.class, () -> open("a", ALL));
        assertTrue(String.valueOf(e.getMessage()).contains("the log of writes"), e.getMessage());
        LinearizableStore other = open("b");
        CompletionException notTaken = assertThrows(CompletionException.class, () -> take(other, lost, ALL));
        String message = String.valueOf(notTaken.getCause().getMessage());
        assertTrue(message.contains("the log of writes"), message);
        Files.write(log, content);
        store = open("a", ALL);
        assertEquals("x", value("k"));
    }

    /** Nothing in an empty store tells that calls were answered from its directory before. */
    @Test
    void aStoreThatWasMadeAnewIsNotTakenOverForTheOneThatWasLost() throws IOException {
        Path dead = directory.resolve("dead");
        Path lost = directory.resolve("lost");
        String id = idOf(dead);
        assertEquals(id, idOf(dead), "over a restart");
        Files.move(dead, lost);
        assertNotEquals(id, idOf(dead));
        LinearizableStore heir = open("heir");
        CompletionException e = assertThrows(CompletionException.class, () -> take(heir, dead, Optional.of(id)));
        String message = String.valueOf(e.getCause().getMessage());
        assertTrue(message.contains("and not " + id), message);
        take(heir, lost, Optional.of(id));
        take(open("heir of any"), dead, Optional.empty());
    }

    private String idOf(Path at) {
        AtomicReference<String> id = new AtomicReference<>("");
        StoreOptions options =
                StoreOptions.builder().durability(Durability.FILE).build();
        Function<String, List<KeyRange>> ranges = told -> {
            id.set(told);
            return List.of(ALL);
        };
        LinearizableStore.open(at, ranges, options, authority).close();
        return id.get();
    }

    private static void take(LinearizableStore at, Path dead, Optional<String> id) {
        get(at.takeOver(dead, id, List.of(ALL), () -> CompletableFuture.completedFuture(null)));
    }

    /** The lock of the file system does not tell a process of itself, and would be lost with the try. */
    @Test
    void theRangesOfAStoreOfThisProcessCannotBeTaken() throws Exception {
        Path running = directory.resolve("running");
        LinearizableStore heir = open("heir");
        try (RocksFiles files = RocksFiles.open(running)) {
            assertEquals(Optional.empty(), files.id());
            CompletionException e = assertThrows(CompletionException.class, () -> take(heir, running, ALL));
            assertTrue(
                    e.getCause().getMessage().contains("is running"),
                    e.getCause().getMessage());
            assertThrows(StoreException.class, () -> RocksFiles.open(running));
        }
        try (DirectoryUse reader = DirectoryUse.toRead(running)) {
            assertTrue(reader.isHeld());
            assertThrows(StoreException.class, () -> RocksFiles.open(running), "it comes back while it is read");
            assertThrows(StoreException.class, () -> DirectoryUse.toRead(running));
        }
        RocksFiles.open(running).close();
    }

    /** A store without an id, of an older version, is none that the coordinator could know the id of. */
    @Test
    void aStoreWithoutAnIdIsNotTakenOverForOneWithAnId() throws Exception {
        Path dead = directory.resolve("dead");
        RocksFiles.open(dead).close();
        LinearizableStore heir = open("heir");
        CompletionException e = assertThrows(CompletionException.class, () -> take(heir, dead, Optional.of("5e")));
        String message = String.valueOf(e.getCause().getMessage());
        assertTrue(message.contains("none, and not 5e"), message);
    }

    /** The same for a server that takes over the ranges of a dead one. */
    @Test
    void nothingIsTakenFromADeadServerWhoseWritesTheDiskDamaged() throws IOException {
        for (int i = 1; i <= 40; i++) {
            assertEquals("1", call(i, 0, "k" + i, write("x")));
        }
        store.close();
        stores.remove(store);
        Path dead = directory.resolve("a");
        Path log = only(dead, ".log");
        byte[] flipped = Files.readAllBytes(log);
        flipped[flipped.length / 2] ^= 16;
        Files.write(log, flipped);
        LinearizableStore other = open("b");
        CompletionException e = assertThrows(CompletionException.class, () -> take(other, dead, ALL));
        String message = String.valueOf(e.getCause().getMessage());
        assertTrue(message.contains("cannot read the store") && message.contains("; put a copy"), message);
        assertEquals("ELSEWHERE", call(other, 1, 0, "k1", write("x")));
    }

    /** The coordinator asks another server then, which would end in the same way. */
    @Test
    void aServerGoesOnWhenItCannotReadTheRecordsOfADeadOne() throws Exception {
        assertEquals("1", call(1, 0, "k", write("x")));
        store.close();
        stores.remove(store);
        Path dead = directory.resolve("a");
        try (RocksFiles files = RocksFiles.open(dead)) {
            files.db().put(files.rpcs(), StoreFormat.rpc(lease.client().value(), 2), new byte[] {77});
        }
        LinearizableStore other = open("b", LOW);
        CompletionException e = assertThrows(CompletionException.class, () -> take(other, dead, HIGH));
        assertTrue(
                e.getCause().getMessage().contains("cannot read the store"),
                e.getCause().getMessage());
        assertEquals("ELSEWHERE", call(other, 1, 0, keyIn(HIGH), increment()));
        assertEquals("1", call(other, 1, 0, keyIn(LOW), increment()));
    }

    private static Path only(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .findAny()
                    .orElseThrow();
        }
    }

    private Path copy(String from, String to) throws IOException {
        Path target = Files.createDirectory(directory.resolve(to));
        try (Stream<Path> files = Files.list(directory.resolve(from))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
        }
        return target;
    }

    @Test
    void resultsSurviveARestartAndFailedConditionsToo() {
        call(1, 0, "k", write("x"));
        call(2, 0, "k", conditionalWrite(7, "y"));
        call(3, 0, "k", conditionalWrite(1, "z"));
        reopen();
        assertEquals("no", call(2, 0, "k", conditionalWrite(2, "y")));
        assertEquals("2", call(3, 0, "k", conditionalWrite(1, "z")));
        assertEquals("z", value("k"));
    }

    @Test
    void aDeletedObjectsVersionsDoNotComeAgain() {
        assertEquals("1", call(1, 0, "k", write("x")));
        assertEquals("2", call(2, 1, "k", delete()));
        assertEquals("none", value("k"));
        reopen();
        assertEquals("2", call(3, 2, "k", write("y")));
        assertEquals("no", call(4, 3, "k", conditionalWrite(1, "z")), "version 1 was another object");
    }

    @Test
    void anOperationThatThrowsChangesNothingAndMayBeTriedAgain() {
        Operation broken = (object, next) -> {
            throw new IllegalArgumentException("not a number");
        };
        CompletionException e = assertThrows(CompletionException.class, () -> call(1, 0, "k", broken));
        assertEquals("not a number", e.getCause().getMessage());
        assertThrows(CompletionException.class, () -> get(store.callUnrecorded(key("k"), broken)));
        assertEquals("1", call(1, 0, "k", increment()));
    }

    @Test
    void anErrorOfAnOperationFailsItsCallAlone() {
        Operation broken = (object, next) -> {
            throw new AssertionError("never negative");
        };
        CompletionException e = assertThrows(CompletionException.class, () -> call(1, 0, "k", broken));
        assertTrue(
                e.getCause().getMessage().contains("never negative"),
                e.getCause().getMessage());
        assertThrows(CompletionException.class, () -> get(store.callUnrecorded(key("k"), broken)));
        assertEquals("1", call(1, 0, "k", increment()));
    }

    @Test
    void aStoreThatCannotGoOnTellsAllItsCallers() {
        Operation fatal = (object, next) -> {
            throw new OutOfMemoryError("of a test");
        };
        for (long number = 1; number <= 2; number++) {
            long each = number;
            CompletionException e = assertThrows(CompletionException.class, () -> call(each, 0, "k", fatal));
            assertTrue(
                    e.getCause().getMessage().contains("failed: of a test"),
                    e.getCause().getMessage());
        }
    }

    @Test
    void aUsedNumberForAnotherObjectIsAMistake() {
        call(1, 0, "k", write("x"));
        assertEquals("MISUSED", call(1, 0, "other", write("y")));
        assertEquals("MISUSED", call(1_000, 0, "k", write("y")), "beyond the window");
        assertEquals("none", value("other"));
    }

    /** Two clients with one lease, such as copies of one machine: none takes the other's result for its own. */
    @Test
    void aUsedNumberForAnotherRequestIsAMistakeBehindARestartToo() {
        assertEquals("1", requested(7, "x"));
        assertEquals("MISUSED", requested(8, "y"));
        reopen();
        assertEquals("MISUSED", requested(8, "y"));
        assertEquals("1", requested(7, "x"), "a retry");
        assertEquals("x", value("k"));
    }

    private String requested(long request, String value) {
        return told(get(store.call(header(lease, 1, 0), key("k"), request, write(value))));
    }

    @Test
    void acknowledgedRecordsGoAndAreStillRefused() throws Exception {
        for (int i = 1; i <= 50; i++) {
            assertEquals("" + i, call(i, i - 1, "n", increment()));
        }
        reopen();
        assertEquals("STALE", call(49, 0, "n", increment()));
        assertEquals("50", call(50, 0, "n", increment()));
        store.sweep();
        assertEquals(1, get(store.status()).clients());
        close();
        stores.clear();
        String client = lease.client().value() + "-";
        assertEquals(List.of(client + "0", client + "50"), List.copyOf(rows().keySet()), "its bound and one record");
    }

    /** Row R10: many go together, and no sweep is needed for that. */
    @Test
    void acknowledgedRecordsDoNotPileUp() throws Exception {
        for (int i = 1; i <= 300; i++) {
            assertEquals("" + i, call(i, i - 1, "n", increment()));
        }
        close();
        stores.clear();
        assertTrue(rows().size() < 40, "rows: " + rows().size());
    }

    /**
     * Row R15: some clients acknowledge, and one vanishes each hundredth of a term with three unacknowledged results. Their records are of
     * no use from the end of the lease on.
     */
    @Test
    void recordsOfNoUseStayWithinATenthOfTheOthers() throws Exception {
        long sweep = LinearizableStore.sweepMillis(TestAuthority.TERM);
        List<LeaseAnswer> lasting =
                IntStream.range(0, 2).mapToObj(each -> authority.openLease()).toList();
        long sweepAt = 0;
        long most = 0;
        for (int tick = 1; tick <= 300; tick++) {
            long now = tick * TestAuthority.TERM / 100;
            authority.setTime(10 + now);
            LeaseAnswer vanishing = authority.openLease();
            for (int i = 1; i <= 3; i++) {
                get(store.call(header(vanishing, i, 0), key("v" + i), write("x")));
            }
            for (LeaseAnswer each : lasting) {
                LeaseAnswer renewed = authority.renew(each.client());
                // Its header tells the server the time, as that of each client that renews.
                RpcHeader header = new RpcHeader(
                        new RpcId(each.client(), tick), tick - 1, renewed.expires(), new ClusterTime(10 + now));
                get(store.call(header, key("k"), write("x")));
            }
            StoreStatus status = get(store.status());
            if (tick > 100) {
                most = Math.max(most, 1_000 * status.garbage() / status.records());
            }
            if (now >= sweepAt) {
                sweepAt = now + sweep;
                store.sweep();
                // Those whose end it learns are asked about behind it.
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> get(store.status()).garbage() == 0);
            }
        }
        assertTrue(most > 0 && most <= 100, "in 1,000 records that are kept: " + most);
        StoreStatus status = get(store.status());
        close();
        stores.clear();
        long records =
                rows().keySet().stream().filter(row -> !row.endsWith("-0")).count();
        assertEquals(status.records() + status.garbage(), records, "on disk");
    }

    private Map<String, Integer> rows() throws Exception {
        Map<String, Integer> rows = new TreeMap<>();
        try (RocksFiles files = RocksFiles.openReadOnly(directory.resolve("a"), directory.resolve("notes"))) {
            files.scan(
                    files.rpcs(),
                    (row, value) -> rows.put(
                            StoreFormat.clientOf(row).value() + "-" + StoreFormat.numberOf(row), value.length));
        }
        return rows;
    }

    @Test
    void aDeadClientsRecordsGoAfterItsLeaseAndNotBefore() throws Exception {
        LeaseAnswer living = authority.openLease();
        call(1, 0, "k", write("x"));
        get(store.call(header(living, 1, 0), key("l"), write("x")));
        authority.setTime(900);
        authority.renew(living.client());
        store.sweep();
        assertEquals(2, get(store.status()).clients());
        authority.setTime(1_010);
        store.sweep();
        Awaitility.await().until(() -> get(store.status()).clients() == 1);
        assertEquals("LEASE_EXPIRED", call(1, 0, "k", write("x")));
        assertEquals("LEASE_EXPIRED", call(2, 0, "k", write("y")));
        assertEquals(
                "1",
                text(get(store.call(header(living, 1, 0), key("l"), write("x"))).result()));
        close();
        stores.clear();
        assertEquals(List.of(living.client().value() + "-1"), List.copyOf(rows().keySet()));
    }

    /** The removal of the client's earlier records comes before the record of the call that claims a lease. */
    @Test
    void aCallThatClaimsALeaseBehindItsEndKeepsItsRecord() throws Exception {
        assertEquals("1", call(1, 0, "k", write("x")));
        authority.setTime(5 * TestAuthority.TERM);
        LeaseAnswer other = authority.openLease();
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        CountDownLatch runsToo = new CountDownLatch(1);
        CountDownLatch endsToo = new CountDownLatch(1);
        CompletableFuture<StoreOutcome> running =
                store.call(header(other, 1, 0), key("a"), (object, next) -> waits(runs, ends, next));
        store.sweep();
        CompletableFuture<StoreOutcome> runningToo =
                store.call(header(other, 2, 0), key("b"), (object, next) -> waits(runsToo, endsToo, next));
        ends.countDown();
        // The sweep has asked by now: the answer about the client's lease is the next task.
        assertTrue(runsToo.await(60, TimeUnit.SECONDS));
        RpcHeader claim = new RpcHeader(
                new RpcId(lease.client(), 2), 1, new ClusterTime(ClusterTime.MAX_MILLIS), ClusterTime.ZERO);
        CompletableFuture<StoreOutcome> claimed = store.call(claim, key("k"), write("y"));
        endsToo.countDown();
        assertEquals(Status.DONE, get(running).status());
        assertEquals(Status.DONE, get(runningToo).status());
        StoreOutcome done = get(claimed);
        assertEquals(Status.DONE, done.status(), "its claim about its own lease is believed");
        StoreOutcome again = get(store.call(claim, key("k"), write("y")));
        assertEquals(text(done.result()), text(again.result()), "the first result");
        close();
        stores.clear();
        Map<String, Integer> rows = rows();
        assertTrue(rows.containsKey(lease.client().value() + "-2"), "rows: " + rows);
        assertFalse(rows.containsKey(lease.client().value() + "-1"), "rows: " + rows);
    }

    @Test
    void nothingIsServedBeforeTheTimeIsKnown() {
        close();
        stores.clear();
        authority.setSilent(true);
        LinearizableStore waiting = LinearizableStore.open(
                directory.resolve("a"), List.of(ALL), StoreOptions.builder().build(), authority);
        stores.add(waiting);
        assertEquals("RETRY_LATER", call(waiting, 1, 0, "k", write("x")));
        assertThrows(CompletionException.class, () -> get(waiting.read(key("k"))));
        authority.setSilent(false);
        Awaitility.await().until(() -> call(waiting, 1, 0, "k", write("x")).equals("1"));
    }

    /** Nobody would ask for it again, and each call would be told to come later. */
    @Test
    void theTimeIsLearnedThoughAsManyCallsWaitAsMay() throws Exception {
        CompletableFuture<ClusterTime> told = new CompletableFuture<>();
        LinearizableStore busy = LinearizableStore.open(
                directory.resolve("b"),
                List.of(ALL),
                StoreOptions.builder().queuedCalls(1).build(),
                new TellsTimeLater(told));
        stores.add(busy);
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        CompletableFuture<StoreOutcome> running =
                busy.callUnrecorded(key("k"), (object, next) -> waits(runs, ends, next));
        assertTrue(runs.await(60, TimeUnit.SECONDS));
        CompletableFuture<StoreOutcome> waiting = busy.callUnrecorded(key("k"), write("x"));
        assertThrows(CompletionException.class, () -> get(busy.callUnrecorded(key("k"), write("y"))));
        told.complete(new ClusterTime(10));
        ends.countDown();
        assertEquals(Status.DONE, get(running).status());
        assertEquals(Status.DONE, get(waiting).status());
        Awaitility.await().until(() -> get(busy.status()).ready());
    }

    private static Operation.Change waits(CountDownLatch runs, CountDownLatch ends, long next) {
        runs.countDown();
        try {
            assertTrue(ends.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return Operation.Change.keep(Operations.bytes("" + next));
    }

    /** Answers one question alone, when the test wants it. */
    private record TellsTimeLater(CompletableFuture<ClusterTime> time) implements Authority {
        @Override
        public CompletableFuture<LeaseAnswer> check(LeaseId client) {
            return CompletableFuture.failedFuture(new StoreException("no leases here"));
        }
    }

    /** Section IV-B: each of two servers takes half of a dead one's keys, and answers copies of calls to them. */
    @Test
    void halfOfADeadServersKeysAtEachOfTwoOthers() throws Exception {
        for (int i = 1; i <= 40; i++) {
            assertEquals("1", call(i, 0, "k" + i, increment()));
        }
        LinearizableStore low = open("b");
        LinearizableStore high = open("c");
        Path dead = directory.resolve("a");
        store.close();
        stores.remove(store);
        Map<String, Long> before = contents(dead);
        take(low, dead, LOW);
        take(high, dead, HIGH);
        assertEquals(before, contents(dead), "the dead server's directory is read only");

        int there = 0;
        for (int i = 1; i <= 40; i++) {
            boolean isLow = LOW.contains(1, key("k" + i).hash());
            there += isLow ? 1 : 0;
            assertEquals("1", call(isLow ? low : high, i, 0, "k" + i, increment()), "a copy");
            assertEquals("ELSEWHERE", call(isLow ? high : low, i, 0, "k" + i, increment()));
        }
        assertTrue(there > 8 && there < 32, "the keys are spread: " + there);
        low.close();
        stores.remove(low);
        LinearizableStore again = open("b", LOW);
        for (int i = 1; i <= 40; i++) {
            if (LOW.contains(1, key("k" + i).hash())) {
                assertEquals("1", call(again, i, 0, "k" + i, increment()), "it is on the new server's disk");
            }
        }
    }

    /** What the paper lacks: the record is gone, and what acknowledged it went to another server. */
    @Test
    void anAcknowledgedCallIsRefusedOnEveryServerThatTookARange() {
        String low = keyIn(LOW);
        String high = keyIn(HIGH);
        assertEquals("1", call(1, 0, low, increment()));
        assertEquals("1", call(2, 1, high, increment()));
        get(store.status());
        store.close();
        stores.remove(store);
        LinearizableStore other = open("b");
        take(other, directory.resolve("a"), LOW);
        assertEquals("STALE", call(other, 1, 0, low, increment()));
    }

    /** The answer to a heartbeat can be older than the coordinator's consent, and ask for the takeover again. */
    @Test
    void aRangeThatIsServedIsNotTakenOverAgain() throws Exception {
        String low = keyIn(LOW);
        assertEquals("1", call(1, 0, low, increment()));
        store.close();
        stores.remove(store);
        Path dead = directory.resolve("a");
        LinearizableStore heir = open("heir");
        take(heir, dead, LOW);
        assertEquals("2", call(heir, 2, 0, low, increment()));
        CompletionException e = assertThrows(CompletionException.class, () -> take(heir, dead, ALL));
        String message = String.valueOf(e.getCause().getMessage());
        assertTrue(message.contains("serves " + LOW + " already") || message.contains("serves " + ALL), message);
        assertEquals("3", call(heir, 3, 0, low, increment()));
        take(heir, dead, HIGH);
        assertEquals("4", call(heir, 4, 0, low, increment()));
    }

    @Test
    void aStageOfACallMayCloseTheStore() throws Exception {
        CompletableFuture<StoreOutcome> closing =
                store.call(header(lease, 1, 0), key("k"), write("x")).whenComplete((outcome, failed) -> store.close());
        assertEquals("1", text(get(closing).result()));
        Awaitility.await().until(() -> store.status().isCompletedExceptionally());
        reopen();
        assertEquals("x", value("k"));
    }

    @Test
    void anOperationThatInterruptsItsThreadDoesNotEndTheStore() {
        call(1, 0, "k", (object, next) -> {
            Thread.currentThread().interrupt();
            return write("x").on(object, next);
        });
        assertEquals("x", value("k"));
    }

    private static String keyIn(KeyRange range) {
        int i = 0;
        while (!range.contains(1, key("k" + i).hash())) {
            i++;
        }
        return "k" + i;
    }

    private static void take(LinearizableStore at, Path dead, KeyRange range) {
        get(at.takeOver(dead, List.of(range), () -> CompletableFuture.completedFuture(null)));
        Awaitility.await().until(() -> get(at.status()).ready());
    }

    private static Map<String, Long> contents(Path dead) throws IOException {
        Map<String, Long> files = new TreeMap<>();
        try (var list = Files.list(dead)) {
            for (Path each : list.toList()) {
                if (Files.isRegularFile(each)) {
                    files.put(
                            each.getFileName() + " " + Files.size(each),
                            Files.getLastModifiedTime(each).toMillis());
                }
            }
        }
        return files;
    }

    /** A restarted authority gave the first client's id again: its first call was STALE, and later ones met that one's records. */
    @Test
    void aClientOfARestartedAuthorityMeetsNoRecordsOfAnEarlierOne() {
        for (int number = 1; number <= 3; number++) {
            assertEquals("" + number, call(number, number - 1, "n", increment()));
        }
        authority = new TestAuthority();
        lease = authority.openLease();
        reopen();
        assertEquals("4", call(1, 0, "n", increment()));
        assertEquals("5", call(3, 0, "n", increment()), "no reply of another client");
    }

    @Test
    void hashSeedsAreDrawn() {
        assertNotEquals(
                StoreOptions.builder().build().table().hashSeed(),
                StoreOptions.builder().build().table().hashSeed());
    }

    @Test
    void aDirectoryHasOneProcess() {
        StoreException e = assertThrows(
                StoreException.class,
                () -> LinearizableStore.open(
                        directory.resolve("a"),
                        List.of(ALL),
                        StoreOptions.builder().build(),
                        authority));
        assertTrue(e.getMessage().contains("cannot open the store"), e.getMessage());
        assertEquals("1", call(1, 0, "k", write("x")));
    }

    @Test
    void aClosedStoreSaysSo() {
        store.close();
        CompletionException e = assertThrows(CompletionException.class, () -> call(1, 0, "k", write("x")));
        assertTrue(e.getCause().getMessage().contains("is closed"), e.getCause().getMessage());
        stores.remove(store);
    }

    /** Row R9: the owner lives, and goes on with its other ranges. */
    @Test
    void aRangeIsHandedOverByALiveServerWithItsRecords() {
        close();
        stores.clear();
        store = open("a", LOW, HIGH);
        List<String> keys = IntStream.range(0, 20).mapToObj(i -> "k" + i).toList();
        for (int i = 0; i < keys.size(); i++) {
            call(store, i + 1, 0, keys.get(i), write("x" + i));
        }
        LinearizableStore other = open("b");
        Path copy = directory.resolve("a").resolve("handed").resolve("1");
        get(store.handOver(List.of(LOW), copy));
        get(other.takeOver(copy, List.of(LOW), () -> CompletableFuture.completedFuture(null)));
        Awaitility.await().until(() -> get(other.status()).ready());
        for (int i = 0; i < keys.size(); i++) {
            boolean moved = LOW.contains(1, key(keys.get(i)).hash());
            LinearizableStore at = moved ? other : store;
            LinearizableStore notAt = moved ? store : other;
            assertEquals("1", call(at, i + 1, 0, keys.get(i), write("again")), "the first result");
            assertEquals("ELSEWHERE", call(notAt, i + 1, 0, keys.get(i), write("again")));
            assertEquals(
                    "x" + i,
                    get(at.read(key(keys.get(i))))
                            .map(object -> text(object.value()))
                            .orElse("none"));
            assertEquals("2", call(at, 100 + i, 0, keys.get(i), write("new")));
        }
    }

    /** The move was called off: it has all that it answered before. */
    @Test
    void aRangeThatNoServerTookIsTakenBack() {
        call(store, 1, 0, "k", increment());
        Path copy = directory.resolve("copy");
        get(store.handOver(List.of(ALL), copy));
        assertEquals("ELSEWHERE", call(store, 2, 0, "k", increment()));
        get(store.takeBack(List.of(ALL)));
        assertEquals("1", call(store, 1, 0, "k", increment()));
        assertEquals("2", call(store, 2, 0, "k", increment()));
    }

    @Test
    void aCopyThatCannotBeMadeLeavesTheRangeWithoutAServerAndTheStoreRunning() {
        Path copy = directory.resolve("copy");
        get(store.handOver(List.of(ALL), copy));
        CompletionException e = assertThrows(CompletionException.class, () -> get(store.handOver(List.of(ALL), copy)));
        assertTrue(String.valueOf(e.getCause()).contains("cannot copy"), "" + e.getCause());
        assertEquals("ELSEWHERE", call(store, 1, 0, "k", increment()));
        assertTrue(store.failure().isEmpty());
    }
}
