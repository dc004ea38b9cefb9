package org.amo.benchmarks.rpclog;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import javax.sql.PooledConnection;
import org.amo.jdbc.JdbcResultStore;
import org.amo.jdbc.OnceSchema;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceOptions;
import org.postgresql.ds.PGConnectionPoolDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A schema of its own in the user's PostgreSQL, with objects and completion records. It is dropped at the end. */
final class BenchDatabase implements AutoCloseable {
    static final String SCHEMA = "amo_bench";

    private final String url;
    private final PGSimpleDataSource source;

    private BenchDatabase(String url) {
        this.url = url;
        source = new PGSimpleDataSource();
        source.setUrl(url);
        source.setCurrentSchema(SCHEMA);
    }

    static BenchDatabase create(String url) throws SQLException {
        BenchDatabase database = new BenchDatabase(url);
        database.execute("DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE");
        database.execute("CREATE SCHEMA " + SCHEMA);
        OnceSchema.create(database.source);
        database.execute("CREATE TABLE object (id int PRIMARY KEY, value bytea NOT NULL)");
        database.execute(
                "INSERT INTO object SELECT n, '' FROM generate_series(0, " + (InterleavedWrites.KEYS - 1) + ") n");
        return database;
    }

    /** A caller with a connection that stays open, as a pool would give it. One thread owns it. */
    static final class Client implements AutoCloseable {
        private final PooledConnection kept;
        private final DataSource source;

        private Client(PooledConnection kept) {
            this.kept = kept;
            source = (DataSource) Proxy.newProxyInstance(
                    BenchDatabase.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> {
                        if (!method.getName().equals("getConnection")) {
                            throw new UnsupportedOperationException(method.getName());
                        }
                        return kept.getConnection();
                    });
        }

        Connection connection() throws SQLException {
            return kept.getConnection();
        }

        OnceExecutor<Connection, SQLException> executor() {
            return OnceExecutor.over(
                    JdbcResultStore.over(source), OnceOptions.builder().build());
        }

        @Override
        public void close() throws SQLException {
            kept.close();
        }
    }

    Client connect() throws SQLException {
        PGConnectionPoolDataSource pooled = new PGConnectionPoolDataSource();
        pooled.setUrl(url);
        pooled.setCurrentSchema(SCHEMA);
        return new Client(pooled.getPooledConnection());
    }

    String version() throws SQLException {
        try (Connection connection = source.getConnection()) {
            return connection.getMetaData().getDatabaseProductVersion();
        }
    }

    /**
     * Completion records with a reply.
     *
     * @param end of the first one's retention, from now on
     * @param microsApart the ends of one and the next
     */
    void insertRecords(String tenant, int count, Duration end, double microsApart) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO amo_once (tenant, idempotency_key, fingerprint, reply, recorded_at, expires_at)"
                                + " SELECT convert_to(?, 'UTF8'), convert_to(n::text, 'UTF8'),"
                                + " decode(repeat('00', 32), 'hex'), decode(repeat('00', 8), 'hex'), now(),"
                                + " now() + ? * interval '1 millisecond' + n * ? * interval '1 microsecond'"
                                + " FROM generate_series(1, ?) n")) {
            insert.setString(1, tenant);
            insert.setLong(2, end.toMillis());
            insert.setDouble(3, microsApart);
            insert.setInt(4, count);
            insert.executeUpdate();
        }
    }

    /** @param end only records whose retention ends until then, from now on */
    long records(String tenant, Duration end) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement query =
                        connection.prepareStatement("SELECT count(*) FROM amo_once WHERE tenant = convert_to(?, 'UTF8')"
                                + " AND expires_at <= now() + ? * interval '1 millisecond'")) {
            query.setString(1, tenant);
            query.setLong(2, end.toMillis());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        execute("DROP SCHEMA " + SCHEMA + " CASCADE");
    }
}
