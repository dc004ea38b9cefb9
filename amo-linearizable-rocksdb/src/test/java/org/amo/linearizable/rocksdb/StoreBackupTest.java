package org.amo.linearizable.rocksdb;

import static org.amo.linearizable.rocksdb.Operations.ALL;
import static org.amo.linearizable.rocksdb.Operations.increment;
import static org.amo.linearizable.rocksdb.Operations.key;
import static org.amo.linearizable.rocksdb.Operations.text;
import static org.amo.linearizable.rocksdb.Operations.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.rocksdb.BackupFrame.Answer;
import org.amo.linearizable.rocksdb.BackupFrame.Kind;
import org.amo.linearizable.rocksdb.BackupFrame.Status;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store with backups (Park, section II-B: "a master's log-structured memory and backups"): which disks may be lost, and which
 * processes are refused.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoreBackupTest {
    private static final BiFunction<Path, Durability, StoreBackup> RIGHT = StoreBackup::open;

    @TempDir
    Path folder;

    private final TestAuthority authority = new TestAuthority();
    private final LeaseAnswer lease = authority.openLease();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<TestBackups> begun = new ArrayList<>();
    private int stores;

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private void begin(int copies, int count, BiFunction<Path, Durability, StoreBackup> opener) {
        TestBackups made = new TestBackups(folder.resolve("backups"), copies, count, opener);
        begun.add(made);
        opened.add(made);
    }

    private TestBackups backups() {
        return begun.get(begun.size() - 1);
    }

    private LinearizableStore open(String name) {
        return open(name, backups().process());
    }

    private LinearizableStore open(String name, BackupGroup group) {
        LinearizableStore store = LinearizableStore.open(
                folder.resolve(name),
                id -> List.of(ALL),
                StoreOptions.builder().durability(Durability.FILE).build(),
                authority,
                group);
        opened.add(store);
        Awaitility.await().until(() -> get(store.status()).ready());
        return store;
    }

    /** The disk of a server that was killed is empty. */
    private LinearizableStore openEmpty() {
        return open("empty" + ++stores);
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private CompletableFuture<StoreOutcome> submit(
            LinearizableStore store, long number, String key, Operation operation) {
        RpcHeader header = new RpcHeader(new RpcId(lease.client(), number), 0, lease.expires(), ClusterTime.ZERO);
        return store.call(header, key(key), operation);
    }

    private String call(LinearizableStore store, long number, String key, Operation operation) {
        return text(get(submit(store, number, key, operation)).result());
    }

    private static String value(LinearizableStore store, String key) {
        return get(store.read(key(key))).map(object -> text(object.value())).orElse("none");
    }

    @Test
    void aServerWhoseDiskIsLostHasAllAnsweredCallsAndTheirResults() {
        begin(2, 2, RIGHT);
        LinearizableStore store = open("a");
        for (int i = 1; i <= 20; i++) {
            assertEquals("" + i, call(store, i, "n", increment()));
        }
        call(store, 21, "gone", write("x"));
        call(store, 22, "gone", Operations.delete());
        store.close();
        LinearizableStore restored = openEmpty();
        assertEquals("7", call(restored, 7, "n", increment()), "the first result");
        assertEquals("20", value(restored, "n"));
        assertEquals("none", value(restored, "gone"));
        assertEquals("21", call(restored, 23, "n", increment()));
        assertEquals("2", call(restored, 24, "gone", write("x")), "no version comes again");
        restored.close();
        assertEquals("21", value(openEmpty(), "n"));
    }

    /** As many disks as there are copies, at once: the server's, and all backups' but one. */
    @Test
    void theDisksOfTheServerAndOfABackupAreLostAtOnce() throws Exception {
        for (String lost : List.of("b0", "b1")) {
            begin(2, 2, RIGHT);
            LinearizableStore store = open("a" + lost);
            for (int i = 1; i <= 5; i++) {
                call(store, i, "n", increment());
            }
            store.close();
            backups().loseDisk(lost);
            LinearizableStore restored = openEmpty();
            assertEquals("5", call(restored, 5, "n", increment()));
            assertEquals("6", call(restored, 6, "n", increment()));
            close();
            opened.clear();
            TestBackups.delete(folder.resolve("backups"));
        }
    }

    @Test
    void aStoreWithoutAnyCopyLeftIsRefused() throws Exception {
        begin(2, 2, RIGHT);
        LinearizableStore store = open("a");
        call(store, 1, "n", increment());
        store.close();
        backups().loseDisk("b0");
        backups().loseDisk("b1");
        StoreException e = assertThrows(StoreException.class, this::openEmpty);
        assertTrue(String.valueOf(e.getMessage()).contains("have lost their copies"), e.getMessage());
        assertEquals("1", value(open("a"), "n"), "its own disk is there again");
    }

    @Test
    void aStoreOfAnotherServerIsNotOverwritten() {
        begin(1, 1, RIGHT);
        LinearizableStore store = open("a");
        call(store, 1, "n", increment());
        store.close();
        LinearizableStore other = LinearizableStore.open(
                folder.resolve("other"), List.of(ALL), StoreOptions.builder().build(), authority);
        Awaitility.await().until(() -> get(other.status()).ready());
        get(other.callUnrecorded(key("k"), write("x")));
        other.close();
        StoreException e = assertThrows(StoreException.class, () -> open("other"));
        assertTrue(String.valueOf(e.getMessage()).contains("not empty"), e.getMessage());
    }

    @Test
    void noAnswerLeavesBeforeAllBackupsHaveTheWrite() {
        begin(2, 2, RIGHT);
        LinearizableStore store = open("a");
        backups().hold("b1");
        CompletableFuture<StoreOutcome> call = submit(store, 1, "n", increment());
        CompletableFuture<?> read = store.read(key("n"));
        Awaitility.await().until(() -> backups().held() > 0);
        assertFalse(call.isDone());
        assertFalse(read.isDone());
        backups().release();
        assertEquals("1", text(get(call).result()));
        get(read);
    }

    /** It holds the lock of a folder that is gone. */
    @Test
    void anOlderProcessNeitherWritesNorReads() {
        begin(2, 3, RIGHT);
        LinearizableStore older = open("a");
        call(older, 1, "n", increment());
        LinearizableStore newer = openEmpty();
        assertEquals("2", call(newer, 2, "n", increment()));
        assertThrows(CompletionException.class, () -> value(older, "n"), "a value that is old");
        assertTrue(older.failure().isPresent());
        assertEquals("3", call(newer, 3, "n", increment()));
    }

    @Test
    void anOlderProcessDoesNotWriteEither() {
        begin(1, 1, RIGHT);
        LinearizableStore older = open("a");
        call(older, 1, "n", increment());
        LinearizableStore newer = openEmpty();
        assertThrows(CompletionException.class, () -> call(older, 2, "n", increment()));
        assertEquals("1", value(newer, "n"));
    }

    /** The newer process has only read so far: the older one may not be answered any more. */
    @Test
    void anOlderProcessIsRefusedAsSoonAsANewerOneReads() {
        begin(1, 1, RIGHT);
        assertTrue(answersWhileANewerProcessReads().isEmpty());
    }

    /** Mutant: the backup takes writes of older epochs. */
    @Test
    void aBackupThatTakesOlderEpochsIsFound() {
        begin(1, 1, (path, durability) -> new StoreBackup(path, durability) {
            @Override
            boolean isOver(long epoch, long sealed) {
                return false;
            }
        });
        assertEquals(List.of("2"), answersWhileANewerProcessReads(), "it is answered and lost");
    }

    /** Answers to the older process after the newer one has sealed its log. */
    private List<String> answersWhileANewerProcessReads() {
        LinearizableStore older = open("a");
        call(older, 1, "n", increment());
        BackupGroup newer = backups().process();
        BackupGroup.Term term = get(newer.newEpoch("another"));
        Answer sealed = Answer.decode(get(
                newer.send("b0", BackupFrame.of(Kind.SEAL, "s0", term.epoch()).encode())));
        assertEquals(Status.OK, sealed.status());
        try {
            return List.of(call(older, 2, "n", increment()));
        } catch (CompletionException e) {
            return List.of();
        }
    }

    @Test
    void aLateWriteOfALogThatWasSealedIsRefused() {
        begin(1, 1, RIGHT);
        BackupGroup group = backups().process();
        assertEquals(Status.OK, ask(group, frame(Kind.BEGIN, 3, 0)).status());
        assertEquals(Status.OK, ask(group, frame(Kind.READY, 3, 0)).status());
        assertEquals(Status.OK, ask(group, frame(Kind.APPEND, 3, 1)).status());
        assertEquals(Status.MISSING, ask(group, frame(Kind.APPEND, 3, 3)).status());
        assertEquals(new Answered(Status.OK, 1), answered(group, frame(Kind.APPEND, 3, 1)));
        assertEquals(Status.OK, ask(group, frame(Kind.SEAL, 5, 0)).status());
        assertEquals(new Answered(Status.FENCED, 5), answered(group, frame(Kind.APPEND, 3, 2)));
        assertEquals(new Answered(Status.FENCED, 5), answered(group, frame(Kind.BEGIN, 4, 0)));
    }

    private record Answered(Status status, long number) {}

    private static Answered answered(BackupGroup group, BackupFrame frame) {
        Answer answer = ask(group, frame);
        return new Answered(answer.status(), answer.number());
    }

    private static Answer ask(BackupGroup group, BackupFrame frame) {
        return Answer.decode(get(group.send("b0", frame.encode())));
    }

    /** Mutant: a backup says that it has a write before it has. */
    @Test
    void anAnswerThatLeavesBeforeTheBackupsHaveTheWriteIsFound() {
        begin(1, 1, RIGHT);
        LinearizableStore store = open("a", new Wrapped(backups().process()) {
            @Override
            public CompletableFuture<byte[]> send(String backup, byte[] request) {
                return BackupFrame.decode(request).kind() == Kind.APPEND
                        ? CompletableFuture.completedFuture(
                                Answer.of(Status.OK, 1).encode())
                        : super.send(backup, request);
            }
        });
        assertEquals("1", call(store, 1, "n", increment()));
        store.close();
        assertEquals("none", value(openEmpty(), "n"), "an answered call is lost");
    }

    /** Mutant: a backup is read from although it does not have the log, or only a part of its first state. */
    @Test
    void aBackupThatIsReadFromAlthoughItIsIncompleteIsFound() throws Exception {
        begin(2, 2, (path, durability) -> new StoreBackup(path, durability) {
            @Override
            boolean isComplete(long position) {
                return true;
            }
        });
        LinearizableStore store = open("a");
        call(store, 1, "n", increment());
        store.close();
        backups().loseDisk("b0");
        assertEquals("none", value(openEmpty(), "n"), "an answered call is lost");
    }

    @Test
    void aLogWhoseFirstStateIsNotCompleteIsNotRead() {
        begin(1, 1, RIGHT);
        BackupGroup group = backups().process();
        ask(group, frame(Kind.BEGIN, 3, 0));
        ask(group, frame(Kind.SEAL, 4, 0));
        assertEquals(Status.MISSING, ask(group, frame(Kind.READ, 4, 3)).status());
        assertEquals(Status.FENCED, ask(group, frame(Kind.READY, 3, 0)).status());
        assertEquals(Status.FENCED, ask(group, frame(Kind.READ, 3, 3)).status());
    }

    /** It is in the network while the log of its epoch becomes complete. */
    @Test
    void aLateDuplicateOfABeginningClearsNothing() {
        begin(1, 1, RIGHT);
        BackupGroup group = backups().process();
        ask(group, frame(Kind.BEGIN, 3, 0));
        ask(group, frame(Kind.READY, 3, 0));
        ask(group, frame(Kind.APPEND, 3, 1));
        assertEquals(Status.MISSING, ask(group, frame(Kind.BEGIN, 3, 0)).status());
        assertEquals(new Answered(Status.OK, 1), answered(group, frame(Kind.CONFIRM, 3, 0)));
    }

    @Test
    void aBackupThatIsAwayIsReplacedAndNotReadFromAfterwards() {
        begin(1, 2, RIGHT);
        LinearizableStore store = open("a");
        call(store, 1, "n", increment());
        String first = backups().holders().get(0);
        backups().leave(first);
        assertEquals("2", call(store, 2, "n", increment()));
        assertFalse(backups().holders().contains(first));
        backups().comeBack(first);
        store.close();
        assertEquals("2", value(openEmpty(), "n"));
    }

    /** Else it would keep the whole state of then, as long as this server lives. */
    @Test
    void aBackupThatWasAwayRemovesItsOldLogWithTheNextSweep() throws Exception {
        begin(1, 2, RIGHT);
        LinearizableStore store = open("a");
        call(store, 1, "n", increment());
        String away = backups().holders().get(0);
        backups().leave(away);
        call(store, 2, "n", increment());
        backups().comeBack(away);
        store.sweep();
        assertEquals("3", call(store, 3, "n", increment()));
        Awaitility.await().until(() -> backups().isEmpty(away));
        assertFalse(backups().isEmpty(backups().holders().get(0)));
        store.close();
        assertEquals("3", value(openEmpty(), "n"));
    }

    @Test
    void aBackupThatLostItsDiskGetsTheWholeStateAgain() throws Exception {
        begin(2, 2, RIGHT);
        LinearizableStore store = open("a");
        call(store, 1, "n", increment());
        backups().loseDisk("b1");
        assertEquals("2", call(store, 2, "n", increment()));
        store.close();
        backups().loseDisk("b0");
        assertEquals("2", value(openEmpty(), "n"));
    }

    /** Two megabytes are more than one part. */
    @Test
    void anInstallationThatBreaksOffBeginsAgainInAnotherEpoch() {
        begin(1, 2, RIGHT);
        LinearizableStore store = open("a");
        fill(store);
        store.close();
        backups().refuseParts(2);
        open("a").close();
        LinearizableStore restored = openEmpty();
        assertEquals("m39", value(restored, "39").substring(0, 3));
        assertEquals("m0", value(restored, "0").substring(0, 2));
    }

    @Test
    void aRestorationThatBreaksOffBeginsAgain() {
        begin(1, 1, RIGHT);
        LinearizableStore store = open("a");
        fill(store);
        store.close();
        int[] reads = {0};
        assertThrows(
                StoreException.class,
                () -> open("b", new Wrapped(backups().process()) {
                    @Override
                    public CompletableFuture<byte[]> send(String backup, byte[] request) {
                        boolean isRead = BackupFrame.decode(request).kind() == Kind.READ;
                        return isRead && ++reads[0] == 2
                                ? CompletableFuture.failedFuture(new StoreException("killed"))
                                : super.send(backup, request);
                    }
                }));
        LinearizableStore restored = open("b");
        for (int i = 0; i < 40; i++) {
            assertTrue(value(restored, "" + i).startsWith("m" + i));
        }
        assertEquals("1", call(restored, 1, "0", increment()), "the first result");
    }

    private void fill(LinearizableStore store) {
        for (int i = 0; i < 40; i++) {
            call(store, i + 1, "" + i, write("m" + i + " ".repeat(60_000)));
        }
    }

    private static BackupFrame frame(Kind kind, long epoch, long number) {
        return new BackupFrame(kind, "s0", epoch, number, new byte[0]);
    }

    /** Passes all on. */
    private static class Wrapped implements BackupGroup {
        private final BackupGroup inner;

        Wrapped(BackupGroup inner) {
            this.inner = inner;
        }

        @Override
        public int copies() {
            return inner.copies();
        }

        @Override
        public String server() {
            return inner.server();
        }

        @Override
        public CompletableFuture<Term> newEpoch(String store) {
            return inner.newEpoch(store);
        }

        @Override
        public CompletableFuture<Boolean> complete(long epoch, String store, List<String> at) {
            return inner.complete(epoch, store, at);
        }

        @Override
        public CompletableFuture<List<String>> live() {
            return inner.live();
        }

        @Override
        public CompletableFuture<byte[]> send(String backup, byte[] request) {
            return inner.send(backup, request);
        }
    }
}
