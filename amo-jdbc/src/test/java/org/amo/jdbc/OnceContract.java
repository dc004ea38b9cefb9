package org.amo.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.amo.jdbc.OnceScenarios.Scenario;
import org.amo.once.ResultStore;
import org.amo.testkit.once.ResultStoreContract;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The contract of all stores over one database, and the scenarios of databases. */
@Timeout(60)
abstract class OnceContract extends ResultStoreContract<Connection, SQLException> {
    static final Map<String, Scenario> SCENARIOS = new LinkedHashMap<>();

    static {
        SCENARIOS.put(
                "a connection to something else is the work's own to lose",
                OnceScenarios::aConnectionToSomethingElseIsTheWorksOwnToLose);
        SCENARIOS.put("the work runs no more often than it may", OnceScenarios::theWorkRunsNoMoreOftenThanItMay);
        SCENARIOS.put("the work cannot end the transaction", OnceScenarios::theWorkCannotEndTheTransaction);
        SCENARIOS.put(
                "work that outlives the retention is rolled back",
                OnceScenarios::workThatOutlivesTheRetentionIsRolledBack);
        SCENARIOS.put("a reply that is too long is rolled back", OnceScenarios::aReplyThatIsTooLongIsRolledBack);
        SCENARIOS.put("a record stays for the retention", OnceScenarios::aRecordStaysForTheRetention);
        SCENARIOS.put(
                "a timed key is judged again behind the wait for the cleaner",
                OnceScenarios::aTimedKeyIsJudgedAgainBehindTheWaitForTheCleaner);
        SCENARIOS.put("the bound never falls", OnceScenarios::theBoundNeverFalls);
        SCENARIOS.put(
                "the cleaner's thread removes until it is closed",
                OnceScenarios::theCleanersThreadRemovesUntilItIsClosed);
        SCENARIOS.put("an interrupt ends the call and stays", OnceScenarios::anInterruptEndsTheCallAndStays);
        SCENARIOS.put("a missing migration is told in one line", OnceScenarios::aMissingMigrationIsToldInOneLine);
        SCENARIOS.put(
                "a migration that gets lost is told in one line", OnceScenarios::aMigrationThatGetsLostIsToldInOneLine);
        SCENARIOS.put("Flyway runs the migrations", OnceScenarios::flywayRunsTheMigrations);
        SCENARIOS.put("an interrupted migration is run again", OnceScenarios::anInterruptedMigrationIsRunAgain);
        SCENARIOS.put("another version is told in one line", OnceScenarios::anotherVersionIsToldInOneLine);
    }

    private final OnceStores stores = stores();

    abstract TestDatabase database();

    /** The seam of the mutants. */
    OnceStores stores() {
        return new OnceStores();
    }

    @Override
    protected ResultStore<Connection, SQLException> store() {
        return new JdbcResultStore(database().source(), stores);
    }

    @Override
    protected void reset() throws SQLException {
        database().reset();
    }

    @Override
    protected void effect(Connection connection, String line) throws SQLException {
        TestDatabase.effect(connection, line);
    }

    @Override
    protected long effects(String line) throws SQLException {
        return database().effects(line);
    }

    @Override
    protected long records() throws SQLException {
        return database().records();
    }

    @Override
    protected void expireAll() throws SQLException {
        database().expireAll();
    }

    @Override
    protected Instant now() throws SQLException {
        return database().now().toInstant();
    }

    @Override
    protected SQLException lost() {
        return new SQLException("the connection was lost", "08006");
    }

    @Override
    protected SQLException rolledBack() {
        return new SQLException("serialization failure", "40001");
    }

    @Override
    protected boolean isOneWaiting() {
        return database().isOneBlocked();
    }

    @TestFactory
    Stream<DynamicTest> scenarios() {
        TestDatabase database = database();
        return SCENARIOS.entrySet().stream()
                .map(scenario -> DynamicTest.dynamicTest(scenario.getKey(), () -> {
                    database.reset();
                    scenario.getValue().run(new OnceScenarios(database, new OnceStores()));
                }));
    }
}
