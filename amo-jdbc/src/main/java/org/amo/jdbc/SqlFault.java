package org.amo.jdbc;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Optional;
import java.util.Set;

/** The kinds of errors that an executor tells apart, by the SQLSTATE of the first SQLException among the causes. */
enum SqlFault {
    /** The database has rolled the transaction back, and the next attempt may pass: serialization failure, dead-lock. */
    ROLLED_BACK,
    /** The connection is gone, or there is none. */
    LOST,
    /** A lock was not free in time, or the statement was cancelled by a timeout. */
    BUSY,
    /** The tables of amo-jdbc, or a column of them, are missing. */
    NO_TABLE,
    /** Any other error of the database, of the work, or of the virtual machine. */
    OTHER;

    /** Class 40, except for 40003: statement completion unknown. */
    private static final String ROLLBACK_CLASS = "40";

    private static final String COMPLETION_UNKNOWN = "40003";
    private static final String CONNECTION_CLASS = "08";

    /** PostgreSQL: shutdown by an administrator, crash, start-up, too many clients; H2: closed database, broken connection. */
    private static final Set<String> GONE =
            Set.of("57P01", "57P02", "57P03", "57P05", "53300", "90067", "90098", "90121", COMPLETION_UNKNOWN);

    /** PostgreSQL and H2: no lock in time; cancelled by a timeout; H2: lock timeout. */
    private static final Set<String> BLOCKED = Set.of("55P03", "57014", "HYT00");

    /** PostgreSQL: undefined table, column; H2: table not found (three forms), column not found. */
    private static final Set<String> UNDEFINED = Set.of("42P01", "42703", "42S02", "42S03", "42S04", "42S22");

    private static final int MOST_CAUSES = 20;

    static SqlFault of(Throwable thrown) {
        Optional<SQLException> found = sqlException(thrown);
        if (found.isEmpty()) {
            return OTHER;
        }
        SQLException e = found.get();
        String state = Optional.ofNullable(e.getSQLState()).orElse("");
        if (state.startsWith(CONNECTION_CLASS)
                || GONE.contains(state)
                || e instanceof SQLRecoverableException
                || e instanceof SQLTransientConnectionException) {
            return LOST;
        }
        if (state.startsWith(ROLLBACK_CLASS)) {
            return ROLLED_BACK;
        }
        if (BLOCKED.contains(state)) {
            return BUSY;
        }
        return UNDEFINED.contains(state) ? NO_TABLE : OTHER;
    }

    /** Whether another try to get a connection may succeed soon. */
    static boolean mayPass(SQLException noConnection) {
        return of(noConnection) == LOST || noConnection instanceof SQLTransientException;
    }

    /** Libraries wrap the database's exceptions. */
    private static Optional<SQLException> sqlException(Throwable thrown) {
        Throwable each = thrown;
        for (int i = 0; each != null && i < MOST_CAUSES; i++) {
            if (each instanceof SQLException e) {
                return Optional.of(e);
            }
            each = each.getCause();
        }
        return Optional.empty();
    }
}
