package org.amo.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceExecutor.Work;
import org.amo.once.ResultStore;
import org.amo.once.ResultStore.Completion;
import org.amo.once.ResultStore.Request;

/** An attempt: insert the row of the key, run the work, write the reply into the row, commit. One thread owns it. */
final class JdbcTransaction implements ResultStore.Transaction<Connection, SQLException> {
    /** A driver rounds the limit of a statement up to a second, and has the server cancel it. */
    private static final Duration CANCELLATION = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final OnceTransaction transaction;
    private final Connection connection;
    private final OnceStores stores;

    private Optional<Claim> claimed = Optional.empty();

    /** The row that this transaction has inserted. */
    private record Claim(Request request, TransactionId transaction) {}

    JdbcTransaction(DataSource dataSource, OnceTransaction transaction, OnceStores stores) {
        this.dataSource = dataSource;
        this.transaction = transaction;
        this.stores = stores;
        connection = transaction.connection();
    }

    @Override
    public boolean claim(Request request, Duration limit, boolean judge) throws SQLException {
        OnceStore store = stores.of(connection);
        // The end of the claim's own limit comes first.
        transaction.limitNetwork(request.options().deadline().plus(CANCELLATION));
        claimed = store.claim(connection, request, limit, judge).map(id -> new Claim(request, id));
        return claimed.isPresent();
    }

    @Override
    public <X extends Exception> byte[] run(Work<Connection, SQLException, X> work) throws SQLException, X {
        transaction.unlimitNetwork();
        WorkConnection guard = new WorkConnection(connection);
        try {
            return work.run(guard.proxy());
        } finally {
            guard.end();
        }
    }

    @Override
    public boolean complete(byte[] reply) throws SQLException {
        Claim claim = claimed.orElseThrow();
        transaction.limitNetwork(claim.request().options().deadline());
        return stores.of(connection).complete(connection, claim.request(), reply, claim.transaction());
    }

    @Override
    public void commit() throws SQLException {
        transaction.commit();
    }

    @Override
    public boolean rollback() {
        return transaction.rollback();
    }

    @Override
    public void abandon() {
        transaction.abandon();
    }

    /** Does not wait for the end; the next insertion of the row does. */
    @Override
    public void end() throws SQLException {
        if (claimed.isEmpty()) {
            return;
        }
        try (OnceTransaction other = OnceTransaction.begin(dataSource)) {
            other.limitNetwork(claimed.get().request().options().deadline().plus(CANCELLATION));
            try {
                stores.of(other.connection())
                        .terminate(other.connection(), claimed.get().transaction());
                other.commit();
            } catch (SQLException e) {
                if (SqlFault.of(e) == ResultStore.Fault.LOST) {
                    other.abandon();
                    throw e;
                }
                // It may be refused; then the server has to notice the loss itself.
                other.rollback();
            }
        }
    }

    @Override
    public Optional<Completion> read(IdempotencyKey key) throws SQLException {
        return stores.of(connection).read(connection, key);
    }

    @Override
    public Optional<OnceException> refusal(Request request) throws SQLException {
        return stores.of(connection).refusal(connection, request);
    }

    @Override
    public void close() {
        transaction.close();
    }
}
