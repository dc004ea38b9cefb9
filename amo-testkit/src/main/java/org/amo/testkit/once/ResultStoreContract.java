package org.amo.testkit.once;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.amo.base.DaemonThreads;
import org.amo.base.Experimental;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceException.Reason;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceExecutor.Reply;
import org.amo.once.OnceOptions;
import org.amo.once.ResultStore;
import org.amo.once.ResultStore.Fault;
import org.amo.once.ResultStore.Transaction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The promises of a {@link ResultStore}, as tests for its author: extend this class, and provide the store, a ledger in it, and the means
 * to age its records. Every test begins with an empty store. The tests are public, so that the author's mutants can run one.
 *
 * <p>It does not test what a crash leaves behind: kill the store's process for that.
 *
 * @param <C> that work reads and writes through
 * @param <E> the exceptions of the store
 */
@Experimental
@Timeout(60)
public abstract class ResultStoreContract<C, E extends Exception> {
    private static final byte[] REQUEST = "pay 5".getBytes(UTF_8);
    private static final long BOUND_SECONDS = 20;
    private static final long POLL_MILLIS = 2;

    /** The store, over the same records with each call. */
    protected abstract ResultStore<C, E> store() throws Exception;

    /** Removes all records and the ledger's lines, and sets the low-water mark back. */
    protected abstract void reset() throws Exception;

    @BeforeEach
    public final void beginEmpty() throws Exception {
        reset();
    }

    /** Adds a line to the ledger within the work: two runs of the work leave two lines. */
    protected abstract void effect(C connection, String line) throws E;

    /** How often the ledger has a line. */
    protected abstract long effects(String line) throws Exception;

    /** Records with a reply. */
    protected abstract long records() throws Exception;

    /** Makes all records expire, as if their retention had passed. */
    protected abstract void expireAll() throws Exception;

    /** The store's clock. */
    protected abstract Instant now() throws Exception;

    /** A lost connection, as the store's driver throws it: {@link Fault#LOST}. */
    protected abstract E lost();

    /** A conflict, as the store's driver throws it: {@link Fault#ROLLED_BACK}. */
    protected abstract E rolledBack();

    /** Ends the leases of all claims, as if their time had passed. A store whose claims last as long as their transactions does nothing. */
    protected void endLeases() throws Exception {}

    /**
     * Whether a claim waits within the store for another transaction, for stores where one can; called again until it does. If it is
     * told too early, mutants without the fence may pass.
     */
    protected boolean isOneWaiting() {
        return false;
    }

    // ---- the same key ----

    @Test
    public void aRetryGetsTheStoredReply() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        Reply first = pay(executor(), key);
        assertFalse(first.replayed());
        Reply again = pay(executor(), key);
        assertTrue(again.replayed());
        assertEquals(first.text(), again.text());
        assertEquals(1, effects(key));
        assertEquals(1, records());
    }

    @Test
    public void anotherRequestUnderTheKeyIsRefused() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        pay(executor(), key);
        refused(Reason.KEY_REUSED, () -> executor().execute(key, "pay 6".getBytes(UTF_8), work(key)));
        assertEquals(1, effects(key));
    }

    @Test
    public void tenantsHaveKeysOfTheirOwn() throws Exception {
        IdempotencyKey one = IdempotencyKey.of("one", "k");
        IdempotencyKey other = IdempotencyKey.of("other", "k");
        // Put together, tenant and text are the same.
        IdempotencyKey joined = IdempotencyKey.of("on", "ek");
        for (IdempotencyKey each : List.of(one, other, joined)) {
            assertFalse(pay(executor(), each).replayed(), each.toString());
        }
        for (IdempotencyKey each : List.of(one, other, joined)) {
            assertTrue(pay(executor(), each).replayed(), each.toString());
            assertEquals(1, effects(each));
        }
    }

    @Test
    public void keysDifferByEachByte() throws Exception {
        List<String> texts = List.of("a", "A", "a ", "á", "a\u0301", "x".repeat(IdempotencyKey.MAX_BYTES));
        for (String text : texts) {
            assertFalse(pay(executor(), IdempotencyKey.of("", text)).replayed(), text);
        }
        for (String text : texts) {
            assertTrue(pay(executor(), IdempotencyKey.of("", text)).replayed(), text);
        }
    }

    @Test
    public void aReplyHasAnyBytes() throws Exception {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        for (byte[] each : List.of(bytes, new byte[0])) {
            IdempotencyKey key = IdempotencyKey.of("t", "length " + each.length);
            executor().execute(key, REQUEST, connection -> each);
            Reply reply = executor().execute(key, REQUEST, connection -> new byte[1]);
            assertTrue(reply.replayed());
            assertArrayEquals(each, reply.body());
        }
    }

    @Test
    public void anExceptionOfTheWorkLeavesNothing() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        InterruptedException own = new InterruptedException("not now");
        assertEquals(
                own, assertThrows(InterruptedException.class, () -> executor().execute(key, REQUEST, connection -> {
                    effect(connection, key.toString());
                    throw own;
                })));
        assertEquals(0, records());
        assertEquals(0, effects(key));
        assertFalse(pay(executor(), key).replayed());
        assertEquals(1, effects(key));
    }

    // ---- attempts at the same time ----

    @Test
    public void concurrentDuplicatesRunOnce() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        int threads = 4;
        CountDownLatch ready = new CountDownLatch(threads);
        List<CompletableFuture<Reply>> calls = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            calls.add(async(() -> {
                ready.countDown();
                ready.await();
                return pay(executor(), key);
            }));
        }
        Set<String> replies = new HashSet<>();
        for (CompletableFuture<Reply> each : calls) {
            replies.add(got(each).text());
        }
        assertEquals(1, replies.size());
        assertEquals(1, effects(key));
    }

    @Test
    public void aDuplicateWaitsNoLongerThanItMay() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        CompletableFuture<Reply> first = async(() -> executor().<Exception>execute(key, REQUEST, connection -> {
            running.countDown();
            assertTrue(enough.await(BOUND_SECONDS, TimeUnit.SECONDS));
            return work(key).run(connection);
        }));
        assertTrue(running.await(BOUND_SECONDS, TimeUnit.SECONDS));
        OnceOptions options = options().lockTimeout(Duration.ofMillis(20)).build();
        refused(Reason.IN_PROGRESS, () -> pay(executor(store(), options), key));
        enough.countDown();
        assertFalse(got(first).replayed());
        assertTrue(pay(executor(), key).replayed());
        assertEquals(1, effects(key));
    }

    /** The lease of a claim ends while its work runs; a duplicate comes; then the work goes on to its commit. */
    @Test
    public void aLeaseThatEndsUnderTheWorkDoesNotLetItRunTwice() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        AtomicBoolean isFirst = new AtomicBoolean(true);
        CompletableFuture<Reply> slow = async(() -> executor().<Exception>execute(key, REQUEST, connection -> {
            if (isFirst.getAndSet(false)) {
                running.countDown();
                assertTrue(enough.await(BOUND_SECONDS, TimeUnit.SECONDS));
            }
            return work(key).run(connection);
        }));
        assertTrue(running.await(BOUND_SECONDS, TimeUnit.SECONDS));
        endLeases();
        OnceOptions options = options().lockTimeout(Duration.ofMillis(20)).build();
        try {
            pay(executor(store(), options), key);
        } catch (OnceException e) {
            assertEquals(Reason.IN_PROGRESS, e.reason(), e.getMessage());
        }
        enough.countDown();
        Reply told = got(slow);
        assertEquals(told.text(), pay(executor(), key).text());
        assertEquals(1, effects(key));
    }

    // ---- lost commits ----

    @Test
    public void aCommitWhoseAnswerIsLostIsFound() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        ResultStore<C, E> faulty = new FaultyStore<>(store(), 1, transaction -> {
            transaction.commit();
            transaction.close();
            throw lost();
        });
        Reply reply = pay(executor(faulty, options().build()), key);
        assertFalse(reply.replayed());
        assertEquals(reply.text(), pay(executor(), key).text());
        assertEquals(1, effects(key));
    }

    @Test
    public void aCommitThatWasNotHeardRunsAgain() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        Reply reply = pay(executor(unheard(3), options().build()), key);
        assertEquals(reply.text(), pay(executor(), key).text());
        assertEquals(1, effects(key));
    }

    @Test
    public void aCommitThatWasNotHeardIsToldWhenNoAttemptIsLeft() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        OnceOptions options = options().attempts(1).build();
        refused(Reason.NOT_EXECUTED, () -> pay(executor(unheard(1), options), key));
        assertEquals(0, effects(key));
        assertFalse(pay(executor(), key).replayed());
        assertEquals(1, effects(key));
    }

    private ResultStore<C, E> unheard(int times) throws Exception {
        return new FaultyStore<>(store(), times, transaction -> {
            transaction.rollback();
            transaction.close();
            throw lost();
        });
    }

    /** The connection is lost, and the store goes on with the commit only after another attempt has looked for the record. */
    @Test
    public void aCommitThatLandsLateDoesNotBelieTheAnswer() throws Exception {
        lateCommit(IdempotencyKey.of("t", "k"), () -> {});
    }

    /** The same, and meanwhile the low-water mark has passed the time of the key. */
    @Test
    public void aLateCommitOfAKeyThatIsTooOldByNowIsWaitedFor() throws Exception {
        IdempotencyKey younger = timedKey(Duration.ofMinutes(-20));
        pay(executor(), younger);
        expireAll();
        lateCommit(timedKey(Duration.ofMinutes(-30)), this::cleanUnlessItWaits);
    }

    /** A call that has asked for the mark may keep the cleaner out until its commit. */
    private void cleanUnlessItWaits() throws Exception {
        try {
            assertEquals(1, executor().clean(10));
        } catch (Exception e) {
            Optional<E> own = store().own(e);
            if (own.isEmpty() || store().fault(own.get()) != Fault.BUSY) {
                throw e;
            }
        }
    }

    private void lateCommit(IdempotencyKey key, Step meanwhile) throws Exception {
        CompletableFuture<Transaction<C, E>> held = new CompletableFuture<>();
        CountDownLatch go = new CountDownLatch(1);
        FaultyStore<C, E> faulty = new FaultyStore<>(store(), 1, FaultyStore.held(held, transaction -> {
            awaitLatch(go);
            throw lost();
        }));
        OnceExecutor<C, E> executor = executor(faulty, options().attempts(1).build());
        CompletableFuture<Reply> call = async(() -> pay(executor, key));
        Transaction<C, E> late = got(held);
        meanwhile.run();
        go.countDown();
        await(() -> call.isDone() || (faulty.claims.get() > 1 && isOneWaiting()));
        boolean landed = lands(late);
        try {
            assertTrue(got(call).text().length() > 0);
            assertTrue(landed);
        } catch (ExecutionException e) {
            OnceException told = assertThrows(OnceException.class, () -> {
                throw e.getCause();
            });
            assertTrue(Set.of(Reason.NOT_EXECUTED, Reason.KEY_TOO_OLD).contains(told.reason()), told.getMessage());
            assertEquals(0, effects(key), "told as not executed: " + told.getMessage());
            assertFalse(landed);
        }
        if (landed) {
            assertTrue(pay(executor(), key).replayed());
            assertEquals(1, effects(key));
        }
    }

    private static boolean lands(Transaction<?, ?> late) {
        try (late) {
            late.commit();
            return true;
        } catch (Exception e) {
            return false;
        }
    }

    @Test
    public void aRollbackByTheStoreIsTriedAgain() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        AtomicInteger runs = new AtomicInteger();
        executor().execute(key, REQUEST, connection -> {
            effect(connection, key.toString());
            if (runs.incrementAndGet() < 4) {
                // As libraries wrap it.
                throw new IllegalStateException(rolledBack());
            }
            return new byte[0];
        });
        assertEquals(4, runs.get());
        assertEquals(1, effects(key));
    }

    @Test
    public void theErrorsOfTheStoreAreKnown() throws Exception {
        assertEquals(Fault.LOST, store().fault(lost()));
        assertEquals(Fault.ROLLED_BACK, store().fault(rolledBack()));
        assertTrue(store().own(lost()).isPresent());
        assertTrue(store().own(new IllegalStateException("the application's")).isEmpty());
    }

    // ---- forgetting ----

    @Test
    public void theCleanerTakesExpiredRecordsOnly() throws Exception {
        IdempotencyKey old = IdempotencyKey.of("t", "old");
        IdempotencyKey live = IdempotencyKey.of("t", "live");
        pay(executor(), old);
        expireAll();
        Reply reply = pay(executor(), live);
        assertEquals(1, executor().clean(10));
        assertEquals(0, executor().clean(10));
        assertEquals(reply.text(), pay(executor(), live).text());
        assertEquals(1, effects(live));
        // As documented: a key without a time runs again behind its retention.
        assertFalse(pay(executor(), old).replayed());
        assertEquals(2, effects(old));
    }

    @Test
    public void theCleanerWorksInBatches() throws Exception {
        for (int i = 0; i < 7; i++) {
            pay(executor(), IdempotencyKey.of("t", "k" + i));
        }
        expireAll();
        assertEquals(3, executor().clean(3));
        assertEquals(3, executor().clean(3));
        assertEquals(1, executor().clean(3));
        assertEquals(0, records());
    }

    @Test
    public void aTimedKeyBehindItsRemovalIsRefused() throws Exception {
        // Young enough by the clock; only the mark tells that its record is gone.
        IdempotencyKey key = timedKey(Duration.ofMinutes(-30));
        Reply reply = pay(executor(), key);
        expireAll();
        assertEquals(reply.text(), pay(executor(), key).text());
        assertEquals(1, executor().clean(10));
        refused(Reason.KEY_TOO_OLD, () -> pay(executor(), key));
        assertEquals(1, effects(key));
        // The mark covers what was removed and no more.
        assertFalse(pay(executor(), timedKey(Duration.ofMinutes(-29))).replayed());
    }

    /** The cleaner removes the record of a younger key, and raises the mark above a call whose reply is not stored yet. */
    @Test
    public void aCallWhoseKeyFallsBelowTheMarkUnderItsWorkIsRefused() throws Exception {
        IdempotencyKey younger = timedKey(Duration.ofMinutes(-20));
        IdempotencyKey key = timedKey(Duration.ofMinutes(-30));
        pay(executor(), younger);
        expireAll();
        refused(Reason.KEY_TOO_OLD, () -> executor().<Exception>execute(key, REQUEST, connection -> {
            byte[] reply = work(key).run(connection);
            assertEquals(1, got(async(() -> executor().clean(10))));
            return reply;
        }));
        assertEquals(0, effects(key));
        refused(Reason.KEY_TOO_OLD, () -> pay(executor(), key));
        assertEquals(0, effects(key));
    }

    /** A caller whose clock is wrong; the service's own is never read. */
    @Test
    public void aTimeFarFromTheStoresIsRefused() throws Exception {
        refused(Reason.KEY_TOO_OLD, () -> pay(executor(), timedKey(Duration.ofMinutes(-61))));
        refused(Reason.KEY_AHEAD, () -> pay(executor(), timedKey(Duration.ofMinutes(61))));
        assertFalse(pay(executor(), timedKey(Duration.ofMinutes(59))).replayed());
        assertEquals(1, records());
    }

    @Test
    public void theMarkNeverFalls() throws Exception {
        IdempotencyKey young = timedKey(Duration.ofMinutes(-10));
        IdempotencyKey old = timedKey(Duration.ofMinutes(-20));
        pay(executor(), young);
        expireAll();
        pay(executor(), old);
        assertEquals(1, executor().clean(10));
        expireAll();
        assertEquals(1, executor().clean(10));
        refused(Reason.KEY_TOO_OLD, () -> pay(executor(), young));
        refused(Reason.KEY_TOO_OLD, () -> pay(executor(), old));
        assertEquals(1, effects(young));
        assertEquals(1, effects(old));
    }

    // ---- helpers ----

    /** The options of the contract: a retention of an hour, and limits of 10 s. */
    protected static OnceOptions.Builder options() {
        return OnceOptions.builder()
                .retention(Duration.ofHours(1))
                .deadline(Duration.ofSeconds(10))
                .lockTimeout(Duration.ofSeconds(10));
    }

    private OnceExecutor<C, E> executor() throws Exception {
        return executor(store(), options().build());
    }

    private static <C, E extends Exception> OnceExecutor<C, E> executor(ResultStore<C, E> store, OnceOptions options) {
        return OnceExecutor.over(store, options);
    }

    /** Work with an effect; each run has another reply. */
    private OnceExecutor.Work<C, E, RuntimeException> work(IdempotencyKey key) {
        return connection -> {
            effect(connection, key.toString());
            return Long.toString(System.nanoTime()).getBytes(UTF_8);
        };
    }

    private Reply pay(OnceExecutor<C, E> executor, IdempotencyKey key) throws E {
        return executor.execute(key, REQUEST, work(key));
    }

    private long effects(IdempotencyKey key) throws Exception {
        return effects(key.toString());
    }

    private IdempotencyKey timedKey(Duration age) throws Exception {
        return IdempotencyKey.create("t", now().plus(age));
    }

    private static void refused(Reason reason, Step call) {
        OnceException e = assertThrows(OnceException.class, call::run);
        String message = String.valueOf(e.getMessage());
        assertEquals(reason, e.reason(), message);
        assertEquals(1, message.lines().count(), message);
    }

    private interface Step {
        void run() throws Exception;
    }

    private interface Task<T> {
        T run() throws Exception;
    }

    private static <T> T got(CompletableFuture<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    private static <T> CompletableFuture<T> async(Task<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        DaemonThreads.start("amo-contract-call", () -> {
            try {
                result.complete(task.run());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "waited for " + BOUND_SECONDS + " s");
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertTrue(latch.await(BOUND_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
