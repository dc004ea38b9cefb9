package org.amo.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.amo.jdbc.OnceException.Reason;
import org.amo.jdbc.OnceExecutor.Reply;
import org.awaitility.Awaitility;

/** What each database must keep. A scenario begins with an empty database; it fails if a rule of the store is left out. */
final class OnceScenarios {
    static final byte[] REQUEST = "pay 5".getBytes(UTF_8);
    private static final Duration RETENTION = Duration.ofHours(1);
    private static final long BOUND_SECONDS = 20;

    private final TestDatabase database;
    private final OnceStores stores;

    OnceScenarios(TestDatabase database, OnceStores stores) {
        this.database = database;
        this.stores = stores;
    }

    /** A scenario, by the name of its method. */
    interface Scenario {
        void run(OnceScenarios scenarios) throws Exception;
    }

    static OnceOptions.Builder options() {
        return OnceOptions.builder()
                .retention(RETENTION)
                .deadline(Duration.ofSeconds(10))
                .lockTimeout(Duration.ofSeconds(10));
    }

    OnceExecutor executor(DataSource source, OnceOptions options) {
        return new OnceExecutor(source, options, stores);
    }

    OnceExecutor executor() {
        return executor(database.source(), options().build());
    }

    /** Work with an effect; each run has another reply. */
    private static Reply pay(OnceExecutor executor, IdempotencyKey key) throws SQLException {
        return executor.execute(key, REQUEST, connection -> effect(connection, key));
    }

    private static byte[] effect(Connection connection, IdempotencyKey key) throws SQLException {
        TestDatabase.effect(connection, key.toString());
        return Long.toString(System.nanoTime()).getBytes(UTF_8);
    }

    private long effects(IdempotencyKey key) throws SQLException {
        return database.effects(key.toString());
    }

    private static OnceException refused(Reason reason, Call call) {
        OnceException e = assertThrows(OnceException.class, call::run);
        assertEquals(reason, e.reason(), e.getMessage());
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        return e;
    }

    private interface Call {
        void run() throws Exception;
    }

    void aRetryGetsTheStoredReply() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        Reply first = pay(executor(), key);
        assertFalse(first.replayed());
        Reply again = pay(executor(), key);
        assertTrue(again.replayed());
        assertEquals(first.text(), again.text());
        assertEquals(1, effects(key));
    }

    void anotherRequestUnderTheKeyIsRefused() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        pay(executor(), key);
        refused(Reason.KEY_REUSED, () -> executor()
                .execute(key, "pay 6".getBytes(UTF_8), connection -> effect(connection, key)));
        assertEquals(1, effects(key));
    }

    void tenantsHaveKeysOfTheirOwn() throws Exception {
        IdempotencyKey one = IdempotencyKey.of("one", "k");
        IdempotencyKey other = IdempotencyKey.of("other", "k");
        assertFalse(pay(executor(), one).replayed());
        assertFalse(pay(executor(), other).replayed());
        assertEquals(1, effects(one));
        assertEquals(1, effects(other));
    }

    void keysDifferByEachByte() throws Exception {
        List<String> texts = List.of("a", "A", "a ", "á", "a\u0301", "x".repeat(IdempotencyKey.MAX_BYTES));
        for (String text : texts) {
            assertFalse(pay(executor(), IdempotencyKey.of("", text)).replayed(), text);
        }
        for (String text : texts) {
            assertTrue(pay(executor(), IdempotencyKey.of("", text)).replayed(), text);
        }
    }

    void anExceptionOfTheWorkLeavesNothing() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        InterruptedException own = new InterruptedException("not now");
        assertEquals(
                own, assertThrows(InterruptedException.class, () -> executor().execute(key, REQUEST, connection -> {
                    effect(connection, key);
                    throw own;
                })));
        assertEquals(0, database.records());
        assertEquals(0, effects(key));
        assertFalse(pay(executor(), key).replayed());
        assertEquals(1, effects(key));
    }

    void concurrentDuplicatesRunOnce() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        List<CompletableFuture<Reply>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(async(() -> pay(executor(), key)));
        }
        String reply = calls.get(0).get(BOUND_SECONDS, TimeUnit.SECONDS).text();
        for (CompletableFuture<Reply> call : calls) {
            assertEquals(reply, call.get(BOUND_SECONDS, TimeUnit.SECONDS).text());
        }
        assertEquals(1, effects(key));
    }

    void aDuplicateWaitsNoLongerThanItMay() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        OnceOptions impatient = options().lockTimeout(Duration.ofMillis(500)).build();
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Reply> first = async(() -> executor().execute(key, REQUEST, connection -> {
            began.countDown();
            assertTrue(end.await(BOUND_SECONDS, TimeUnit.SECONDS));
            return effect(connection, key);
        }));
        assertTrue(began.await(BOUND_SECONDS, TimeUnit.SECONDS));
        refused(Reason.IN_PROGRESS, () -> pay(executor(database.source(), impatient), key));
        end.countDown();
        String reply = first.get(BOUND_SECONDS, TimeUnit.SECONDS).text();
        assertEquals(reply, pay(executor(), key).text());
        assertEquals(1, effects(key));
    }

    void aCommitWhoseAnswerIsLostIsFound() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        DataSource source = new FaultySource(database.source(), 1, FaultySource::commitUnheard);
        Reply reply = pay(executor(source, options().build()), key);
        assertFalse(reply.replayed());
        assertEquals(reply.text(), pay(executor(), key).text());
        assertEquals(1, effects(key));
    }

    void aCommitThatWasNotHeardRunsAgain() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        DataSource source = new FaultySource(database.source(), 3, FaultySource::cutBefore);
        Reply reply = pay(executor(source, options().build()), key);
        assertEquals(reply.text(), pay(executor(), key).text());
        assertEquals(1, effects(key));
    }

    void aCommitThatWasNotHeardIsToldWhenNoAttemptIsLeft() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        DataSource source = new FaultySource(database.source(), 1, FaultySource::cutBefore);
        refused(
                Reason.NOT_EXECUTED,
                () -> pay(executor(source, options().attempts(1).build()), key));
        assertEquals(0, effects(key));
        assertFalse(pay(executor(), key).replayed());
        assertEquals(1, effects(key));
    }

    /** The connection is lost, and the server goes on with the commit only after another connection has looked for the record. */
    void aCommitThatLandsLateDoesNotBelieTheAnswer() throws Exception {
        lateCommit(IdempotencyKey.of("t", "k"), () -> {});
    }

    /** The same, and meanwhile the bound has passed the time of the key. */
    void aLateCommitOfAKeyThatIsTooOldByNowIsWaitedFor() throws Exception {
        IdempotencyKey key = timedKey(Duration.ofMinutes(-30));
        lateCommit(key, () -> database.update("UPDATE amo_once_state SET forgotten_to = CURRENT_TIMESTAMP"));
    }

    private void lateCommit(IdempotencyKey key, Call meanwhile) throws Exception {
        CompletableFuture<Connection> held = new CompletableFuture<>();
        DataSource source = new FaultySource(database.source(), 1, connection -> {
            try {
                meanwhile.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            held.complete(connection);
        });
        CompletableFuture<Reply> call =
                async(() -> pay(executor(source, options().attempts(1).build()), key));
        Connection late = held.get(BOUND_SECONDS, TimeUnit.SECONDS);
        Awaitility.await().until(() -> call.isDone() || database.isOneBlocked());
        boolean landed = true;
        try {
            late.commit();
        } catch (SQLException e) {
            landed = false;
        }
        try {
            call.get(BOUND_SECONDS, TimeUnit.SECONDS);
            assertTrue(landed);
        } catch (ExecutionException e) {
            OnceException told = (OnceException) e.getCause();
            assertTrue(Set.of(Reason.NOT_EXECUTED, Reason.KEY_TOO_OLD).contains(told.reason()), told.getMessage());
            assertEquals(0, effects(key), "told as not executed: " + told.getMessage());
            assertFalse(landed);
        } finally {
            late.close();
        }
        if (landed) {
            assertTrue(pay(executor(), key).replayed());
            assertEquals(1, effects(key));
        }
    }

    void aRollbackByTheDatabaseIsTriedAgain() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        AtomicInteger runs = new AtomicInteger();
        executor().execute(key, REQUEST, connection -> {
            effect(connection, key);
            if (runs.incrementAndGet() < 4) {
                // As libraries wrap it.
                throw new IllegalStateException(new SQLException("serialization failure", "40001"));
            }
            return new byte[0];
        });
        assertEquals(4, runs.get());
        assertEquals(1, effects(key));
    }

    void aConnectionToSomethingElseIsTheWorksOwnToLose() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        AtomicInteger runs = new AtomicInteger();
        SQLException other = new SQLException("the other database is away", "08006");
        assertEquals(other, assertThrows(SQLException.class, () -> executor().execute(key, REQUEST, connection -> {
            runs.incrementAndGet();
            effect(connection, key);
            throw other;
        })));
        assertEquals(1, runs.get());
        assertEquals(0, effects(key));
    }

    void theWorkRunsNoMoreOftenThanItMay() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        AtomicInteger runs = new AtomicInteger();
        refused(
                Reason.NOT_EXECUTED,
                () -> executor(database.source(), options().attempts(3).build()).execute(key, REQUEST, connection -> {
                    runs.incrementAndGet();
                    effect(connection, key);
                    throw new SQLException("dead-lock", "40P01");
                }));
        assertEquals(3, runs.get());
        assertEquals(0, effects(key));
    }

    void theWorkCannotEndTheTransaction() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        List<Connection> kept = new ArrayList<>();
        for (Ending ending : List.<Ending>of(
                Connection::commit, Connection::rollback, Connection::close, each -> each.setAutoCommit(true))) {
            assertThrows(IllegalStateException.class, () -> executor().execute(key, REQUEST, connection -> {
                kept.add(connection);
                effect(connection, key);
                ending.end(connection);
                return new byte[0];
            }));
            assertEquals(0, effects(key));
        }
        for (Connection each : kept) {
            assertThrows(IllegalStateException.class, each::createStatement);
        }
        executor().execute(key, REQUEST, connection -> {
            Savepoint point = connection.setSavepoint();
            effect(connection, key);
            connection.rollback(point);
            return effect(connection, key);
        });
        assertEquals(1, effects(key));
    }

    private interface Ending {
        void end(Connection connection) throws SQLException;
    }

    void workThatOutlivesTheRetentionIsRolledBack() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        refused(Reason.NOT_EXECUTED, () -> executor().execute(key, REQUEST, connection -> {
            effect(connection, key);
            try (Statement statement = connection.createStatement()) {
                // As if it had taken an hour: less than two deadlines are left.
                statement.executeUpdate("UPDATE amo_once SET expires_at = CURRENT_TIMESTAMP + INTERVAL '19' SECOND");
            }
            return new byte[0];
        }));
        assertEquals(0, effects(key));
    }

    void aReplyThatIsTooLongIsRolledBack() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        OnceExecutor executor =
                executor(database.source(), options().maxReplyBytes(8).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> executor.execute(key, REQUEST, connection -> {
                    effect(connection, key);
                    return new byte[9];
                }));
        assertEquals(0, effects(key));
        assertEquals(
                8, executor.execute(key, REQUEST, connection -> new byte[8]).body().length);
    }

    // ---- forgetting ----

    void theCleanerTakesExpiredRecordsOnly() throws Exception {
        IdempotencyKey old = IdempotencyKey.of("t", "old");
        IdempotencyKey live = IdempotencyKey.of("t", "live");
        pay(executor(), old);
        database.expireAll();
        Reply reply = pay(executor(), live);
        assertEquals(1, executor().clean(10));
        assertEquals(0, executor().clean(10));
        assertEquals(reply.text(), pay(executor(), live).text());
        assertEquals(1, effects(live));
        // As the page says: a key without a time runs again behind its retention.
        assertFalse(pay(executor(), old).replayed());
        assertEquals(2, effects(old));
    }

    void theCleanerWorksInBatches() throws Exception {
        for (int i = 0; i < 7; i++) {
            pay(executor(), IdempotencyKey.of("t", "k" + i));
        }
        database.expireAll();
        assertEquals(3, executor().clean(3));
        assertEquals(3, executor().clean(3));
        assertEquals(1, executor().clean(3));
        assertEquals(0, database.records());
    }

    void aRecordStaysForTheRetention() throws Exception {
        pay(executor(), IdempotencyKey.of("t", "k"));
        pay(executor(), IdempotencyKey.create("t", database.now().toInstant()));
        String hour = "recorded_at + INTERVAL '1' HOUR";
        assertEquals(
                2,
                database.count("SELECT count(*) FROM amo_once WHERE expires_at >= " + hour + " AND expires_at <= "
                        + hour + " + INTERVAL '2' SECOND"));
    }

    void aTimedKeyBehindItsRemovalIsRefused() throws Exception {
        // Young enough by the clock; only the bound tells that its record is gone.
        IdempotencyKey key = timedKey(Duration.ofMinutes(-30));
        Reply reply = pay(executor(), key);
        database.expireAll();
        assertEquals(reply.text(), pay(executor(), key).text());
        assertEquals(1, executor().clean(10));
        refused(Reason.KEY_TOO_OLD, () -> pay(executor(), key));
        assertEquals(1, effects(key));
        // The bound covers what was removed and no more.
        assertFalse(pay(executor(), timedKey(Duration.ofMinutes(-29))).replayed());
    }

    /** The retry has passed the first test of its time and waits for the cleaner's transaction, which removes its record. */
    void aTimedKeyIsJudgedAgainBehindTheWaitForTheCleaner() throws Exception {
        IdempotencyKey key = timedKey(Duration.ofMinutes(-30));
        pay(executor(), key);
        database.expireAll();
        try (Connection cleaner = database.source().getConnection()) {
            cleaner.setAutoCommit(false);
            assertEquals(1, stores.of(cleaner).removeExpired(cleaner, 10));
            CompletableFuture<Reply> retry = async(() -> pay(executor(), key));
            Awaitility.await().until(() -> retry.isDone() || database.isOneBlocked());
            cleaner.commit();
            try {
                // H2 finds the record until the cleaner has committed.
                assertTrue(retry.get(BOUND_SECONDS, TimeUnit.SECONDS).replayed());
                assertFalse(database.isPostgres());
            } catch (ExecutionException e) {
                assertEquals(Reason.KEY_TOO_OLD, ((OnceException) e.getCause()).reason(), e.toString());
            }
        }
        assertEquals(1, effects(key));
    }

    /** A caller whose clock is wrong; the service's own is never read. */
    void aTimeFarFromTheDatabasesIsRefused() throws Exception {
        refused(Reason.KEY_TOO_OLD, () -> pay(executor(), timedKey(Duration.ofMinutes(-61))));
        refused(Reason.KEY_AHEAD, () -> pay(executor(), timedKey(Duration.ofMinutes(61))));
        assertFalse(pay(executor(), timedKey(Duration.ofMinutes(59))).replayed());
        assertEquals(1, database.records());
    }

    void theBoundNeverFalls() throws Exception {
        IdempotencyKey young = timedKey(Duration.ofMinutes(-10));
        IdempotencyKey old = timedKey(Duration.ofMinutes(-20));
        pay(executor(), young);
        database.expireAll();
        executor().clean(10);
        // A key at or below the bound gets no record any more; one of an executor with another clock may have.
        database.update("UPDATE amo_once_state SET forgotten_to = forgotten_to - INTERVAL '1' HOUR");
        pay(executor(), old);
        database.update("UPDATE amo_once_state SET forgotten_to = forgotten_to + INTERVAL '1' HOUR");
        database.expireAll();
        executor().clean(10);
        refused(Reason.KEY_TOO_OLD, () -> pay(executor(), young));
    }

    void theCleanersThreadRemovesUntilItIsClosed() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        OnceExecutor.Cleaner cleaner = executor().cleanEvery(Duration.ofMillis(5));
        for (int i = 0; i < 2; i++) {
            pay(executor(), key);
            database.expireAll();
            Awaitility.await().until(() -> database.records() == 0);
        }
        cleaner.close();
        pay(executor(), key);
        database.expireAll();
        assertTrue(Thread.getAllStackTraces().keySet().stream()
                .noneMatch(each -> each.getName().equals("amo-once-cleaner")));
        assertEquals(1, database.records());
    }

    void anInterruptEndsTheCallAndStays() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("t", "k");
        refused(Reason.NOT_EXECUTED, () -> executor().execute(key, REQUEST, connection -> {
            effect(connection, key);
            Thread.currentThread().interrupt();
            throw new SQLException("dead-lock", "40P01");
        }));
        assertTrue(Thread.interrupted());
        assertEquals(0, effects(key));
    }

    // ---- schema ----

    void aMissingMigrationIsToldInOneLine() throws Exception {
        database.dropTables();
        OnceException e = refused(Reason.SCHEMA, () -> pay(executor(), IdempotencyKey.of("t", "k")));
        assertTrue(e.getMessage().contains("are missing: run the migrations of db/amo-once/"), e.getMessage());
        refused(Reason.SCHEMA, () -> OnceSchema.check(database.source()));
        refused(Reason.SCHEMA, () -> executor().clean(1));
        List<CompletableFuture<Integer>> makers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            makers.add(async(() -> {
                OnceSchema.create(database.source());
                return 0;
            }));
        }
        for (CompletableFuture<Integer> each : makers) {
            each.get(BOUND_SECONDS, TimeUnit.SECONDS);
        }
        OnceSchema.check(database.source());
    }

    void anInterruptedMigrationIsRunAgain() throws Exception {
        database.dropTables();
        if (!database.isPostgres()) {
            OnceSchema.create(database.source());
            database.update("DELETE FROM amo_once_state");
        }
        OnceSchema.create(database.source());
        OnceSchema.check(database.source());
    }

    void aMigrationThatGetsLostIsToldInOneLine() throws Exception {
        OnceExecutor executor = executor();
        pay(executor, IdempotencyKey.of("t", "k"));
        database.dropTables();
        refused(Reason.SCHEMA, () -> pay(executor, IdempotencyKey.of("t", "other")));
    }

    void anotherVersionIsToldInOneLine() throws Exception {
        try {
            database.update("UPDATE amo_once_state SET version = 0");
            OnceException older = refused(Reason.SCHEMA, () -> OnceSchema.create(database.source()));
            assertTrue(older.getMessage().contains("version 0, older than 1"), older.getMessage());
            database.update("UPDATE amo_once_state SET version = 2");
            OnceException newer = refused(Reason.SCHEMA, () -> pay(executor(), IdempotencyKey.of("t", "k")));
            assertTrue(newer.getMessage().contains("version 2, newer than 1"), newer.getMessage());
        } finally {
            database.update("UPDATE amo_once_state SET version = 1");
        }
    }

    private IdempotencyKey timedKey(Duration age) throws SQLException {
        OffsetDateTime created = database.now().plus(age);
        return IdempotencyKey.create("t", created.toInstant());
    }

    interface Task<T> {
        T run() throws Exception;
    }

    static <T> CompletableFuture<T> async(Task<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(task.run());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                },
                "call");
        thread.setDaemon(true);
        thread.start();
        return result;
    }
}
