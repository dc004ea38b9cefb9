package org.amo.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.amo.base.Experimental;
import org.amo.once.ResultStore;

/**
 * Completion records in the PostgreSQL (13 or later) or embedded H2 database that a service has already. The record of a call is a row
 * that the database commits together with the call's own statements, so it is as durable as they are. The row is the fence, too: the
 * database makes the insertion of a key wait for the transaction that has inserted it.
 *
 * <p>The tables come from a migration ({@link OnceSchema}); the first call finds out the kind of the database, and checks them. If
 * connections are given with auto-commit off, they must have no open transaction.
 */
@Experimental
public final class JdbcResultStore implements ResultStore<Connection, SQLException> {
    private final DataSource dataSource;
    private final OnceStores stores;

    JdbcResultStore(DataSource dataSource, OnceStores stores) {
        this.dataSource = dataSource;
        this.stores = stores;
    }

    /** Asks the database for nothing yet. */
    public static JdbcResultStore over(DataSource dataSource) {
        return new JdbcResultStore(dataSource, new OnceStores());
    }

    @Override
    public Transaction<Connection, SQLException> begin() throws SQLException {
        return new JdbcTransaction(dataSource, OnceTransaction.begin(dataSource), stores);
    }

    /** Locks no record that has not expired, and waits for no lock of a record in PostgreSQL. */
    @Override
    public int removeExpired(int most) throws SQLException {
        try (OnceTransaction transaction = OnceTransaction.begin(dataSource)) {
            try {
                int removed = stores.of(transaction.connection()).removeExpired(transaction.connection(), most);
                transaction.commit();
                return removed;
            } catch (SQLException | RuntimeException e) {
                transaction.rollback();
                throw e;
            }
        }
    }

    @Override
    public Fault fault(SQLException error) {
        return SqlFault.of(error);
    }

    @Override
    public Optional<SQLException> own(Throwable thrown) {
        return thrown instanceof SQLException e ? Optional.of(e) : Optional.empty();
    }

    @Override
    public String remedy() {
        return "the tables of amo-jdbc are missing or older: run the migrations of " + OnceSchema.PLACE
                + ", or OnceSchema.create";
    }

    /** Drivers add details, positions and the statement in other lines, or behind the message. */
    @Override
    public String describe(Throwable thrown) {
        String line = ResultStore.super.describe(thrown);
        int statement = line.indexOf("; SQL statement:");
        return statement < 0 ? line : line.substring(0, statement);
    }
}
