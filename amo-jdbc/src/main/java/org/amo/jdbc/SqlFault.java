package org.amo.jdbc;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Optional;
import java.util.Set;
import org.amo.once.ResultStore.Fault;

/** The kinds of SQL errors, by their SQLSTATE. */
final class SqlFault {
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

    private SqlFault() {}

    static Fault of(SQLException e) {
        String state = Optional.ofNullable(e.getSQLState()).orElse("");
        if (state.startsWith(CONNECTION_CLASS)
                || GONE.contains(state)
                || e instanceof SQLRecoverableException
                || e instanceof SQLTransientConnectionException) {
            return Fault.LOST;
        }
        if (state.startsWith(ROLLBACK_CLASS)) {
            return Fault.ROLLED_BACK;
        }
        // A pool without a free connection throws the latter.
        if (BLOCKED.contains(state) || e instanceof SQLTransientException) {
            return Fault.BUSY;
        }
        return UNDEFINED.contains(state) ? Fault.UNPREPARED : Fault.OTHER;
    }
}
