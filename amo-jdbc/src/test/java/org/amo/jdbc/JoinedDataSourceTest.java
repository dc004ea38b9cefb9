package org.amo.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions of a framework within a call, over H2. */
final class JoinedDataSourceTest {
    private final TestDatabase database = TestDatabase.h2("joined");
    private final JoinedDataSource joined = JoinedDataSource.over(database.source());

    private interface Statements {
        void run(Connection connection) throws SQLException;
    }

    @BeforeEach
    void reset() throws SQLException {
        database.reset();
    }

    private void call(Statements statements) throws Exception {
        OnceExecutor.over(
                        JdbcResultStore.over(database.source()),
                        OnceScenarios.options().build())
                .<Exception>execute(
                        IdempotencyKey.of("t", "k"),
                        OnceScenarios.REQUEST,
                        call -> joined.within(call, () -> {
                            try (Connection connection = joined.getConnection()) {
                                statements.run(connection);
                            }
                            return new byte[0];
                        }));
    }

    private void assertStand(List<String> effects) throws SQLException {
        assertEquals(effects.size(), database.count("SELECT count(*) FROM ledger"));
        for (String each : effects) {
            assertEquals(1, database.effects(each), each);
        }
    }

    @Test
    void aRollbackUndoesNothingThatCommittedByItself() throws Exception {
        call(connection -> {
            TestDatabase.effect(connection, "stays");
            connection.setAutoCommit(false);
            TestDatabase.effect(connection, "goes");
            connection.rollback();
        });
        assertStand(List.of("stays"));
    }

    @Test
    void theSameModeAgainCommitsNothing() throws Exception {
        call(connection -> {
            connection.setAutoCommit(false);
            TestDatabase.effect(connection, "goes");
            connection.setAutoCommit(false);
            connection.rollback();
        });
        assertStand(List.of());
    }

    @Test
    void theOtherModeCommits() throws Exception {
        call(connection -> {
            connection.setAutoCommit(false);
            TestDatabase.effect(connection, "stays");
            connection.setAutoCommit(true);
            TestDatabase.effect(connection, "stays, too");
            connection.setAutoCommit(false);
            TestDatabase.effect(connection, "goes with the connection");
        });
        assertStand(List.of("stays", "stays, too"));
    }
}
