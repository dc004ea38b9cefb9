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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceException.Reason;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceExecutor.Reply;
import org.amo.once.OnceOptions;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;

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

    OnceExecutor<Connection, SQLException> executor(DataSource source, OnceOptions options) {
        return OnceExecutor.over(new JdbcResultStore(source, stores), options);
    }

    OnceExecutor<Connection, SQLException> executor() {
        return executor(database.source(), options().build());
    }

    /** Work with an effect; each run has another reply. */
    private static Reply pay(OnceExecutor<Connection, SQLException> executor, IdempotencyKey key) throws SQLException {
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
        OnceExecutor<Connection, SQLException> executor =
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

    void aRecordStaysForTheRetention() throws Exception {
        pay(executor(), IdempotencyKey.of("t", "k"));
        pay(executor(), IdempotencyKey.create("t", database.now().toInstant()));
        String hour = "recorded_at + INTERVAL '1' HOUR";
        assertEquals(
                2,
                database.count("SELECT count(*) FROM amo_once WHERE expires_at >= " + hour + " AND expires_at <= "
                        + hour + " + INTERVAL '2' SECOND"));
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

    /** As the page says: in a database with other tables, and with a history of its own. */
    void flywayRunsTheMigrations() throws Exception {
        database.dropTables();
        database.update("CREATE TABLE IF NOT EXISTS own (n int)");
        Flyway flyway = Flyway.configure()
                .dataSource(database.source())
                .locations("classpath:db/amo-once/" + (database.isPostgres() ? "postgresql" : "h2"))
                .table("amo_once_history")
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();
        try {
            assertEquals(1, flyway.migrate().migrationsExecuted);
            assertEquals(0, flyway.migrate().migrationsExecuted);
        } finally {
            database.update("DROP TABLE IF EXISTS \"amo_once_history\"; DROP TABLE own");
        }
        OnceSchema.check(database.source());
        database.reset();
        assertFalse(pay(executor(), IdempotencyKey.of("t", "k")).replayed());
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
        OnceExecutor<Connection, SQLException> executor = executor();
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
