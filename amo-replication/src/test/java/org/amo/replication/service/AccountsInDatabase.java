package org.amo.replication.service;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The recipe of docs/how-to/keep-state-in-a-database.md: a service whose state is a database that all members share. The reply record is written in
 * the transaction of the data, before the data, under the request's id: whoever comes second waits for the first one's commit,
 * finds the record, and changes nothing.
 */
final class AccountsInDatabase implements AmoHandler, AutoCloseable {
    /** Of the SQL standard; drivers differ in the class of the exception. */
    private static final String UNIQUE_VIOLATION = "23505";

    private final Connection db;

    AccountsInDatabase(String url) throws SQLException {
        db = DriverManager.getConnection(url);
        try (Statement statement = db.createStatement()) {
            statement.execute("create table if not exists account (balance bigint not null, updates bigint not null)");
            statement.execute("create table if not exists amo_replies (id varchar(80) primary key, reply bytea)");
        }
        db.setAutoCommit(false);
    }

    static void openAccount(String url) throws SQLException {
        try (AccountsInDatabase first = new AccountsInDatabase(url);
                Statement statement = first.db.createStatement()) {
            statement.execute("insert into account values (0, 0)");
            first.db.commit();
        }
    }

    /** A database that is away must not become a reply of this member alone: an error stops the member. */
    @Override
    public byte[] handle(byte[] request, ReplicaContext context) {
        try {
            return once(request, context.requestId());
        } catch (SQLException e) {
            throw new AssertionError("request " + context.requestId(), e);
        }
    }

    private byte[] once(byte[] request, String id) throws SQLException {
        try (PreparedStatement record = db.prepareStatement("insert into amo_replies values (?, null)")) {
            record.setString(1, id);
            record.executeUpdate();
        } catch (SQLException e) {
            db.rollback();
            if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
                throw e;
            }
            return recorded(id);
        }
        byte[] reply = deposit(request);
        try (PreparedStatement record = db.prepareStatement("update amo_replies set reply = ? where id = ?")) {
            record.setBytes(1, reply);
            record.setString(2, id);
            record.executeUpdate();
        }
        db.commit();
        return reply;
    }

    private byte[] recorded(String id) throws SQLException {
        try (PreparedStatement known = db.prepareStatement("select reply from amo_replies where id = ?")) {
            known.setString(1, id);
            ResultSet row = known.executeQuery();
            row.next();
            byte[] reply = row.getBytes(1);
            db.commit();
            return reply;
        }
    }

    private byte[] deposit(byte[] amount) throws SQLException {
        try (PreparedStatement update =
                        db.prepareStatement("update account set balance = balance + ?, updates = updates + 1");
                Statement query = db.createStatement()) {
            update.setLong(1, ByteBuffer.wrap(amount).getLong());
            update.executeUpdate();
            ResultSet row = query.executeQuery("select balance from account");
            row.next();
            return ByteBuffer.allocate(Long.BYTES).putLong(row.getLong(1)).array();
        }
    }

    long updates() throws SQLException {
        try (Statement query = db.createStatement()) {
            ResultSet row = query.executeQuery("select updates from account");
            row.next();
            long updates = row.getLong(1);
            db.commit();
            return updates;
        }
    }

    @Override
    public void close() throws SQLException {
        db.close();
    }
}
