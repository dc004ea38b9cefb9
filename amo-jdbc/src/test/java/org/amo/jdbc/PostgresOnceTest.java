package org.amo.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.amo.jdbc.CommitProxy.Fate;
import org.amo.meetings.PostgresServer;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceOptions;
import org.amo.once.ResultStore;
import org.amo.testkit.once.ResultStoreContract;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract over PostgreSQL, where it is installed. */
final class PostgresOnceTest extends OnceContract {
    private static final IdempotencyKey KEY = IdempotencyKey.of("t", "k");

    @TempDir
    private static Path folder;

    private static PostgresServer server;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed: only H2 was tried");
        // A commit with synchronous_commit=on is logged, and then waits for a standby that never comes.
        server = PostgresServer.start(folder, "synchronous_commit=local", "synchronous_standby_names=absent");
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private TestDatabase database;

    @BeforeEach
    void connect() {
        database = database();
    }

    @Override
    TestDatabase database() {
        return TestDatabase.postgres(server.url());
    }

    private OnceExecutor<Connection, SQLException> executor() {
        return OnceExecutor.over(
                JdbcResultStore.over(database.source()), OnceScenarios.options().build());
    }

    private static OnceExecutor.Reply pay(OnceExecutor<Connection, SQLException> executor) throws SQLException {
        return executor.execute(KEY, OnceScenarios.REQUEST, connection -> {
            TestDatabase.effect(connection, "pay");
            return Long.toString(System.nanoTime()).getBytes(UTF_8);
        });
    }

    private static OnceException refused(OnceException.Reason reason, Executable call) {
        OnceException e = assertThrows(OnceException.class, call);
        assertEquals(reason, e.reason(), e.getMessage());
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        return e;
    }

    /** Runs with a setting that each new connection has. */
    private void with(String setting, Executable test) throws Throwable {
        database.update("ALTER ROLE amo SET " + setting);
        try {
            test.execute();
        } finally {
            try (Connection connection = database.source().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET default_transaction_read_only = off");
                statement.execute("ALTER ROLE amo RESET ALL");
            }
        }
    }

    // ---- mutants of this database's SQL ----

    @TestFactory
    Stream<DynamicTest> theContractFindsMutants() {
        return Stream.of(
                mutant(
                        "the record is written outside of the transaction",
                        new RecordOutside(database),
                        ResultStoreContract::aCommitThatWasNotHeardRunsAgain),
                mutant(
                        "the key has no tenant",
                        new PostgresStore() {
                            @Override
                            byte[] tenantOf(IdempotencyKey key) {
                                return new byte[0];
                            }
                        },
                        ResultStoreContract::tenantsHaveKeysOfTheirOwn),
                mutant(
                        "the low-water mark passes a call before its reply is stored",
                        new PostgresStore() {
                            @Override
                            String stillAccepted(TransactionId transaction) {
                                return "";
                            }
                        },
                        ResultStoreContract::aCallWhoseKeyFallsBelowTheMarkUnderItsWorkIsRefused),
                mutant(
                        "the mark is not raised",
                        new PostgresStore() {
                            @Override
                            void raise(Connection connection, Optional<OffsetDateTime> removed) {}
                        },
                        ResultStoreContract::aTimedKeyBehindItsRemovalIsRefused),
                mutant(
                        "the cleaner removes live records",
                        new PostgresStore() {
                            @Override
                            String expired() {
                                return "expires_at > statement_timestamp() - interval '1 hour'";
                            }
                        },
                        ResultStoreContract::theCleanerTakesExpiredRecordsOnly));
    }

    private DynamicTest mutant(String name, PostgresStore store, OnceMutantsTest.Promise promise) {
        return OnceMutantsTest.foundByContract(database, name, () -> store, promise);
    }

    /** Commits the row and the reply on a connection of its own. */
    private static final class RecordOutside extends PostgresStore {
        private final TestDatabase database;

        RecordOutside(TestDatabase database) {
            this.database = database;
        }

        @Override
        Optional<TransactionId> claim(Connection connection, ResultStore.Request request, Duration limit, boolean judge)
                throws SQLException {
            try (Connection other = database.source().getConnection()) {
                return super.claim(other, request, limit, judge);
            }
        }

        @Override
        boolean complete(Connection connection, ResultStore.Request request, byte[] reply, TransactionId transaction)
                throws SQLException {
            try (Connection other = database.source().getConnection()) {
                return super.complete(other, request, reply, transaction);
            }
        }

        @Override
        String sameTransaction() {
            return "";
        }
    }

    // ---- drivers ----

    /** Each savepoint has an id of its own at the server, and rows are marked with it. */
    @Test
    void savepointsThatTheDriverSetsEndNoTransaction() throws Exception {
        TestDatabase saving = TestDatabase.postgres(server.url() + "&autosave=always");
        OnceExecutor<Connection, SQLException> executor = OnceExecutor.over(
                JdbcResultStore.over(saving.source()), OnceScenarios.options().build());
        OnceExecutor.Reply first = pay(executor);
        OnceExecutor.Reply again = pay(executor);
        assertEquals(first.text(), again.text());
        assertTrue(again.replayed());
        assertEquals(1, database.effects("pay"));
    }

    // ---- a connection that is lost at the commit ----

    @Test
    void aCommitWhoseAnswerIsCutOffIsFoundOnAnotherConnection() throws Exception {
        OnceExecutor.Reply reply = throughProxy(Fate.CUT_BEHIND, proxy -> {});
        assertFalse(reply.replayed());
    }

    /** The server hears of neither the commit nor the end of the connection: its transaction must be ended before another one runs. */
    @Test
    void aCommitThatIsHeldInTheNetworkDoesNotLandLater() throws Exception {
        throughProxy(Fate.HOLD, CommitProxy::release);
    }

    @Test
    void aCommitWhoseAnswerNeverComesIsFoundOnAnotherConnection() throws Exception {
        OnceExecutor.Reply reply = throughProxy(Fate.SWALLOW_ANSWER, proxy -> {});
        assertFalse(reply.replayed());
    }

    private OnceExecutor.Reply throughProxy(Fate fate, Consumer<CommitProxy> afterwards) throws Exception {
        try (CommitProxy proxy = new CommitProxy(server, fate)) {
            OnceOptions options = OnceScenarios.options()
                    .deadline(Duration.ofSeconds(3))
                    .lockTimeout(Duration.ofSeconds(3))
                    .build();
            OnceExecutor<Connection, SQLException> executor = OnceExecutor.over(
                    JdbcResultStore.over(TestDatabase.postgres(proxy.url()).source()), options);
            OnceExecutor.Reply reply = pay(executor);
            assertTrue(proxy.isHit());
            assertEquals(1, database.effects("pay"));
            afterwards.accept(proxy);
            assertEquals(reply.text(), pay(executor()).text());
            assertEquals(1, database.effects("pay"));
            return reply;
        }
    }

    @Test
    void onlyTheLostTransactionIsEnded() throws Exception {
        try (Connection other = database.source().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            ResultSet row = statement.executeQuery("SELECT pg_backend_pid(), pg_current_xact_id()::text");
            assertTrue(row.next());
            int process = row.getInt(1);
            String id = row.getString(2);
            try (Connection connection = database.source().getConnection()) {
                PostgresStore store = new PostgresStore();
                store.terminate(connection, new TransactionId(process, Long.toString(Long.parseLong(id) + 1), true));
                assertTrue(other.isValid(5));
                store.terminate(connection, new TransactionId(process, id, true));
                Awaitility.await().until(() -> !other.isValid(5));
            }
        }
    }

    // ---- kills and stops in the middle of a commit ----

    /** The commit is not in the log yet. */
    @Test
    void aCallWhoseCommitWasNotLoggedRunsAgainBehindAKill() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        OnceExecutor.Reply reply =
                killedInTheCommit(runs, sleepingCommit(), "PgSleep").get(30, TimeUnit.SECONDS);
        assertFalse(reply.replayed());
        assertEquals(2, runs.get());
        assertEquals(1, database.effects("pay"));
    }

    /** The commit is in the log, and not answered. */
    @Test
    void aCallWhoseCommitWasLoggedIsFoundBehindAKill() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        OnceExecutor.Reply reply = killedInTheCommit(runs, "SET LOCAL synchronous_commit = on", "SyncRep")
                .get(30, TimeUnit.SECONDS);
        assertFalse(reply.replayed());
        assertEquals(1, runs.get());
        assertEquals(1, database.effects("pay"));
        assertEquals(reply.text(), pay(executor()).text());
    }

    @Test
    void aDatabaseThatStandsStillInACommitIsUnknownAndTheRetryFindsOut() throws Exception {
        try (CommitProxy proxy = new CommitProxy(server, Fate.STAND_STILL)) {
            try {
                refused(OnceException.Reason.UNKNOWN, () -> pay(impatient(proxy.url(), Duration.ofSeconds(1))));
            } finally {
                server.resume();
            }
            assertTrue(pay(executor()).replayed());
            assertEquals(1, database.effects("pay"));
        }
    }

    @Test
    void aDatabaseThatStandsStillUnderTheWorkIsToldAtTheDeadline() throws Exception {
        standStill(Duration.ofSeconds(1));
    }

    @Test
    @Tag("slow")
    @Timeout(180)
    void aDatabaseThatStandsStillForThirtySecondsIsToldAtTheDeadline() throws Exception {
        standStill(Duration.ofSeconds(30));
    }

    private void standStill(Duration deadline) throws Exception {
        try {
            refused(OnceException.Reason.NOT_EXECUTED, () -> impatient(server.url(), deadline)
                    .<Exception>execute(KEY, OnceScenarios.REQUEST, connection -> {
                        TestDatabase.effect(connection, "pay");
                        server.pause();
                        return new byte[0];
                    }));
        } finally {
            server.resume();
        }
        assertFalse(pay(executor()).replayed());
        assertEquals(1, database.effects("pay"));
    }

    /** Of a service that has told its driver not to wait for a connection for ever. */
    private static OnceExecutor<Connection, SQLException> impatient(String url, Duration deadline) {
        OnceOptions options =
                OnceScenarios.options().deadline(deadline).lockTimeout(deadline).build();
        return OnceExecutor.over(
                JdbcResultStore.over(
                        TestDatabase.postgres(url + "&loginTimeout=1").source()),
                options);
    }

    /** @return a statement that makes the commit of its transaction take a minute before it is logged */
    private String sleepingCommit() throws SQLException {
        database.update("DROP TABLE IF EXISTS slow_commit");
        database.update("CREATE TABLE slow_commit (n int)");
        database.update("CREATE OR REPLACE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$");
        database.update("CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON slow_commit"
                + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow_commit()");
        return "INSERT INTO slow_commit VALUES (1)";
    }

    /**
     * Begins a call whose first run executes the statement, and kills the server when the commit waits for the event.
     *
     * @return the call, with the server up again
     */
    private CompletableFuture<OnceExecutor.Reply> killedInTheCommit(AtomicInteger runs, String first, String event)
            throws IOException {
        CompletableFuture<OnceExecutor.Reply> call =
                OnceScenarios.async(() -> executor().execute(KEY, OnceScenarios.REQUEST, connection -> {
                    TestDatabase.effect(connection, "pay");
                    if (runs.incrementAndGet() == 1) {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute(first);
                        }
                    }
                    return Long.toString(System.nanoTime()).getBytes(UTF_8);
                }));
        Awaitility.await()
                .until(() ->
                        database.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event = '" + event + "'") > 0);
        server.kill();
        server.start();
        return call;
    }

    // ---- isolation levels ----

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void higherLevelsKeepTheContract(String level) throws Throwable {
        with("default_transaction_isolation = '" + level + "'", () -> {
            concurrentDuplicatesRunOnce();
            database.reset();
            aCommitThatLandsLateDoesNotBelieTheAnswer();
            database.reset();
            aCallWhoseKeyFallsBelowTheMarkUnderItsWorkIsRefused();
            database.reset();
            new OnceScenarios(database, new OnceStores()).aTimedKeyIsJudgedAgainBehindTheWaitForTheCleaner();
        });
    }

    /** The rule behind the lock of the bound: without it, the retry runs a second time. */
    @Test
    void withoutTheLockOfTheBoundARepeatableReadIsStale() throws Throwable {
        OnceStores mutant = new OnceStores() {
            @Override
            OnceStore open(Connection connection) {
                return new PostgresStore() {
                    @Override
                    String stillAccepted(TransactionId transaction) {
                        return super.stillAccepted(new TransactionId(0, "", true));
                    }
                };
            }
        };
        with("default_transaction_isolation = 'repeatable read'", () -> {
            OnceScenarios scenarios = new OnceScenarios(database, mutant);
            assertThrows(AssertionError.class, scenarios::aTimedKeyIsJudgedAgainBehindTheWaitForTheCleaner);
        });
    }

    @Test
    void serializationFailuresAreTriedAgain() throws Throwable {
        database.update("DROP TABLE IF EXISTS counter");
        database.update("CREATE TABLE counter (n bigint)");
        database.update("INSERT INTO counter VALUES (0)");
        with("default_transaction_isolation = 'serializable'", () -> {
            OnceExecutor<Connection, SQLException> executor = OnceExecutor.over(
                    JdbcResultStore.over(database.source()),
                    OnceScenarios.options().attempts(100).build());
            List<CompletableFuture<Integer>> threads = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                String name = "thread" + thread;
                threads.add(OnceScenarios.async(() -> {
                    for (int i = 0; i < 10; i++) {
                        executor.execute(IdempotencyKey.of(name, "k" + i), OnceScenarios.REQUEST, connection -> {
                            try (Statement statement = connection.createStatement()) {
                                statement.executeUpdate("UPDATE counter SET n = n + 1");
                            }
                            return new byte[0];
                        });
                    }
                    return 0;
                }));
            }
            for (CompletableFuture<Integer> each : threads) {
                each.get(30, TimeUnit.SECONDS);
            }
        });
        assertEquals(30, database.count("SELECT n FROM counter"));
    }

    @Test
    void aDeadLockIsTriedAgain() throws Exception {
        database.update("DROP TABLE IF EXISTS account");
        database.update("CREATE TABLE account (id int, balance int)");
        database.update("INSERT INTO account VALUES (1, 0), (2, 0)");
        CyclicBarrier both = new CyclicBarrier(2);
        CompletableFuture<OnceExecutor.Reply> one = OnceScenarios.async(() -> transfer("one", 1, 2, both));
        CompletableFuture<OnceExecutor.Reply> other = OnceScenarios.async(() -> transfer("other", 2, 1, both));
        one.get(30, TimeUnit.SECONDS);
        other.get(30, TimeUnit.SECONDS);
        assertEquals(4, database.count("SELECT sum(balance) FROM account"));
    }

    private OnceExecutor.Reply transfer(String name, int from, int to, CyclicBarrier both) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        return executor().<Exception>execute(IdempotencyKey.of("t", name), OnceScenarios.REQUEST, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE account SET balance = balance + 1 WHERE id = " + from);
                if (runs.incrementAndGet() == 1) {
                    both.await(20, TimeUnit.SECONDS);
                }
                statement.executeUpdate("UPDATE account SET balance = balance + 1 WHERE id = " + to);
            }
            return new byte[0];
        });
    }

    // ---- mistakes of the work ----

    @Test
    void workThatCommitsInSqlIsFound() throws Exception {
        OnceException e = refused(
                OnceException.Reason.UNKNOWN, () -> executor().execute(KEY, OnceScenarios.REQUEST, connection -> {
                    TestDatabase.effect(connection, "pay");
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("COMMIT");
                    }
                    return new byte[0];
                }));
        assertTrue(e.getMessage().contains("ended the transaction"), e.getMessage());
        refused(OnceException.Reason.UNKNOWN, () -> pay(executor()));
        assertEquals(1, database.effects("pay"));
    }

    @Test
    void workThatRollsBackInSqlIsFound() throws Exception {
        refused(OnceException.Reason.UNKNOWN, () -> executor().execute(KEY, OnceScenarios.REQUEST, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("ROLLBACK");
            }
            TestDatabase.effect(connection, "pay");
            return new byte[0];
        }));
        assertEquals(0, database.effects("pay"));
    }

    @Test
    void aCommitThatTheDatabaseRefusesIsTheWorksError() throws Exception {
        database.update("DROP TABLE IF EXISTS name");
        database.update("CREATE TABLE name (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        database.update("INSERT INTO name VALUES (1)");
        AtomicInteger runs = new AtomicInteger();
        SQLException e =
                assertThrows(SQLException.class, () -> executor().execute(KEY, OnceScenarios.REQUEST, connection -> {
                    runs.incrementAndGet();
                    try (Statement statement = connection.createStatement()) {
                        statement.executeUpdate("INSERT INTO name VALUES (1)");
                    }
                    return new byte[0];
                }));
        assertEquals("23505", e.getSQLState());
        assertEquals(1, runs.get());
        assertEquals(0, database.records());
    }

    // ---- cleaner ----

    @Test
    void theCleanerWaitsForNoLock() throws Exception {
        for (int i = 0; i < 3; i++) {
            executor().execute(IdempotencyKey.of("t", "k" + i), OnceScenarios.REQUEST, connection -> new byte[0]);
        }
        database.expireAll();
        try (Connection other = database.source().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.executeQuery("SELECT * FROM amo_once LIMIT 1 FOR UPDATE").close();
            assertEquals(2, OnceScenarios.async(() -> executor().clean(10)).get(10, TimeUnit.SECONDS));
        }
        assertEquals(1, executor().clean(10));
    }

    @Test
    void theCleanerLocksNoLiveRow() throws Exception {
        executor().execute(IdempotencyKey.of("t", "old"), OnceScenarios.REQUEST, connection -> new byte[0]);
        database.expireAll();
        executor().execute(IdempotencyKey.of("t", "live"), OnceScenarios.REQUEST, connection -> new byte[0]);
        try (Connection cleaner = database.source().getConnection()) {
            cleaner.setAutoCommit(false);
            assertEquals(1, new PostgresStore().removeExpired(cleaner, 10));
            assertEquals(
                    1,
                    database.count("SELECT count(*) FROM (SELECT 1 FROM amo_once WHERE expires_at > now()"
                            + " FOR UPDATE NOWAIT) live"));
            cleaner.commit();
        }
    }

    // ---- a database in trouble ----

    @Test
    void aReadOnlyDatabaseIsToldInOneLine() throws Throwable {
        with("default_transaction_read_only = on", () -> {
            OnceException e = refused(OnceException.Reason.NOT_EXECUTED, () -> pay(executor()));
            assertTrue(e.getMessage().contains("read-only"), e.getMessage());
        });
        assertFalse(pay(executor()).replayed());
    }

    @Test
    void aFullDatabaseIsToldInOneLineAndTheRetryRunsOnce() throws Exception {
        database.update("CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$");
        for (String table : List.of("amo_once", "ledger")) {
            database.update("CREATE TRIGGER full_disk BEFORE INSERT ON " + table + " EXECUTE FUNCTION full_disk()");
            Exception e = assertThrows(Exception.class, () -> pay(executor()));
            assertTrue(e.getMessage().contains("No space left"), e.getMessage());
            assertTrue(
                    e instanceof OnceException once
                            ? once.reason() == OnceException.Reason.NOT_EXECUTED
                            : "53100".equals(((SQLException) e).getSQLState()),
                    e::toString);
            database.update("DROP TRIGGER full_disk ON " + table);
        }
        assertFalse(pay(executor()).replayed());
        assertEquals(1, database.effects("pay"));
    }

    @Test
    void aStatementTimeoutIsTheWorksError() throws Throwable {
        with("statement_timeout = '300ms'", () -> {
            SQLException e = assertThrows(
                    SQLException.class, () -> executor().execute(KEY, OnceScenarios.REQUEST, connection -> {
                        TestDatabase.effect(connection, "pay");
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("SELECT pg_sleep(20)");
                        }
                        return new byte[0];
                    }));
            assertEquals("57014", e.getSQLState());
        });
        assertEquals(0, database.effects("pay"));
        assertFalse(pay(executor()).replayed());
    }

    @Test
    void aDatabaseThatIsNotThereIsToldAtTheDeadline() {
        TestDatabase nowhere = TestDatabase.postgres("jdbc:postgresql://127.0.0.1:1/postgres?user=amo");
        OnceOptions options = OnceScenarios.options()
                .deadline(Duration.ofMillis(200))
                .lockTimeout(Duration.ZERO)
                .build();
        refused(
                OnceException.Reason.NOT_EXECUTED,
                () -> pay(OnceExecutor.over(JdbcResultStore.over(nowhere.source()), options)));
    }
}
