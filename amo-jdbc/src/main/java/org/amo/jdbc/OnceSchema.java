package org.amo.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.amo.base.Experimental;
import org.amo.once.OnceException;

/**
 * The two tables of amo-jdbc. Their migrations are {@code db/amo-once/postgresql} and {@code db/amo-once/h2} on the class path, as
 * Flyway takes them; give them a history table of their own. A service without a tool for migrations calls {@link #create}.
 */
@Experimental
public final class OnceSchema {
    /** Of the migrations on the class path. */
    static final String PLACE = "db/amo-once";

    private OnceSchema() {}

    /**
     * Creates the tables if they are missing; otherwise the same as {@link #check}. Any number of processes may do it at once in
     * PostgreSQL, any number of threads in H2.
     */
    public static synchronized void create(DataSource dataSource) throws SQLException {
        try (OnceTransaction transaction = OnceTransaction.begin(dataSource)) {
            Connection connection = transaction.connection();
            try {
                OnceStore store = OnceStore.of(connection);
                store.lockSchema(connection);
                if (!store.hasSchema(connection)) {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(migration(store.folder()));
                    }
                }
                check(connection, store);
                transaction.commit();
            } catch (SQLException | RuntimeException e) {
                transaction.rollback();
                throw e;
            }
        }
    }

    /** @throws OnceException in one line, with reason SCHEMA, if the tables are missing, older or newer */
    public static void check(DataSource dataSource) throws SQLException {
        try (OnceTransaction transaction = OnceTransaction.begin(dataSource)) {
            try {
                check(transaction.connection(), OnceStore.of(transaction.connection()));
            } finally {
                transaction.rollback();
            }
        }
    }

    static void check(Connection connection, OnceStore store) throws SQLException {
        if (!store.hasSchema(connection)) {
            throw new OnceException(
                    OnceException.Reason.SCHEMA,
                    "the tables of amo-jdbc are missing: run the migrations of " + PLACE + "/" + store.folder()
                            + ", or OnceSchema.create");
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT version FROM amo_once_state")) {
            int version = row.next() ? row.getInt(1) : 0;
            if (version < OnceStore.VERSION) {
                throw new OnceException(
                        OnceException.Reason.SCHEMA,
                        "the tables of amo-jdbc have version " + version + ", older than " + OnceStore.VERSION
                                + ": run the migrations of " + PLACE + "/" + store.folder());
            }
            if (version > OnceStore.VERSION) {
                throw new OnceException(
                        OnceException.Reason.SCHEMA,
                        "the tables of amo-jdbc have version " + version + ", newer than " + OnceStore.VERSION
                                + ": upgrade amo-jdbc in this service");
            }
        }
    }

    private static String migration(String folder) {
        String file = "/" + PLACE + "/" + folder + "/V1__amo_once.sql";
        try (InputStream in = OnceSchema.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("the jar of amo-jdbc lacks " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the jar of amo-jdbc cannot be read: " + file, e);
        }
    }
}
