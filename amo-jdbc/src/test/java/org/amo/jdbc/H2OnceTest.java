package org.amo.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceExecutor;
import org.junit.jupiter.api.Test;

/** The contract over H2, embedded. */
final class H2OnceTest extends OnceContract {
    @Override
    TestDatabase database() {
        return TestDatabase.h2("once");
    }

    @Test
    void anotherIsolationLevelIsToldInOneLine() throws Exception {
        TestDatabase database =
                TestDatabase.h2("level;INIT=SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        database.reset();
        OnceExecutor<Connection, SQLException> executor = OnceExecutor.over(
                JdbcResultStore.over(database.source()), OnceScenarios.options().build());
        OnceException e = assertThrows(
                OnceException.class,
                () -> executor.execute(IdempotencyKey.of("t", "k"), OnceScenarios.REQUEST, connection -> new byte[0]));
        assertEquals(OnceException.Reason.NOT_EXECUTED, e.reason());
        assertTrue(e.getMessage().contains("READ COMMITTED"), e.getMessage());
    }
}
