package org.amo.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database of tests, with a ledger: one row for each time that work had its effect. */
record TestDatabase(DataSource source, boolean isPostgres) {
    static TestDatabase h2(String name) {
        JdbcDataSource source = new JdbcDataSource();
        // A short timeout, so that the executor's own wait is tested.
        source.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=200");
        return new TestDatabase(source, false);
    }

    static TestDatabase postgres(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return new TestDatabase(source, true);
    }

    /** With all tables, empty. */
    void reset() throws SQLException {
        OnceSchema.create(source);
        update("CREATE TABLE IF NOT EXISTS ledger (effect VARCHAR(300) NOT NULL);"
                + "DELETE FROM amo_once; DELETE FROM ledger;"
                + "UPDATE amo_once_state SET forgotten_to = TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'");
    }

    void dropTables() throws SQLException {
        update("DROP TABLE IF EXISTS amo_once; DROP TABLE IF EXISTS amo_once_state; DROP TABLE IF EXISTS ledger");
    }

    /** One statement or several. */
    void update(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    long count(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    OffsetDateTime now() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CURRENT_TIMESTAMP")) {
            row.next();
            return row.getObject(1, OffsetDateTime.class);
        }
    }

    /** Adds an effect to the ledger. */
    static void effect(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO ledger VALUES (?)")) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }

    long effects(String name) throws SQLException {
        return count("SELECT count(*) FROM ledger WHERE effect = '" + name + "'");
    }

    long records() throws SQLException {
        return count("SELECT count(*) FROM amo_once");
    }

    /** Makes all records expire, as if their retention had passed. */
    void expireAll() throws SQLException {
        update("UPDATE amo_once SET expires_at = CURRENT_TIMESTAMP - INTERVAL '1' SECOND");
    }

    /** Whether a transaction waits for another one; H2 tells no more than that it inserts a record. */
    boolean isOneBlocked() {
        try {
            return count(
                            isPostgres
                                    ? "SELECT count(*) FROM pg_locks WHERE NOT granted"
                                    : "SELECT count(*) FROM information_schema.sessions"
                                            + " WHERE executing_statement LIKE 'INSERT INTO amo_once%'")
                    > 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
